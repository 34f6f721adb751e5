"""Visits to guests, by theme."""
