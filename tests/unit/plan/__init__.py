"""The planner and its rules."""
