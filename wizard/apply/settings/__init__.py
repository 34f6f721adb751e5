"""Change settings of a filesystem in use."""
