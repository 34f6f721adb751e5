"""Reports about drives, and drives that are easy to confuse."""
