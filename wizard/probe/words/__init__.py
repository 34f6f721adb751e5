"""What the probe says: of what was named, of who uses a device, and of what could not be read."""
