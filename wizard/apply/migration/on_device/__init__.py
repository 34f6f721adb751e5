"""A migration on the device itself, and how it is taken back."""
