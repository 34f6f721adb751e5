"""From a plain user to root and back."""
