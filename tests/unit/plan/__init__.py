"""Tests of the planner and its rules."""
