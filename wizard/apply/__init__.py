"""Apply plans, settings, conversions, moves and copies."""
