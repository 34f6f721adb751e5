"""Capabilities of the terminal, from environment variables and the serial line. Does not import Textual, so
`diskwright` can reject a terminal quickly."""

import os
import re
import termios
import unicodedata
from collections.abc import Mapping
from enum import Enum

from msgspec import Struct
from msgspec.structs import replace
from rich.cells import cell_len

CLEAR = "\x1b[0m\x1b[H\x1b[2J"
"""Clears the screen, and sets the default colours."""

SECOND, FIRST = "\x1b[?1049h", "\x1b[?1049l"
"""Switch to the terminal's alternate screen, and back."""


class Glyphs(Enum):
    """Characters that the terminal can show: all, those in the Linux console's fonts, or ASCII."""

    ALL = "all"
    CONSOLE = "console"
    ASCII = "ascii"


class Colours(Enum):
    """Colours that the terminal can show: any, the eight of every console, or none."""

    ANY = "any"
    EIGHT = "eight"
    NONE = "none"


class Terminal(Struct, frozen=True):
    """`addressable`: False if the terminal only prints line by line. `slow`: every byte costs time, as on a
    serial line. `light`: the background is known to be light."""

    glyphs: Glyphs
    colours: Colours
    addressable: bool = True
    slow: bool = False
    light: bool = False


FASTEST_SLOW = 115200
"""Fastest slow line in baud. It carries at most 11 kB/s; a whole screen takes almost a second."""

_LINE_BY_LINE = ("", "dumb", "unknown", "network", "emacs")
_LIGHT_BACKGROUNDS = (7, *range(9, 16))
_SERIAL = ("/dev/ttyS", "/dev/ttyAMA", "/dev/ttyUSB", "/dev/ttyACM", "/dev/hvsi")
_BAUDS = {
    getattr(termios, name): int(name[1:]) for name in dir(termios) if re.fullmatch("B[1-9][0-9]+", name)
}
_MANY_COLOURS = ("256color", "direct", "truecolor", "kitty", "ghostty")


def terminal_of(environ: Mapping[str, str], baud: int | None = None) -> Terminal:
    """Return the terminal described by TERM, COLORTERM and NO_COLOR, on a serial line of `baud` if given. A
    slow line gets at most eight colours, since more cost more bytes. Light if DISKWRIGHT_THEME says so, else
    if COLORFGBG names white or a bright background."""
    theme = environ.get("DISKWRIGHT_THEME", "").lower()
    background = environ.get("COLORFGBG", "").rpartition(";")[2]
    light = background.isdecimal() and int(background) in _LIGHT_BACKGROUNDS
    found = replace(
        _terminal_by_name(environ), light=theme == "light" if theme in ("light", "dark") else light
    )
    if baud is None or baud > FASTEST_SLOW:
        return found
    return replace(found, slow=True, colours=Colours.EIGHT if found.colours is Colours.ANY else found.colours)


def serial_baud(descriptor: int) -> int | None:
    """Return the speed of a serial line, or None for other terminals (ssh, window, console)."""
    try:
        if not os.ttyname(descriptor).startswith(_SERIAL):
            return None
        speed = termios.tcgetattr(descriptor)[5]
    except (OSError, termios.error):
        return None
    return _BAUDS.get(speed)


def _terminal_by_name(environ: Mapping[str, str]) -> Terminal:
    name = environ.get("TERM", "")
    no_colour = bool(environ.get("NO_COLOR"))
    if name in _LINE_BY_LINE:
        return Terminal(Glyphs.ASCII, Colours.NONE, addressable=False)
    if name.startswith("vt"):
        return Terminal(Glyphs.ASCII, Colours.NONE, slow=True)
    if name.startswith("linux"):
        return Terminal(Glyphs.CONSOLE, Colours.NONE if no_colour else Colours.EIGHT)
    if no_colour:
        return Terminal(Glyphs.ALL, Colours.NONE)
    named = any(word in name for word in _MANY_COLOURS)
    many = named or environ.get("COLORTERM", "") in ("truecolor", "24bit")
    return Terminal(Glyphs.ALL, Colours.ANY if many else Colours.EIGHT)


CONSOLE_SAFE = frozenset(map(chr, range(0x20, 0x7F))) | frozenset("─│┌┐└┘├┤┬┴┼═║╔╗╚╝╠╣╦╩╬█░▒▼►←↑→↓•■")
"""Characters in Debian's console fonts and the PC's default code page."""

_NEAR = str.maketrans(
    "…–—‘’“”×µμ·●▪▶▸◂▲▾▓▁▂▃▄▅▆▇▀▌▐▉▊▋▍▎▏╭╮╰╯━┃╸╺✓✗",
    ".--''\"\"xuu•*■►><!▼█  ░█████>████░  ┌┐└┘─│──■x",
)
_ASCII = str.maketrans(
    "─│┌┐└┘├┤┬┴┼═║╔╗╚╝╠╣╦╩╬█░▒▼►←↑→↓•■",
    "-|+++++++++=|+++++++++#.:v><^>v*+",
)


def translate(text: str, glyphs: Glyphs) -> str:
    """Replace characters that cannot be shown by others of the same width."""
    if text.isprintable() and (glyphs is Glyphs.ALL or text.isascii()):
        return text
    if glyphs is Glyphs.ALL:
        return "".join(char if char.isprintable() else "?" * cell_len(char) for char in text)
    shown = "".join(map(_console_safe, text.translate(_NEAR)))
    return shown if glyphs is Glyphs.CONSOLE else shown.translate(_ASCII)


def _console_safe(char: str) -> str:
    if char in CONSOLE_SAFE:
        return char
    width = cell_len(char)
    plain = unicodedata.normalize("NFKD", char)[:1]
    return (plain if plain in CONSOLE_SAFE else "?").ljust(width, "?") if width else ""
