"""What is read of real drives."""
