"""Partitions that move while the power goes or a sector fails."""
