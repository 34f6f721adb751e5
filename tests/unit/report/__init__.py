"""Reports, and what may not stand in them."""
