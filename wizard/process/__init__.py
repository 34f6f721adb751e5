"""Run external tools."""
