"""A migration in words, the same on every face."""
