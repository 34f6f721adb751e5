"""Run the full-screen wizard until it exits."""

import os
import select
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from shutil import get_terminal_size

from wizard.host.services import Services
from wizard.model.errors import ExitCode, printable
from wizard.ui.desk import Desk
from wizard.ui.view import Para, View
from wizard.ui.wizard import Wizard
from wizard.window.terminal import CLEAR, FIRST, SECOND, Glyphs, Terminal, serial_baud, terminal_of


def run_window(services: Services, drive: str = "", part: str = "") -> ExitCode:
    """Run the wizard and return the exit code. Starts with `drive` or the `part` if given. A run in progress
    continues after exit."""
    if not sys.stderr.isatty():
        # Textual draws on stderr, which must be the terminal.
        os.dup2(sys.stdout.fileno(), sys.stderr.fileno())
    desk = Wizard(services)
    # Read the drives while Textual loads.
    desk.begin(drive, part)
    terminal = terminal_of(os.environ, serial_baud(sys.stderr.fileno()))
    with shown_early(desk, terminal, get_terminal_size()):
        from wizard.window.app import Window
    window = Window(desk, terminal)
    threading.Thread(target=_end_on_hangup, args=(sys.stdin.fileno(),), daemon=True).start()
    try:
        window.run(mouse=wants_mouse(terminal))
    finally:
        desk.end()
    if window.return_code:
        return ExitCode.FAILED
    # The terminal no longer shows the last screen.
    sys.stderr.writelines(f"{line}\n" for line in desk.farewell())
    return desk.exit_code()


def _end_on_hangup(descriptor: int) -> None:
    """Wait until the terminal is gone, and end the process. The kernel signals this only for the session's
    own terminal; otherwise Textual would read forever."""
    terminal = select.poll()
    terminal.register(descriptor, 0)
    terminal.poll()
    os.kill(os.getpid(), signal.SIGTERM)


def wants_mouse(terminal: Terminal) -> bool:
    """Return False on a console or serial line, which has no mouse."""
    return (
        os.environ.get("DISKWRIGHT_MOUSE", "1") != "0" and terminal.glyphs is Glyphs.ALL and not terminal.slow
    )


FIRST_SECONDS = 0.2
"""Longest time to wait for the first drive before Textual loads."""


@contextmanager
def shown_early(desk: Desk, terminal: Terminal, size: os.terminal_size) -> Iterator[None]:
    """Show the drives as plain text while Textual loads, which takes seconds on a slow machine. Skips slow
    lines."""
    if terminal.slow:
        yield
        return
    drawing, drawn, over, described = threading.Lock(), "", False, threading.Event()

    def draw() -> None:
        nonlocal drawn
        frame = early_frame(desk.view, terminal.glyphs, size)
        with drawing:
            if not over and frame != drawn:
                sys.stderr.write((CLEAR if drawn else SECOND + CLEAR) + frame)
                sys.stderr.flush()
                drawn = frame
        if desk.answered:
            described.set()

    def end() -> None:
        nonlocal over
        with drawing:
            over = True

    desk.changed = draw
    try:
        draw()
        # Only one thread runs at a time, so loading would delay the first description.
        described.wait(FIRST_SECONDS)
        yield
    except BaseException:
        end()
        sys.stderr.write(FIRST)
        sys.stderr.flush()
        raise
    end()


def early_frame(view: View, glyphs: Glyphs, size: os.terminal_size) -> str:
    """Return program name, titles, rows and paragraphs as plain text. Pure."""
    rows = view.rows.rows if view.rows else ()
    lines = [" diskwright", "", f"  {view.title}"]
    lines += ["  " + "  ".join(str(cell.text) for cell in row.cells if str(cell.text)) for row in rows]
    for pane in view.panes:
        paras = (block for block in pane.blocks if isinstance(block, Para))
        lines += [
            "",
            f"  {pane.title}",
            *("  " + " ".join(str(one.text) for one in para.pieces) for para in paras),
        ]
    text = "\r\n".join(printable(one, size.columns - 1) for one in lines[: size.lines - 1])
    return text if glyphs is Glyphs.ALL else text.encode("ascii", "replace").decode()
