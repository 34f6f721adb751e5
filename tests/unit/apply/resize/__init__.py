"""Tests of the output of tools that resize filesystems."""
