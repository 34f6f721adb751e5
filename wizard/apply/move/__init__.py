"""Move a partition in place. A power cut at any moment loses no data."""
