"""Bringing files to a new filesystem."""
