"""Rehearse and write a partition table, and verify it against the plan."""
