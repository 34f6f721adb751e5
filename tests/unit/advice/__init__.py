"""What is advised, of which studies and profiles."""
