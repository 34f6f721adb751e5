"""The wizard's places told line by line, for ears, serial lines, pipes and terminals that only print."""
