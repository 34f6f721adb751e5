"""Loads of a filesystem comparison."""
