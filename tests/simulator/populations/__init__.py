"""Populations of simulated hard disks, each drive from a seed and with a clock of its own, for the quick probe
for shingled recording."""
