"""Convert a filesystem to ext4: run, verify and undo."""
