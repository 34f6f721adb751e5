"""A trial of filesystems: candidates made in turn in the range that a plan gives a volume, doing its work."""
