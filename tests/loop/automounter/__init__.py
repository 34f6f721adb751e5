"""Programs that mount what they see while a run is at work."""
