"""The line-by-line wizard."""
