"""A partition that moves: where to, whether it may, and what is said before."""
