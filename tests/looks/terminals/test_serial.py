"""A serial line: few bytes, slow, and the same screen as on other terminals."""

import os
import re
import termios
from collections.abc import Iterable
from pathlib import Path
from time import monotonic

import pyte
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.geometry import Region
from textual.strip import Strip

from tests.looks.rehearsal import Hand, Rehearsal, app_of, come, flat, perform, press, ready, until
from tests.looks.terminals.terminal import Terminal as Pty
from tests.looks.workshop import workshop
from wizard.probe.machine import save_machine
from wizard.window import app
from wizard.window import terminal as terminals
from wizard.window.cells import Shown, known
from wizard.window.terminal import Colours, Glyphs, Terminal, serial_baud, terminal_of

COLUMNS, LINES = 20, 5
FIRST_SCREEN = 5_000
"""Bytes: at 9600 baud five seconds. 15 kB would be a quarter of a minute."""
A_KEY = 1_500
SETTLED = 1.5
"""Seconds without a byte."""

inks = st.sampled_from(["none", "bold", "reverse", "red", "bold green", "on blue"]).map(Style.parse)


def screens(letters: str) -> st.SearchStrategy[list[Strip]]:
    """Return screens of some words in some styles."""
    segments = st.builds(Segment, st.text(letters, min_size=1, max_size=6), inks, st.none())
    lines = st.lists(segments, max_size=4)
    strips = lines.map(lambda found: Strip(found).adjust_cell_length(COLUMNS, Style()))
    return st.lists(strips, min_size=LINES, max_size=LINES)


CONSOLE = Console(color_system="standard")


def fresh() -> tuple[pyte.Screen, pyte.Stream]:
    screen = pyte.Screen(COLUMNS, LINES)
    return screen, pyte.Stream(screen)


def cells(screen: pyte.Screen) -> list[tuple[object, ...]]:
    """Return the visible cells. A blank without background is blank in any text colour."""
    seen: list[tuple[object, ...]] = []
    for line in range(LINES):
        for column in range(COLUMNS):
            cell = screen.buffer[line][column]
            plain = cell.data == " " and cell.bg == "default" and not (cell.reverse or cell.underscore)
            seen.append(
                (" ",) if plain else (cell.data, cell.fg, cell.bg, cell.bold, cell.reverse, cell.underscore)
            )
    return seen


def whole(screen: list[Strip]) -> LayoutUpdate:
    return LayoutUpdate([[line] for line in screen], Region(0, 0, COLUMNS, LINES))


def part(screen: list[Strip], y: int, x: int) -> ChopsUpdate:
    """Return an update of a line from a column on."""
    chops = [{0: None, x: line.crop(x) if row == y else None} for row, line in enumerate(screen)]
    return ChopsUpdate(chops, [(y, x, COLUMNS)], [[x, COLUMNS]] * LINES)


@settings(max_examples=150, deadline=None)
@given(st.lists(screens("abc   客"), min_size=1, max_size=4))
def test_omitted_cells_are_already_on_screen(shown: list[list[Strip]]) -> None:
    compared(whole(screen) for screen in shown)


@settings(max_examples=100, deadline=None)
@given(screens("abc   "), screens("abc   "), st.integers(0, LINES - 1), st.integers(1, 8))
def test_part_of_a_line_is_updated(first: list[Strip], then: list[Strip], y: int, x: int) -> None:
    compared([whole(first), part(then, y, x), whole(then), part(first, y, x)])


def compared(updates: Iterable[CompositorUpdate]) -> None:
    """Check that the differences have the same effect as the updates."""
    (full, all_of_it), (spared, some_of_it), known_lines = fresh(), fresh(), Shown()
    for update in updates:
        all_of_it.feed(update.render_segments(CONSOLE).replace("\n", ""))
        difference = known_lines.difference(update)
        some_of_it.feed(difference.render_segments(CONSOLE) if difference else "")
        assert cells(spared) == cells(full)


