"""Tests of a conversion as a transaction: its commit and undo, cut at every write."""
