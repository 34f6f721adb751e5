"""A run whose folder is lost, found again by the notices on its drives."""
