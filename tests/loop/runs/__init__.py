"""Tests of waiting, finished, undone and recovered runs."""
