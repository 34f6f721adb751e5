"""Tests of every recorded machine."""
