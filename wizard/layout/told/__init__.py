"""A plan as text, the same on every face."""
