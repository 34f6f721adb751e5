"""Simulate drives, a journal and a user in one process, from a seed: faults in every phase of a rehearsed
change, and all commands."""
