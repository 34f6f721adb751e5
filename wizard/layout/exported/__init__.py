"""A plan's layout in the words of other tools."""
