"""Change one partition of a drive and preserve the others."""
