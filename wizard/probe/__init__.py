"""Probe the drives of the running system."""
