"""Tests of conversion methods, work and results."""
