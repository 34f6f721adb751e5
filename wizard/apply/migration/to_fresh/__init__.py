"""A migration to a filesystem that is made anew, and filled from the old one."""
