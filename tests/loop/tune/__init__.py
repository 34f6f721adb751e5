"""Changing a filesystem that is in use."""
