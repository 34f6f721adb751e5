"""Which fields of a document are left out of it where they say nothing."""

WHERE_USED = {"written": "where used"}
"""The metadata of a field that a document has only where it differs from its default: a plan for one drive
reads as it did before there were others.
"""
