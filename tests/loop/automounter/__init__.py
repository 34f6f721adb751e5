"""Automounters during a run."""
