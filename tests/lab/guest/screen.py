"""The kernel's text console in a guest: a program on it, keys of a user, and the visible cells.

Content and colours come from the kernel (/dev/vcsu, /dev/vcsa: vcs(4)), and the font's map from characters to
glyphs from the console (GIO_UNIMAP: ioctl_console(2)).
"""

import array
import fcntl
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from types import TracebackType
from typing import Self

from tests.lab.guest.host import ask_host
from tests.lab.guest.inside import SHARED

TERMINAL = Path("/dev/tty1")
WRITTEN = Path("/dev/vcsu1")
"""Each cell's character, four bytes each."""
HELD = Path("/dev/vcsa1")
"""Lines, columns, the cursor's place, and each cell's glyph and attributes, a byte each."""
GIO_UNIMAP = 0x4B66
MOST_PAIRS = 4096
CONSOLE_TEXTS = Path(__file__).parents[2] / "looks/console"
"""The text on each picture of the text console in screenshots/."""
SECONDS = 180.0
"""How long anything may take to be shown; it takes a few seconds."""
POLL_SECONDS = 0.1
STILL = 3
"""The screen has come to rest when so many looks in turn saw the same."""

TICK = "■"
"""What the head has before a step that is behind."""

KEYS = {
    **{"enter": "ret", "escape": "esc", "pagedown": "pgdn", "pageup": "pgup", " ": "spc"},
    **{"/": "slash", "-": "minus", ".": "dot", "?": "shift+slash", "+": "shift+equal"},
}
"""QEMU's names of keys on a keyboard as in the US, where they are not the character or name itself."""


def key_name(key: str) -> str:
    """Return QEMU's name of a key, by the tests' name or by its character."""
    if len(key) == 1 and key.isupper():
        return f"shift+{key.lower()}"
    return KEYS.get(key, key)


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of the screen: the written character, the font's glyph, and the colours."""

    character: str
    glyph: int
    ink: int
    ground: int


@dataclass(frozen=True, slots=True)
class Seen:
    """A whole screen, line by line."""

    lines: tuple[tuple[Cell, ...], ...]

    @property
    def text(self) -> str:
        """The characters."""
        return "\n".join("".join(cell.character for cell in line) for line in self.lines)

    @property
    def size(self) -> tuple[int, int]:
        """Columns and lines."""
        return len(self.lines[0]), len(self.lines)

    def is_lit(self, word: str) -> bool:
        """Return True if a line with this word has a background: in a list, it has the focus; in a field,
        it is the cursor."""
        return any(
            word in "".join(cell.character for cell in line) and any(cell.ground for cell in line)
            for line in self.lines
        )


def seen(held: bytes, written: bytes) -> Seen:
    """Return a screen from the data of the kernel's two devices."""
    lines, columns = held[0], held[1]
    cells = [
        Cell(chr(code), glyph, attribute & 15, attribute >> 4)
        for (code,), (glyph, attribute) in zip(
            struct.iter_unpack("=I", written), struct.iter_unpack("BB", held[4:]), strict=True
        )
    ]
    return Seen(tuple(tuple(cells[line * columns : (line + 1) * columns]) for line in range(lines)))


def unfit(screen: Seen, font: Mapping[str, set[int]]) -> Iterator[str]:
    """Return what is not visible as intended: characters missing in the font or shown as others, and text
    in its background colour."""
    for y, line in enumerate(screen.lines, 1):
        for x, cell in enumerate(line, 1):
            place = f"line {y}, column {x}: {cell.character!r}"
            if cell.glyph not in font.get(cell.character, ()):
                yield (
                    f"{place} is shown as glyph {cell.glyph}, its own are "
                    f"{sorted(font.get(cell.character, ()))}"
                )
            elif cell.ink == cell.ground and cell.character != " ":
                yield f"{place} has the colour of its ground"


def is_whole(screen: Seen, step: int) -> bool:
    """Return True if the head is on the first line and the keys are on the last. A screen that is too long
    would have scrolled one away. The head ticks the earlier steps."""
    first, *_, last = screen.text.split("\n")
    done = first.startswith(" diskwright ") and first.count(TICK) == step - 1
    return done and "5 Work" in first and "q] quit" in last


class Console:
    """The wizard on the guest's screen and keyboard, ended by leaving the with statement. `argv`: its
    command. `camera`: take pictures, which requires QEMU 7.1."""

    def __init__(
        self, argv: Sequence[str] = (sys.executable, "-m", "wizard"), *, camera: bool = False
    ) -> None:
        self.camera = camera
        with TERMINAL.open("r+b", buffering=0) as terminal:
            self.font = _font(terminal.fileno())
            self._process = subprocess.Popen(
                ["setsid", "--ctty", *argv],
                stdin=terminal,
                stdout=terminal,
                stderr=terminal,
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()

    @property
    def seen(self) -> Seen:
        """Return the current screen, read while it does not change."""
        held = HELD.read_bytes()
        while True:
            written = WRITTEN.read_bytes()
            before, held = held, HELD.read_bytes()
            if held == before:
                return seen(held, written)

    @property
    def text(self) -> str:
        """The characters."""
        return self.seen.text

    def press(self, *keys: str, then: str | Callable[[], bool] | None = None) -> None:
        """Press keys in order until `then`. Text after `=` is typed.

        A key too early goes to the previous focus, and after Escape it counts as one with Alt.
        """
        single = [one for key in keys for one in (key[1:] if key.startswith("=") else (key,))]
        ask_host("press", " ".join(map(key_name, single)))
        if then is not None:
            self.until(then)

    def until(self, needle: str | Callable[[], bool], *, rest: bool = True) -> None:
        """Wait until a text is visible and, with `rest`, nothing changes. Otherwise fails the job."""
        met = needle if callable(needle) else lambda: needle in self.text
        limit = monotonic() + SECONDS
        before, same = self.text, 0
        while not met() or (rest and same < STILL):
            assert monotonic() < limit, (
                f"{needle!r} is not shown; it has {self._process.poll()}:\n{self.text}"
            )
            sleep(POLL_SECONDS)
            now = self.text
            same = same + 1 if now == before else 0
            before = now

    def photograph(self, name: str) -> None:
        """Leave a picture of the screen and its text in the shared folder."""
        ask_host("photograph", name)
        (SHARED / f"{name}.txt").write_text(self.text, encoding="utf-8")

    def ended(self) -> int:
        """Return the program's exit code."""
        return self._process.wait(SECONDS)


def _font(terminal: int) -> dict[str, set[int]]:
    """Return the console's glyphs for characters."""
    pairs = array.array("H", bytes(4 * MOST_PAIRS))
    asked = bytearray(struct.pack("@HP", MOST_PAIRS, pairs.buffer_info()[0]))
    fcntl.ioctl(terminal, GIO_UNIMAP, asked)
    (count, _) = struct.unpack("@HP", asked)
    found: dict[str, set[int]] = {}
    for code, glyph in zip(pairs[0 : 2 * count : 2], pairs[1 : 2 * count : 2], strict=True):
        found.setdefault(chr(code), set()).add(glyph)
    return found
