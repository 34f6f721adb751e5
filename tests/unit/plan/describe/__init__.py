"""Tests of how plans are displayed."""
