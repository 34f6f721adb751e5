"""Which fields of a document are left out of it, where they say nothing or follow from the rest; and which
hold words."""

WHERE_USED = {"written": "where used"}
"""The metadata of a field that a document has only where it differs from its default: a plan for one drive
reads as it did before there were others.
"""

DERIVED = {"written": "never"}
"""The metadata of a field that follows from the rest of its document: a sealed document leaves it out, and
whoever reads one works it out anew. So a document cannot say something else than it does, in any language.
"""

IN_ENGLISH = {"written": "in English"}
"""The metadata of a field whose sentence a document holds in English, and not by its code: what comes from a
profile has none.
"""
