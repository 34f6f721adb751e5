"""Tests of findings about drives and their content."""
