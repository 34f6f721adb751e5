"""Jobs in guests, by topic."""
