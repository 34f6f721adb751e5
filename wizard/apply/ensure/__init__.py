"""Drives brought to what is wanted of them: what is missing is worked out here, and done by the engine."""
