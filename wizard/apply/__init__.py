"""Carrying out a plan, and nothing but the plan."""
