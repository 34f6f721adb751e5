"""Reports about drives, and possible confusions."""
