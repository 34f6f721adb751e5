"""Tests of a conversion's measurements and comparisons."""
