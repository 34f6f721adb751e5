"""Tests of the exchange between scratch copy and drive, in both directions."""
