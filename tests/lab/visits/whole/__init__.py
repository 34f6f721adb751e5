"""Whole runs, from a drive to its mounted filesystem."""
