"""Tests of desired states as a file, and of layouts in the formats of other tools."""
