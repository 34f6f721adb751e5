"""Places behind the plan, where every choice in it can be looked at and made otherwise."""
