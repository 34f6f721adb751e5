"""Run the full-screen wizard until it exits."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from shutil import get_terminal_size

from wizard.host.contract import Services
from wizard.model.errors import ExitCode, printable
from wizard.ui.desk import Desk
from wizard.ui.view import View
from wizard.window.terminal import Glyphs, Terminal, serial_baud, terminal_of

SECOND, FIRST = "\x1b[?1049h", "\x1b[?1049l"
"""The terminal's other screen, and its first."""
CLEAR = "\x1b[H\x1b[2J"


def run_window(services: Services, drive: str = "", part: str = "") -> ExitCode:
    """Show the wizard until it ends, from `drive` or its `part` on where they are named; the exit code of the
    program. A run that is still at work goes on without it."""
    if not sys.stderr.isatty():
        # Textual draws on standard error; what was redirected there would get the screen, and the person
        # nothing.
        os.dup2(sys.stdout.fileno(), sys.stderr.fileno())
    desk = Desk(services)
    # The drives are read while Textual loads.
    desk.begin(drive, part)
    terminal = terminal_of(os.environ, serial_baud(sys.stderr.fileno()))
    with names_first(desk.view, terminal, get_terminal_size()):
        from wizard.window.app import Window
    window = Window(desk, terminal)
    try:
        window.run(mouse=wants_mouse(terminal))
    finally:
        desk.end()
    if window.return_code:
        return ExitCode.FAILED
    # The last screen is gone from the terminal with all that it told.
    sys.stderr.writelines(f"{line}\n" for line in desk.farewell())
    return desk.exit_code()


def wants_mouse(terminal: Terminal) -> bool:
    """Not on a console or a serial line, where there is none."""
    return (
        os.environ.get("DISKWRIGHT_MOUSE", "1") != "0" and terminal.glyphs is Glyphs.ALL and not terminal.slow
    )


@contextmanager
def names_first(view: View, terminal: Terminal, size: os.terminal_size) -> Iterator[None]:
    """Show the names of the drives until Textual is loaded, which takes seconds on a slow machine. On a slow
    line nothing is sent twice."""
    if terminal.slow:
        yield
        return
    sys.stderr.write(SECOND + CLEAR + early_frame(view, terminal.glyphs, size))
    sys.stderr.flush()
    try:
        yield
    except BaseException:
        sys.stderr.write(FIRST)
        sys.stderr.flush()
        raise


def early_frame(view: View, glyphs: Glyphs, size: os.terminal_size) -> str:
    """The program's name, the title and the rows, about where each will stand. Pure."""
    rows = view.rows.rows if view.rows else ()
    told = [" diskwright", "", f"  {view.title}"]
    told += ["  " + "  ".join(str(cell.text) for cell in row.cells if str(cell.text)) for row in rows]
    text = "\r\n".join(printable(one, size.columns - 1) for one in told[: size.lines - 1])
    return text if glyphs is Glyphs.ALL else text.encode("ascii", "replace").decode()
