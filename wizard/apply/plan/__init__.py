"""Apply a plan: preconditions, steps, final checks and undo."""
