"""How a plan is shown."""
