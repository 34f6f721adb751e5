"""Ways, work and its result."""
