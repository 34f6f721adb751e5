"""Capabilities of the terminal, from environment variables and the serial line.

Does not import Textual, so `diskwright` can reject a terminal quickly.
"""

from __future__ import annotations

import os
import termios
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
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
    """`addressable` is false where text can only be printed line after line; `slow` where every byte counts,
    as on a serial line; `light` where the ground is known to be light."""

    glyphs: Glyphs
    colours: Colours
    addressable: bool = True
    slow: bool = False
    light: bool = False


FASTEST_SLOW = 115200
"""Baud: a serial line of this speed or less carries at most 11 kB a second, a whole screen in most of one."""

_LINE_BY_LINE = ("", "dumb", "unknown", "network", "emacs")
_LIGHT_GROUNDS = (7, *range(9, 16))
_SERIAL = ("/dev/ttyS", "/dev/ttyAMA", "/dev/ttyUSB", "/dev/ttyACM", "/dev/hvsi")
_BAUDS = (300, 600, 1200, 2400, 4800, 9600, 19200, 38400, 57600, 115200, 230400, 460800, 921600)
_MANY_COLOURS = ("256color", "direct", "truecolor", "kitty", "ghostty")


def terminal_of(environ: Mapping[str, str], baud: int | None = None) -> Terminal:
    """What TERM, COLORTERM and NO_COLOR describe, on a serial line of `baud` or on none. Many colours would
    be many bytes."""
    found = replace(_named(environ), light=_is_light(environ))
    if baud is None or baud > FASTEST_SLOW:
        return found
    return replace(found, slow=True, colours=Colours.EIGHT if found.colours is Colours.ANY else found.colours)


def _is_light(environ: Mapping[str, str]) -> bool:
    """DISKWRIGHT_THEME decides; else the ground in COLORFGBG, which some terminals set: white, or one of the
    bright colours."""
    wish = environ.get("DISKWRIGHT_THEME", "").lower()
    if wish in ("light", "dark"):
        return wish == "light"
    ground = environ.get("COLORFGBG", "").rpartition(";")[2]
    return ground.isdecimal() and int(ground) in _LIGHT_GROUNDS


def serial_baud(descriptor: int) -> int | None:
    """The speed of the serial line that a descriptor is; None where it is none, as over ssh, in a window, or
    on the console."""
    try:
        if not os.ttyname(descriptor).startswith(_SERIAL):
            return None
        speed = termios.tcgetattr(descriptor)[5]
    except (OSError, termios.error):
        return None
    return next((baud for baud in _BAUDS if getattr(termios, f"B{baud}", None) == speed), None)


def _named(environ: Mapping[str, str]) -> Terminal:
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
    many = environ.get("COLORTERM", "") in ("truecolor", "24bit") or any(
        word in name for word in _MANY_COLOURS
    )
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
    if text.isprintable() and (glyphs is Glyphs.ALL or text.isascii()):
        return text
    if glyphs is Glyphs.ALL:
        return "".join(char if char.isprintable() else "?" * cell_len(char) for char in text)
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
