"""A run that is found by its drive, whatever became of its folder or of the drive's name."""