def test_repeated_frame_is_free_and_questions_are_not_sent() -> None:
    shown = Shown()
    screen = [Strip([Segment("the words")]).adjust_cell_length(COLUMNS, Style())] * LINES
    once = shown.difference(whole(screen))
    assert once is not None and "the words\x1b[K" in once.render_segments(CONSOLE)
    assert shown.difference(whole(screen)) is None
    assert known("\x1b[>25u\x1b[?2026$p\x1b]22;default\x07\x1b[?2004h\x1b[?25l") == "\x1b[?25l"
    assert known("\x1b[?1049h\x1b[2;3H\x1b[0;1mword\x1b[K") == "\x1b[?1049h\x1b[2;3H\x1b[0;1mword\x1b[K"


def settle(line: Pty) -> None:
    """Wait until the output stops. Unrequested changes are drawn once per second."""
    end = monotonic() + SETTLED
    while monotonic() < end:
        before = len(line.received)
        line.read()
        end = monotonic() + SETTLED if len(line.received) > before else end


def test_first_screen_and_a_key_take_few_bytes(tmp_path: Path) -> None:
    save_machine(tmp_path / "m.json", workshop())
    with Pty("--machine", str(tmp_path / "m.json"), TERM="vt220") as line:
        line.until(lambda: "2 dangers" in line.text and "1 warning" in line.text and "sda  ST80" in line.text)
        settle(line)
        first = len(line.received)
        assert first < FIRST_SCREEN
        line.press("down")
        line.until("> sdb")
        settle(line)
        assert len(line.received) - first < A_KEY
        sequences = set(re.findall(rb"\x1b(?:\[[0-9;?<>=$]*[ -/]*[a-zA-Z]|.)", line.received))
        strange = {
            found
            for found in sequences
            if not re.fullmatch(rb"\x1b\[([0-9;]*[HmJK]|\?(25|7|1049)[hl])", found)
        }
        assert not strange, "a vt220 knows none of these"
        line.press("q")
        assert line.ended() == 0
    assert line.text.strip() == "", "the next prompt stands on an empty screen"


def test_serial_line_is_recognised_by_its_name_and_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    speeds = {
        "/dev/ttyS0": termios.B115200,
        "/dev/ttyUSB0": termios.B9600,
        "/dev/ttyS1": termios.B921600,
        "/dev/pts/3": termios.B38400,
    }
    slow = {}
    for name, speed in speeds.items():
        monkeypatch.setattr(os, "ttyname", lambda descriptor, name=name: name)
        monkeypatch.setattr(
            termios, "tcgetattr", lambda descriptor, speed=speed: [0, 0, 0, 0, speed, speed, []]
        )
        found = terminal_of({"TERM": "xterm-256color"}, serial_baud(2))
        slow[name] = found.slow
        assert found.colours is (Colours.EIGHT if found.slow else Colours.ANY)
    assert slow == {"/dev/ttyS0": True, "/dev/ttyUSB0": True, "/dev/ttyS1": False, "/dev/pts/3": False}
    assert terminals.terminal_of({"TERM": "vt102"}).slow and not terminals.terminal_of({"TERM": "linux"}).slow
    monkeypatch.undo()
    with (tmp := os.fdopen(os.open(os.devnull, os.O_RDONLY))):
        assert serial_baud(tmp.fileno()) is None


@pytest.mark.parametrize("period", [1000.0, 0.05])
def test_automatic_changes_are_drawn_once_per_period(period: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "SELDOM", period)

    async def job(pilot: Hand) -> None:
        await ready_at_once(pilot)
        await press(pilot, "t")
        await come(pilot, "trial")
        await press(pilot, "enter")
        window = app_of(pilot)
        drawn: list[bool] = []
        show = window._show

        async def counted() -> None:
            drawn.append(True)
            await show()

        monkeypatch.setattr(window, "_show", counted)
        begun = monotonic()
        for _ in range(60):
            window.desk.changed()
            await pilot.pause(0.005)
        assert len(drawn) <= 1 + (monotonic() - begun) / period
        services.measured.set()
        if period < 1:
            await until(lambda: not window.view.busy and "faster" in flat(pilot), pilot)

    services = Rehearsal()
    perform(job, services, terminal=Terminal(Glyphs.ASCII, Colours.NONE, slow=True))
    services.measured.set()


async def ready_at_once(pilot: Hand) -> None:
    """Check that a key refreshes the screen at once, however slow the refresh rate is."""
    await until(lambda: not app_of(pilot).desk.view.busy, pilot)
    await press(pilot, "down", "up")
    await ready(pilot)
