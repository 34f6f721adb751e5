"""Requests of a user, as words and as planner input, with their limits."""
