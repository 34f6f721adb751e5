"""Installing what is missing, by the distribution's own package manager."""
