"""`diskwright demo`: the whole wizard on a demo drive. Without a terminal, a script answers the questions."""

import os
import sys
from argparse import Namespace
from io import BytesIO
from pathlib import Path
from signal import SIGINT, signal

from wizard.apply.run.backup_store import Environment
from wizard.cli.open_wizard import plain_hint, report_page
from wizard.demo.drive import DemoDrive, demo_drive, loop_devices
from wizard.host.services import Services
from wizard.model.errors import ExitCode, Failed
from wizard.model.said import t
from wizard.window.terminal import terminal_of

FSTAB = Path("/etc/fstab")

SET_UP = ("1", "A", "2", "")
"""Answers from the list of drives to the review: the drive, replace all, large media files, review."""
PROBE = "diskwright-demo"
"""Content of the file that tests the volume."""


def demo(arguments: Namespace) -> ExitCode:
    """Run the wizard on the demo drive, or the unattended demo."""
    on_terminal = sys.stdin.isatty() and sys.stdout.isatty() and not arguments.by_itself
    if not arguments.plain and not on_terminal:
        return walk_through()
    with demo_drive() as drive:
        if arguments.plain or not terminal_of(os.environ).addressable:
            # Import late: the window does not need this, and the other way round.
            from wizard.plain.app import run_lines

            return run_lines(_services(drive), "" if arguments.plain else plain_hint())
        from wizard.window.run import run_window

        return run_window(_services(drive))


def _services(drive: DemoDrive) -> Services:
    """Return services that see only the demo drive and write only to the demo's folder."""
    from wizard.host.this_system import RealServices

    environment = Environment(fstab=drive.fstab, only=frozenset({drive.path}))
    return RealServices(
        only=(drive.path,),
        environment=environment,
        journal_dir=drive.runs,
        mounts=drive.mounts,
        page_of=report_page,
    )


def walk_through() -> ExitCode:
    """Set up the drive, undo, set up again, and keep. Raises Failed unless the volume is then in use, and
    nothing remains of the demo."""
    from wizard.plain.app import run_lines
    from wizard.plain.prompt import Ended

    def end(*_: object) -> None:
        raise Ended

    # Nobody can answer what Ctrl+C should do.
    signal(SIGINT, end)
    fstab = _content(FSTAB)
    with demo_drive() as drive:
        set_up = (*SET_UP, drive.path.removeprefix("/dev/"))
        answers = (*set_up, "U", "y", "", *set_up, "K", "y", "q")
        code = run_lines(_services(drive), answers=BytesIO("\n".join((*answers, "")).encode()))
        if code is not ExitCode.DONE:
            return code
        volume = drive.mounts / "media"
        if not volume.is_mount():
            raise Failed(t("The demo's volume is not mounted at {folder}.", folder=str(volume)))
        file = volume / PROBE
        file.write_text(PROBE)
        if file.read_text() != PROBE:
            raise Failed(t("{file} cannot be read back.", file=str(file)))
    if drive.folder.exists() or loop_devices(drive.image):
        raise Failed(t("The demo drive was not removed: {folder}", folder=str(drive.folder)))
    if _content(FSTAB) != fstab:
        raise Failed(t("The demo changed {file}.", file=str(FSTAB)))
    print(t("The demo passed: set up, undone, set up again, kept and used. The demo drive is removed."))
    return ExitCode.DONE


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None
