"""What of the lab can be tested without a guest."""
