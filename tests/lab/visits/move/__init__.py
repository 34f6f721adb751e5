"""Moves of partitions with power cuts or bad sectors."""
