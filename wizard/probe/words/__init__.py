"""What the probe says: of what was named, and of what could not be read."""
