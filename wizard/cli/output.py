"""Print documents and views to stdout, narration to stderr. Replaces control characters in foreign text."""

import os
import sys
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from math import ceil
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, TextIO

from wizard.documents.files import write_file
from wizard.model.errors import printable
from wizard.model.said import Message, t
from wizard.plain.telling import block_lines
from wizard.process.output import command_lines, wrapped
from wizard.ui import view as ui

if TYPE_CHECKING:
    from wizard.benchmark.access import MeasureProgress

Document = tuple[str, Iterable[ui.Block]]
"""Result of a command that only reads: the document for --json, and the blocks to print without."""

NARROWEST, WIDEST, USUAL = 40, 120, 80
"""Columns of plans: the least, and the most, also in a pipe. Other pages have 80 columns in a pipe."""

LONGEST_PARAGRAPH = 4000
BAR_COLUMNS, NAME_COLUMNS = 40, 28

FILLS = {ui.Fate.PRESERVED: "=", ui.Fate.NEW: "#", ui.Fate.LOST: "x", ui.Fate.FREE: ".", ui.Fate.UNREAD: "?"}
"""How bars of text draw each stretch."""

SGR = {
    ui.Tone.STRONG: "1",
    ui.Tone.MUTED: "2",
    ui.Tone.DANGER: "31",
    ui.Tone.GOOD: "32",
    ui.Tone.WARN: "33",
    ui.Tone.ACCENT: "36",
}
"""Terminal attributes of tones (ECMA-48)."""


def harmless(text: str) -> str:
    """Replace unprintable characters except tabs."""
    return "".join(char if char.isprintable() or char == "\t" else "?" for char in text)


def tell(lines: Iterable[str], stream: TextIO | None = None) -> None:
    """Print lines. Each stays a line, whatever foreign text it contains."""
    (stream or sys.stdout).write("".join(f"{harmless(line)}\n" for line in lines))


def say(*sentences: Message | str) -> None:
    """Print sentences to stderr, wrapped on a terminal."""
    text = printable(" ".join(map(str, sentences)), 2000)
    tell(wrapped(text, width_of(sys.stderr)) if sys.stderr.isatty() else (text,), sys.stderr)


def width_of(stream: TextIO) -> int:
    """Return the columns of a terminal or pipe."""
    return get_terminal_size().columns if stream.isatty() else WIDEST


def show(blocks: Iterable[ui.Block], stream: TextIO | None = None) -> None:
    """Print blocks, in colour on a terminal that shows colours."""
    stream = stream or sys.stdout
    on_terminal = stream.isatty()
    plain_terminal = os.environ.get("NO_COLOR") or os.environ.get("TERM") in (None, "dumb", "vt220", "vt100")
    in_colour = on_terminal and not plain_terminal
    width = min(max(width_of(stream), NARROWEST), WIDEST) if on_terminal else USUAL
    for block in blocks:
        most = width
        match block:
            case ui.Command() | ui.Para(pieces=(ui.Piece(tone=ui.Tone.ACCENT),)) if not on_terminal:
                # Programs that read the output get each command, and each line of a file, on one line.
                most = LONGEST_PARAGRAPH
        for number, line in enumerate(rendered(block, most)):
            shown = harmless(line)
            stream.write(f"{_coloured(shown, block, number) if in_colour else shown}\n")


def rendered(block: ui.Block, width: int) -> Iterator[str]:
    """Yield the lines of a block."""
    match block:
        case ui.Figures():
            yield from _bars(block)
        case ui.Bar():
            yield from _layout(block, width)
        case ui.Command(argv=(line,)):
            yield f"    {_fields(line)}"
        case ui.Command():
            yield from command_lines([printable(word, LONGEST_PARAGRAPH) for word in block.argv], width, 6)
        case _:
            for one in block_lines(block):
                assert not isinstance(one, ui.Command)
                text = _fields(one.text)
                if "\t" in text:
                    yield " " * one.indent + text
                else:
                    for line in wrapped(text, width - one.indent, one.hang):
                        yield (" " * one.indent + line).rstrip()


def _layout(bar: ui.Bar, width: int) -> Iterator[str]:
    sizes = [stretch.size_bytes for stretch in bar.stretches]
    room = width - (len(sizes) - 1)
    cells = [max(1, room * size // (sum(sizes) or 1)) for size in sizes]
    for line in block_lines(bar):
        assert not isinstance(line, ui.Command)
        yield from wrapped(printable(line.text, LONGEST_PARAGRAPH), width, 2)
    if len(cells) < room // 2:
        cells[cells.index(max(cells))] += room - sum(cells)
        yield "|".join(FILLS[stretch.fate] * wide for stretch, wide in zip(bar.stretches, cells, strict=True))


def _fields(line: str) -> str:
    return "\t".join(printable(piece, LONGEST_PARAGRAPH) for piece in line.split("\t"))


def _bars(figures: ui.Figures) -> Iterator[str]:
    most = max((value for _, value, _ in figures.values), default=0) or 1
    if figures.unit != "":
        yield f"{figures.unit}:"
    for name, value, figure in figures.values:
        bar = "#" * ceil(BAR_COLUMNS * max(value, 0) / most)
        named = printable(name, NAME_COLUMNS).ljust(NAME_COLUMNS)
        yield f"  {named} {bar:<{BAR_COLUMNS}} {printable(figure, 60)}"


def _coloured(line: str, block: ui.Block, number: int) -> str:
    match block:
        case ui.Banner(tone=tone) if number == 0:
            return f"\x1b[{SGR.get(tone, '1')}m{line}\x1b[0m"
        case ui.Para(pieces=(ui.Piece(text=text, tone=tone), *_)) if number == 0 and tone in SGR:
            first = harmless(str(text))
            return line.replace(first, f"\x1b[{SGR[tone]}m{first}\x1b[0m", 1)
        case _:
            return line


def deliver(arguments: Namespace, document: str, blocks: Iterable[ui.Block]) -> None:
    """Print the document with --json, otherwise the blocks."""
    if arguments.json:
        sys.stdout.write(document)
    else:
        show(blocks)


def save(file: str, text: str) -> None:
    """Save a document atomically. Raises BadInput if the path is no file, Failed if not writable."""
    write_file(Path(file), text, str(t("The document")))


@contextmanager
def progress_line(beginning: Message) -> "Iterator[Callable[[MeasureProgress], None]]":
    """Print `beginning` at the first report. On a terminal, show progress in one line, cleared at the end."""
    width = max(20, width_of(sys.stderr) - 1) if sys.stderr.isatty() else 0
    begun = False

    def show_progress(progress: "MeasureProgress") -> None:
        nonlocal begun
        if not begun:
            begun = True
            say(beginning)
        if width:
            left = t("At most {seconds:.0f} s left.", seconds=progress.seconds_left)
            line = " ".join(map(str, (*progress.said, left)))
            sys.stderr.write("\r" + line[:width].ljust(width))
            sys.stderr.flush()

    try:
        yield show_progress
    finally:
        if width and begun:
            sys.stderr.write("\r" + " " * width + "\r")
            sys.stderr.flush()
