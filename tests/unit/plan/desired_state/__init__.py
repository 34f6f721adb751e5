"""What is wanted of drives, and how they differ from that."""
