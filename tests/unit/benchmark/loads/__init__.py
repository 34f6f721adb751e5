"""Tests of the loads that a benchmark runs on a filesystem."""
