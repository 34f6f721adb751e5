"""What a person asks for, in words and as what the planner takes, and what it may be."""
