"""Whole ways, from a drive to its mounted filesystem."""
