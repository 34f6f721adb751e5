"""Compare filesystems in the range of a planned volume: create each in turn and run the workload."""
