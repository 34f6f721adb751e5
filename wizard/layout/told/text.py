"""Plain text in columns of a terminal: widths, wrapping, and commands that stay right when they are
copied."""

import shlex
import unicodedata
from collections.abc import Iterator, Sequence


def cell_width(text: str) -> int:
    """The columns that a terminal gives `text`: two for East Asian wide characters, none for combining
    ones."""
    return sum(_columns(char) for char in text)


def _columns(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def split_at(text: str, columns: int) -> tuple[str, str]:
    """The longest beginning that fits in `columns` (at least one character), and the rest."""
    used = 0
    for index, char in enumerate(text):
        used += _columns(char)
        if used > columns and index:
            return text[:index], text[index:]
    return text, ""


def cut(text: str, width: int) -> str:
    """`text` cut to `width` columns."""
    return text if cell_width(text) <= width else split_at(text, width)[0]


def wrapped(text: str, width: int, hang: int = 0) -> Iterator[str]:
    """Lines of at most `width` columns, broken at spaces where there are any; all but the first indented by
    `hang`."""
    rest = text
    indent = ""
    while cell_width(indent + rest) > width:
        line, _ = split_at(rest, width - cell_width(indent))
        body = len(line) - len(line.lstrip())
        at = line.rfind(" ", body)
        if rest[len(line) : len(line) + 1] == " ":
            at = len(line)
        line = line[:at] if at > body else line
        yield (indent + line).rstrip()
        rest = rest[len(line) :].lstrip(" ")
        indent = " " * hang
    yield indent + rest


def command_lines(argv: Sequence[str], width: int, indent: int) -> Iterator[str]:
    """A command as a shell reads it, quoted, wrapped with backslashes. A word too long for a line goes on at
    the very start of the next."""
    line = " " * indent
    fresh = True
    for word in argv:
        quoted = shlex.quote(word)
        gap = "" if fresh else " "
        if cell_width(line + gap + quoted) <= width - 2:
            line += gap + quoted
            fresh = False
            continue
        if not fresh:
            yield line + " \\"
            line = " " * (indent + 4)
        if cell_width(line + quoted) > width - 2:
            *pieces, last = _pieces(word, width - indent - 4 - 2)
            for piece in pieces:
                yield line + piece + "\\"
                line = ""
            quoted = last
        line += quoted
        fresh = False
    yield line


def _pieces(word: str, columns: int) -> Iterator[str]:
    """The word in quoted pieces of at most `columns`; the shell joins what stands without a space between."""
    piece = ""
    for char in word:
        if piece and cell_width(shlex.quote(piece + char)) > columns:
            yield shlex.quote(piece)
            piece = ""
        piece += char
    yield shlex.quote(piece)
