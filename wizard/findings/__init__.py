"""Findings about drives. Pure rules over facts."""
