"""Sectors that cannot be read while a partition moves: where they are, what becomes of them, what is said."""
