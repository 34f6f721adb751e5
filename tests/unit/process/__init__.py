"""Running other programs: what a person reads of it."""
