"""What is said about drives: a module for each theme of findings."""
