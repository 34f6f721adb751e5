"""Changing one partition of a drive, while the others stay."""
