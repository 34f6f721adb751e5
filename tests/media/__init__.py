"""Released files in their target environments: the one file, and the medium."""
