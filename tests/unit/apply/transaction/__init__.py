"""A migration as a transaction: its commit and its undoing, cut at every moment."""
