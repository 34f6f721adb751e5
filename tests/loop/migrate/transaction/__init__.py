"""A migration as a transaction, where there is no device mapper."""
