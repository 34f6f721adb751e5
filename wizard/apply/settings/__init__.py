"""Changing an ext filesystem that is in use."""
