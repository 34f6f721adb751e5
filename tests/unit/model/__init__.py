"""Sizes, places and sentences."""
