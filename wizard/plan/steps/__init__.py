"""Steps of a plan: typed operations with their texts and commands."""
