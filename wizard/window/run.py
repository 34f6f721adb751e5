"""From services to the end of the window."""

from __future__ import annotations

import os
import sys
from shutil import get_terminal_size

from wizard.desk.desk import Desk
from wizard.model.errors import ExitCode
from wizard.services.contract import Services
from wizard.window.console.early import names_first
from wizard.window.console.terminal import Glyphs, Terminal, serial_baud, terminal_of


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
