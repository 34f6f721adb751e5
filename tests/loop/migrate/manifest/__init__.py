"""What is written down of a filesystem, to compare it."""
