"""Tests of probing a machine, from bytes and texts."""
