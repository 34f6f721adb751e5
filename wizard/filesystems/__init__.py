"""Modules of filesystems: name, commands to create and check it, and limits.

To add a filesystem, add a module.
"""
