"""What is tried in guests, by theme."""
