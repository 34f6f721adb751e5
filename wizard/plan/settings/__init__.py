"""Changes to a filesystem in use."""
