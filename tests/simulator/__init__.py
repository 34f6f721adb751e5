"""A drive, a journal and a person in one process, from a seed: whatever happens to a rehearsed change, and
whatever is done about it."""
