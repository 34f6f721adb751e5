"""Tests of reports, and of data that must not appear there."""
