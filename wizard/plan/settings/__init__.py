"""Changes to a filesystem that is in use."""
