"""What a drive says of itself."""
