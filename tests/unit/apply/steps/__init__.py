"""Tests of a run's steps, by the output of their tools."""
