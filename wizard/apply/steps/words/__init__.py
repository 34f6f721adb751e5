"""What is said of a plan's steps: a module for each theme."""
