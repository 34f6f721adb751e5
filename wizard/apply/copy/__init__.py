"""Copy files to a volume: survey, copy, compare and undo."""
