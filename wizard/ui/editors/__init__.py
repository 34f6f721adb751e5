"""Editors of the plan's details."""
