"""Runs that wait, end, are taken back or found again."""
