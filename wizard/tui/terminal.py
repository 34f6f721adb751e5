"""What the terminal can show, from its environment alone. Imports no Textual, so that `diskwright` can say no quickly."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from rich.cells import cell_len


class Glyphs(Enum):
    """Which characters may reach the screen: all; those in the Linux console's fonts; ASCII only."""

    ALL = "all"
    CONSOLE = "console"
    ASCII = "ascii"


class Colours(Enum):
    """Which colours may reach the screen: any; the eight every console has; none."""

    ANY = "any"
    EIGHT = "eight"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Terminal:
    """`addressable` is false where text can only be printed line after line; `slow` where every byte counts, as on a serial line."""

    glyphs: Glyphs
    colours: Colours
    addressable: bool = True
    slow: bool = False


_LINE_BY_LINE = ("", "dumb", "unknown", "network", "emacs")
_MANY_COLOURS = ("256color", "direct", "truecolor", "kitty", "ghostty")


def terminal_of(environ: Mapping[str, str]) -> Terminal:
    """The terminal that TERM, COLORTERM and NO_COLOR describe."""
    name = environ.get("TERM", "")
    unwanted = bool(environ.get("NO_COLOR"))
    if name in _LINE_BY_LINE:
        return Terminal(Glyphs.ASCII, Colours.NONE, addressable=False)
    if name.startswith("vt"):
        return Terminal(Glyphs.ASCII, Colours.NONE, slow=True)
    if name.startswith("linux"):
        return Terminal(Glyphs.CONSOLE, Colours.NONE if unwanted else Colours.EIGHT)
    if unwanted:
        return Terminal(Glyphs.ALL, Colours.NONE)
    many = environ.get("COLORTERM", "") in ("truecolor", "24bit") or any(word in name for word in _MANY_COLOURS)
    return Terminal(Glyphs.ALL, Colours.ANY if many else Colours.EIGHT)


CONSOLE_SAFE = frozenset(map(chr, range(0x20, 0x7F))) | frozenset("─│┌┐└┘├┤┬┴┼═║╔╗╚╝╠╣╦╩╬█░▒▼►←↑→↓•■")
"""In Debian's console fonts and in the code page that PCs start with."""

_NEAR = {
    "…": ".",
    "–": "-",
    "—": "-",
    "‘": "'",
    "’": "'",
    "“": '"',
    "”": '"',
    "×": "x",
    "µ": "u",
    "μ": "u",
    "·": "•",
    "●": "•",
    "▪": "■",
    "▶": "►",
    "▸": "►",
    "▾": "▼",
    "▓": "█",
    "▁": " ",
    "▂": " ",
    "▃": "░",
    "▄": "█",
    "▅": "█",
    "▆": "█",
    "▇": "█",
    "▀": "█",
    "▌": "█",
    "▐": "█",
    "▉": "█",
    "▊": "█",
    "▋": "█",
    "▍": "░",
    "▎": " ",
    "▏": " ",
    "╭": "┌",
    "╮": "┐",
    "╰": "└",
    "╯": "┘",
    "━": "─",
    "┃": "│",
    "╸": "─",
    "╺": "─",
    "✓": "x",
    "✗": "-",
}

_ASCII = dict(
    zip("─│┌┐└┘├┤┬┴┼═║╔╗╚╝╠╣╦╩╬█░▒▼►←↑→↓•■", "-|+++++++++=|+++++++++#.:v><^>v*#", strict=True),
)


def translate(text: str, glyphs: Glyphs) -> str:
    """The text in characters that can be shown, each as wide as the one it stands for."""
    if glyphs is Glyphs.ALL or (text.isascii() and text.isprintable()):
        return text
    shown = "".join(_console_safe(char) for char in text)
    return shown if glyphs is Glyphs.CONSOLE else "".join(_ASCII.get(char, char) for char in shown)


def _console_safe(char: str) -> str:
    if char in CONSOLE_SAFE:
        return char
    if char in _NEAR:
        return _NEAR[char]
    width = cell_len(char)
    plain = unicodedata.normalize("NFKD", char)[:1]
    return (plain if plain in CONSOLE_SAFE else "?").ljust(width, "?") if width else ""
