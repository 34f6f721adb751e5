"""Whether alignment matters, and which filesystem is faster: the measurements without a drive."""
