"""Apply a plan, and only the plan."""
