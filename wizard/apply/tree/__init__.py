"""Describe a tree of files, file by file, for comparison."""
