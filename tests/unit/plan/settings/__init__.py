"""Tests of changes to one existing partition or filesystem."""
