"""A serial line: few bytes, slow, and the same screen as on other terminals."""

import os
import re
import termios
from pathlib import Path
from time import monotonic

import pyte
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.looks.rehearsal import Hand, Rehearsal, app_of, come, flat, perform, press, ready, until
from tests.looks.terminals.terminal import Terminal as Pty
from tests.looks.workshop import workshop
from wizard.probe.machine import save_machine
from wizard.window import app
from wizard.window import terminal as terminals
from wizard.window.minimal_output import SentLines
from wizard.window.terminal import Colours, Glyphs, Terminal, serial_baud, terminal_of

COLUMNS, LINES = 20, 5
FIRST_SCREEN = 5_000
"""Bytes: at 9600 baud five seconds. 15 kB would be a quarter of a minute."""
A_KEY = 1_500
SETTLED = 1.5
"""Seconds without a byte."""

inks = st.sampled_from(["", "0", "4", "7", "31", "1;32", "39;49", "44", "0;7"]).map(
    lambda numbers: f"\x1b[{numbers}m"
)
moves = st.builds(lambda line, column: f"\x1b[{line};{column}H", st.integers(1, LINES), st.integers(1, 8))
words = st.text("abc   ", min_size=1, max_size=6)
spaces = st.sampled_from([" " * 12, " " * 8])
full_lines = st.builds(lambda line, ink: f"\x1b[{line};1H{ink}ab{' ' * 18}", st.integers(1, LINES), inks)
frames = st.lists(
    st.one_of(inks, moves, full_lines, st.tuples(moves, words | spaces).map("".join)),
    max_size=30,
)


def fresh() -> tuple[pyte.Screen, pyte.Stream]:
    screen = pyte.Screen(COLUMNS, LINES)
    return screen, pyte.Stream(screen)


def cells(screen: pyte.Screen) -> list[tuple[object, ...]]:
    """Return the visible cells. A blank is blank in any text colour."""
    seen: list[tuple[object, ...]] = []
    for line in range(screen.lines):
        for column in range(screen.columns):
            cell = screen.buffer[line][column]
            plain = cell.data == " " and not (cell.reverse or cell.underscore)
            seen.append(
                (" ", cell.bg)
                if plain
                else (cell.data, cell.fg, cell.bg, cell.bold, cell.reverse, cell.underscore)
            )
    return seen


def tidy(frame: list[str]) -> str:
    """Check that no colour remains set, as after Textual's output."""
    return "".join(frame) + "\x1b[0m"


@settings(max_examples=150, deadline=None)
@given(st.lists(frames.map(tidy), min_size=1, max_size=4))
def test_omitted_cells_are_already_on_screen(written: list[str]) -> None:
    (whole, all_of_it), (spared, some_of_it), shown = fresh(), fresh(), SentLines()
    for data in written:
        all_of_it.feed(data)
        some_of_it.feed(shown.changed(data, COLUMNS))
    assert cells(spared) == cells(whole)
    # After a full line, pyte puts the cursor after the last column.
    assert (spared.cursor.y, spared.cursor.x) == (whole.cursor.y, min(whole.cursor.x, COLUMNS - 1))


def test_wide_characters_take_two_cells() -> None:
    (screen, stream), shown = fresh(), SentLines()
    for text in ("\x1b[1;1Ha客b", "\x1b[1;1Ha客c", "\x1b[1;1Hxyzc"):
        stream.feed(shown.changed(text, COLUMNS))
    assert screen.display[0].rstrip() == "xyzc"


def test_repeated_frame_is_free_and_questions_are_not_sent() -> None:
    shown = SentLines()
    once = shown.changed("\x1b[?1049h\x1b[2;3Hthe words\x1b[1;1H", COLUMNS)
    assert "the words" in once and once.startswith("\x1b[?1049h\x1b[0m\x1b[H\x1b[2J")
    assert shown.changed("\x1b[2;3Hthe words\x1b[1;1H", COLUMNS) == ""
    questions = "\x1b[>25u\x1b[?2026$p\x1b]22;default\x07\x1b[?2004h"
    assert shown.changed(f"{questions}\x1b[?25l", COLUMNS) == "\x1b[?25l"


def settle(line: Pty, seconds: float = SETTLED) -> None:
    """Wait until the output stops. On a slow line, unrequested changes are drawn once per second."""
    end = monotonic() + seconds
    while monotonic() < end:
        before = len(line.received)
        line.read()
        end = monotonic() + seconds if len(line.received) > before else end


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


@pytest.mark.parametrize(("term", "saved"), [("xterm-256color", 2), ("vt220", 1)])
def test_key_sends_what_changed_and_ctrl_l_repairs_the_screen(tmp_path: Path, term: str, saved: int) -> None:
    save_machine(tmp_path / "m.json", workshop())
    with Pty("--machine", str(tmp_path / "m.json"), TERM=term, columns=200, lines=50) as terminal:
        terminal.until(lambda: "2 dangers" in terminal.text and "1 warning" in terminal.text)
        settle(terminal)
        for key in ("down", "down", "?", "escape", "tab", "down"):
            before = len(terminal.received)
            terminal.press(key)
            settle(terminal, 0.4)
            sent, seen = len(terminal.received) - before, cells(terminal.screen)
            terminal.stream.feed(b"\x1b[5;5Hmessage of the kernel")
            assert cells(terminal.screen) != seen
            before = len(terminal.received)
            terminal.press("\x0c")
            settle(terminal, 0.4)
            assert cells(terminal.screen) == seen, key
            assert key in ("?", "escape") or saved * sent < len(terminal.received) - before


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
        draw = window._draw

        def counted() -> None:
            drawn.append(True)
            draw()

        monkeypatch.setattr(window, "_draw", counted)
        begun = monotonic()
        for _ in range(60):
            window.desk.changed()
            await pilot.pause(0.005)
        assert len(drawn) <= 1 + (monotonic() - begun) / period
        services.measured.set()
        if period < 1:
            await until(lambda: not window.keyboard.view.busy and "faster" in flat(pilot), pilot)

    services = Rehearsal()
    perform(job, services, terminal=Terminal(Glyphs.ASCII, Colours.NONE, slow=True))
    services.measured.set()


async def ready_at_once(pilot: Hand) -> None:
    """Check that a key refreshes the screen at once, however slow the refresh rate is."""
    await until(lambda: not app_of(pilot).desk.view.busy, pilot)
    await press(pilot, "down", "up")
    await ready(pilot)
