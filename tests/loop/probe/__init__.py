"""Tests of probing real drives."""
