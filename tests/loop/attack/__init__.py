"""Attacks on runs and their drives, by other programs and forged documents."""
