"""The repository's own pages, and what runs its tests and measurements."""
