"""What the bytes of an ext filesystem say."""
