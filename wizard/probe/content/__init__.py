"""Partition tables from recorded bytes."""
