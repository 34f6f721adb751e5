"""Lines of plain text, for a pipe or a terminal: nothing in them can do more than be read."""

import sys
from collections.abc import Iterable


def tell(lines: Iterable[str]) -> None:
    """Each on a line of its own, to stdout. A line end within one is foreign, as are escape characters."""
    sys.stdout.write("".join(f"{harmless(line)}\n" for line in lines))


def harmless(text: str, spared: str = "\t") -> str:
    """The text with `?` for all that no terminal prints, but for the characters that are `spared`."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in spared else "?" for char in text)
