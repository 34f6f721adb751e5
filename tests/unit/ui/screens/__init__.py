"""The screens from the drives to the last question."""
