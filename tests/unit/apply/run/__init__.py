"""Tests of runs: journal, numbers and reports."""
