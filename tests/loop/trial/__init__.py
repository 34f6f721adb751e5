"""Measurements on real drives."""
