"""Steps of a plan, one module per kind of result."""
