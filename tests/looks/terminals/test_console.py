"""The real program on a text console, on a terminal of 1983, without colours, and without a screen."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.looks.terminals.terminal import ROOT, Terminal
from tests.looks.workshop import workshop
from wizard.probe.machine import save_machine

SAFE = set(map(chr, range(0x20, 0x7F))) | set("─│┌┐└┘├┤┬┴┼═║╔╗╚╝╠╣╦╩╬█░▒▼►←↑→↓•■")
"""Written down here once more on purpose: what Debian's console fonts and code page 437 have."""

COLOURS = {"default", "black", "red", "green", "brown", "blue", "magenta", "cyan", "white"}
"""pyte's names of the eight."""

SGR = re.compile(rb"\x1b\[([0-9;]*)m")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("looks") / "recorded.json"
    save_machine(path, workshop())
    return path


def looked_at(terminal: Terminal) -> Iterator[str]:
    """Walk by keys from Drives to the last question, and return each screen."""
    terminal.until(lambda: "ST8000DM004" in terminal.text and "Stick" in terminal.text)
    terminal.press("down")
    terminal.until("serial 4KN00042")
    yield "drives"
    for key, words in (
        ("f1", "Help"),
        ("f2", "Glossary"),
        ("w", "Why:"),
        ("i", "Identity"),
        ("a", "Test speed"),
    ):
        terminal.press(key)
        terminal.until(words)
        yield words
        terminal.press("escape")
        terminal.until("[a] actions")
    for words in ("What will you store?", "Mounted at", "What will be done"):
        terminal.press("enter")
        terminal.until(words)
        yield words
        if words == "Mounted at":
            for key, more in (
                ("e", "Who may write"),
                ("f", "recommended"),
                ("o", "Options"),
                ("v", "wipefs"),
            ):
                terminal.press(key)
                terminal.until(more)
                yield more
                terminal.press("escape")
                terminal.until("[+] add")
    terminal.press("f3")
    terminal.until("wipefs")
    yield "commands"
    terminal.press("escape")
    terminal.until("What will be done")
    terminal.press("escape")
    terminal.until("[+] add")
    terminal.press("q")
    terminal.until("[y]")
    yield "question"


def grounds(terminal: Terminal) -> set[str]:
    """Return the background colours of the cells."""
    cells = (cell for y in range(2, 20) for cell in terminal.screen.buffer[y].values())
    return {cell.fg if cell.reverse else cell.bg for cell in cells}


def parameters(received: bytes) -> set[str]:
    """Return every number in every SGR sequence."""
    return {number for match in SGR.finditer(received) for number in match[1].decode().split(";")}


def test_text_console_gets_only_supported_glyphs(recorded: Path) -> None:
    with Terminal("--machine", str(recorded), TERM="linux") as terminal:
        for name in looked_at(terminal):
            for y, line in enumerate(terminal.screen.display):
                assert set(line) <= SAFE, f"{name}, line {y}: {set(line) - SAFE} in {line!r}"
                for x in range(80):
                    cell = terminal.screen.buffer[y][x]
                    assert cell.fg in COLOURS and cell.bg in COLOURS, f"{name}, line {y}: {cell}"
                    assert not (cell.bold and (cell.reverse or cell.bg in ("white", "cyan"))), (
                        f"{name}, line {y}: bold on the cursor"
                    )
            assert any(key in terminal.text for key in ("quit", "[Esc]", "[y]")), name
            if name == "Who may write":
                # The first two fields are turned; a letter goes into the third.
                terminal.press("down", "down")
                terminal.until(lambda: "white" in grounds(terminal))
        terminal.press("y")
        assert terminal.ended() == 0
        assert not terminal.text.strip(), (
            "the console has no second screen: the prompt would stand amid the wizard's"
        )
    allowed = {
        "",
        "0",
        "1",
        "4",
        "7",
        "22",
        "24",
        "27",
        "39",
        "49",
        *map(str, range(30, 38)),
        *map(str, range(40, 48)),
    }
    assert parameters(terminal.received) <= allowed, parameters(terminal.received) - allowed
    assert b"Traceback" not in terminal.received


@pytest.mark.parametrize(
    ("environment", "ascii_only"),
    [({"TERM": "vt220"}, True), ({"TERM": "xterm-256color", "NO_COLOR": "1"}, False)],
)
def test_states_are_distinguishable_without_colours(
    recorded: Path, environment: dict[str, str], ascii_only: bool
) -> None:
    wizard = (sys.executable, "-m", "wizard")
    arguments = ("--machine", str(recorded))
    with Terminal(*arguments, program=wizard, columns=80, lines=24, cwd=ROOT, **environment) as terminal:
        for name in looked_at(terminal):
            text = terminal.text
            assert text.isascii() or not ascii_only, f"{name}: {sorted(set(text) - SAFE)}"
            if name in ("drives", "What will you store?", "Mounted at"):
                (marked,) = [y for y, line in enumerate(terminal.screen.display) if line[:2] in ("> ", "▌ ")]
                assert terminal.screen.buffer[marked][3].reverse, f"{name}: the cursor is not seen"
            if name == "recommended" and ascii_only:
                assert "(*)" in text
        terminal.press("y")
        assert terminal.ended() == 0
    colours = {
        number
        for number in parameters(terminal.received)
        if number and int(number) >= 30 and number not in ("39", "49")
    }
    assert not colours


def test_terminal_is_restored(recorded: Path) -> None:
    with Terminal("--machine", str(recorded), TERM="xterm-256color") as terminal:
        terminal.until("ST8000DM004")
        terminal.press("q")
        assert terminal.ended() == 0
    assert b"\x1b[?1049l" in terminal.received and b"\x1b[?25h" in terminal.received
    assert (b"\x1b[?1000h" in terminal.received) == (b"\x1b[?1000l" in terminal.received)


@pytest.mark.parametrize("term", ["dumb", ""])
def test_terminal_without_cursor_control_gets_plain_mode(recorded: Path, term: str) -> None:
    with Terminal("--machine", str(recorded), TERM=term) as terminal:
        terminal.until(lambda: terminal.text.rstrip().endswith("Answer:"))
        assert b"\x1b" not in terminal.received
    assert b"asks line by line" in b" ".join(terminal.received.split())


def test_missing_terminal_is_reported(recorded: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "wizard", "--machine", str(recorded)],
        cwd=ROOT,
        env={**os.environ, "TERM": "xterm-256color"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (2, "") and "diskwright --help" in done.stderr


def test_invalid_recording_is_reported_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"schema": "diskwright.plan/1"}')
    with Terminal("--machine", str(tmp_path / "x.json"), TERM="linux") as terminal:
        assert terminal.ended() == 2
    assert (
        "not a diskwright.facts" in terminal.text.replace("\n", "")
        and b"\x1b[?1049h" not in terminal.received
    )


def test_closed_terminal_ends_the_wizard(recorded: Path) -> None:
    terminal = Terminal("--machine", str(recorded), TERM="linux")
    terminal.until("nvme0n1")
    os.close(terminal.fd)
    _, status = os.waitpid(terminal.pid, 0)
    assert status != 0
