"""What is read of a machine, from bytes and texts."""
