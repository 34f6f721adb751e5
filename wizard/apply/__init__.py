"""Apply plans. Nothing else writes to drives."""
