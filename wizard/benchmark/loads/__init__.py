"""What a trial runs on a volume: one file for each load, found by being there, with its `LOAD`."""
