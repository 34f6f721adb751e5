"""Populations of simulated hard disks, for the quick probe for shingled recording. Each drive is drawn from a
seed and has a clock of its own."""
