"""What is known of each filesystem and of its options."""
