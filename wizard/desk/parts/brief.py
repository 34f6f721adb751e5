"""The beginning of a text of a profile, where all of it is one key away. Pure."""

from wizard.model.names import printable

LONGEST = 300


def first_clause(text: str) -> str:
    """Up to the first full stop, colon or semicolon that ends a clause."""
    found = [at for end in (". ", ": ", "; ") if (at := text.find(end)) > 0]
    shown = printable(text[: min(found)] if found else text, LONGEST)
    return shown.rstrip(".")
