"""Compare drives with a request: find the drive and the differences."""
