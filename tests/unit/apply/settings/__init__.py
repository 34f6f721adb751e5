"""Changing what is in use."""
