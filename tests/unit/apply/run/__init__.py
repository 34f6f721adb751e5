"""Runs: their journal, their numbers, and what is told of them."""
