"""What is said of a migration: a module for each theme."""
