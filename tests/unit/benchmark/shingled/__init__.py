"""Telling shingled drives by what writing costs."""
