"""What a partition's content has to say of its own place after a move."""
