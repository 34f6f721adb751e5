"""What is said of drives, and what they must not be taken for."""
