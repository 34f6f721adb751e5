"""One desk for all faces: what a screen or a line-by-line conversation asks of the rooms behind it."""
