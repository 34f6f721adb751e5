"""Populations of simulated hard disks, for the quick SMR test. Each drive is drawn from a seed and has its
own clock."""
