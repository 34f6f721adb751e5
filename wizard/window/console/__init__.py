"""What the terminal can show, and what is sent to it."""
