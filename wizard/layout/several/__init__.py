"""One volume over several drives, striped or mirrored."""
