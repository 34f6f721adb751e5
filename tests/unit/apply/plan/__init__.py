"""Tests of the conditions for applying a plan."""
