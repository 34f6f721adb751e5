"""Tests of applying plans, without a drive."""
