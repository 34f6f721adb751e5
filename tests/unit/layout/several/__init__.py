"""Volumes over several drives."""
