"""What is asked and measured beside the plan."""
