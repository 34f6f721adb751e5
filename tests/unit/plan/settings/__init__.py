"""Changes of one partition or filesystem that exists."""
