"""Tests of partition tables as written."""
