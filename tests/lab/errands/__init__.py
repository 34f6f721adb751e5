"""Visits to guests, and how they run."""
