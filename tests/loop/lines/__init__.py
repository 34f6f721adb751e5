"""The line-by-line wizard on real drives."""
