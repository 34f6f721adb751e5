"""Carrying plans out, without a drive."""
