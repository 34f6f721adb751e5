"""Resize a filesystem with its own tools, on a copy-on-write scratch copy."""
