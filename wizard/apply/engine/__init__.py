"""Write to drives: rehearse on a scratch copy, save old bytes, commit, keep or undo.

A commit survives a power cut at any point.
"""
