"""Visits that depend on time."""
