"""Tests of copying files to a new filesystem."""
