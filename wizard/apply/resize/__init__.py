"""Grow a filesystem into free space after the partition, or shrink it, on a scratch copy.

The scratch copy contains the filesystem's metadata, and only the file data that must move. Each filesystem
has a module; `resized` selects one.
"""
