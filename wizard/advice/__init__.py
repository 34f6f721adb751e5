"""Recommend filesystems and options for a workload, with reasons. Pure rules over facts and profiles."""
