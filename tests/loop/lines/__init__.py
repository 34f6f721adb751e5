"""Tests of the line-by-line wizard on real drives."""
