"""Editors for details of a plan."""
