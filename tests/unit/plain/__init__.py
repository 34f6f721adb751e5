"""Tests of the line-by-line wizard."""
