"""Screens from the drives to the result, one per module."""
