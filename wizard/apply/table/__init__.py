"""Writing a partition table, rehearsed first, and proving that it is the planned one."""
