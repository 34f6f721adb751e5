"""Tests of changes to a filesystem in use."""
