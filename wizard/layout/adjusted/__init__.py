"""Another start, end or size for a partition that exists: what that means, and whether it can be. What does
it are the plans of `layout/one` and the moves of `layout/moving`."""
