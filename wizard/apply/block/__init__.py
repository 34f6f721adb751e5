"""Block devices: reading and writing them, and what stands in for one."""
