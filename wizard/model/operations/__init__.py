"""Typed operations of which steps are made, beside those of the plan itself, and what they are made of."""
