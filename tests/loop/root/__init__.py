"""Tests of an ordinary user who becomes root and back."""
