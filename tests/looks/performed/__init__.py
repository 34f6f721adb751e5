"""Replays of the runs in the published pictures."""
