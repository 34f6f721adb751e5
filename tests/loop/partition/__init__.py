"""Tests of creating, formatting, deleting and resizing one partition, and of the neighbours."""
