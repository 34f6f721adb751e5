"""What is judged by the clock."""
