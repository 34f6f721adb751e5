"""`diskwright` without a command: the wizard, full screen or line by line. `diskwright demo`: the wizard on a
demo drive; without a terminal, a script answers the questions."""

import os
import sys
from argparse import Namespace
from io import BytesIO
from pathlib import Path
from signal import SIGINT, signal

from wizard.apply.run.backup_store import Environment
from wizard.cli.output import say
from wizard.demo.drive import DemoDrive, demo_drive, loop_devices
from wizard.host.services import Services
from wizard.model.errors import BadInput, ExitCode, Failed
from wizard.model.said import t
from wizard.probe.host.sysfs import node_of
from wizard.probe.machine import recorded_drive
from wizard.window.terminal import terminal_of


def open_wizard(arguments: Namespace) -> ExitCode:
    """Open the wizard full screen, or line by line if requested or if the terminal cannot show screens."""
    on_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if not on_terminal and not arguments.plain:
        say(
            t(
                "The wizard needs a terminal for input and output. `diskwright --plain` asks line by line, "
                "through pipes and files too. `diskwright --help` lists commands for all functions."
            )
        )
        return ExitCode.USAGE
    services = _services(arguments)
    return _open(services, arguments.plain, *begun_at(services, arguments))


def _open(services: Services, plain: bool, drive: str = "", part: str = "") -> ExitCode:
    """Each interface is loaded late: neither needs the other."""
    if not plain and terminal_of(os.environ).addressable:
        from wizard.window.run import run_window

        return run_window(services, drive, part)
    from wizard.plain.app import run_lines

    hint = t(
        "TERM is {name}, so full-screen mode is unavailable here. The wizard asks line by line, as with "
        "--plain.",
        name=os.environ.get("TERM") or '""',
    )
    return run_lines(services, "" if plain else str(hint), drive, part)


def _services(arguments: Namespace) -> Services:
    if arguments.machine is None:
        return Services(journal_dir=arguments.journal, page_of=report_page)
    from wizard.probe.machine import load_machine

    return Services(load_machine(Path(arguments.machine)), arguments.machine)


def report_page(run: Path) -> str:
    """Return a run's report, which the wizard saves."""
    from wizard.report.gather import Sources, make_report
    from wizard.report.page import render_page

    return render_page(make_report(Sources(run=run)))


def begun_at(services: Services, arguments: Namespace) -> tuple[str, str]:
    """Return the named drive and partition, or empty strings. Raises BadInput if the wizard does not list the
    drive."""
    if not arguments.device:
        return "", ""
    named = arguments.device
    if arguments.machine is not None:
        machine = services.probe(lambda _: None)
        owner = next((one for one in machine.drives if one.partition(named)), None)
        path = (owner or recorded_drive(machine, named)).path
        return path, "" if named == path else named
    from wizard.probe.machine import drive_name, drive_under

    under = drive_under(named)
    drive = under or node_of(drive_name(named))
    if drive not in services.drive_paths():
        raise BadInput(t("The wizard does not list {drive}; see `diskwright inspect {drive}`.", drive=drive))
    return drive, str(Path(named).resolve()) if under else ""


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
        return _open(_demo_services(drive), arguments.plain)


def _demo_services(drive: DemoDrive) -> Services:
    """Services that see only the demo drive and write only to its folder."""
    environment = Environment(fstab=drive.fstab, only=frozenset({drive.path}))
    return Services(
        only=(drive.path,),
        environment=environment,
        journal_dir=drive.runs,
        mounts=drive.mounts,
        page_of=report_page,
    )


def walk_through() -> ExitCode:
    """Set up, undo, set up again, keep. Raises Failed unless the volume is then in use, and nothing remains
    of the demo."""
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
        code = run_lines(_demo_services(drive), answers=BytesIO("\n".join((*answers, "")).encode()))
        if code is not ExitCode.DONE:
            return code
        volume = drive.mounts / "media"
        file = volume / PROBE
        if not volume.is_mount() or not file.write_text(PROBE) or file.read_text() != PROBE:
            raise Failed(t("The demo's volume is not mounted and usable at {folder}.", folder=volume))
    if drive.folder.exists() or loop_devices(drive.image):
        raise Failed(t("Cannot delete {folder}.", folder=drive.folder))
    if _content(FSTAB) != fstab:
        raise Failed(t("The demo changed {file}.", file=FSTAB))
    print(t("The demo passed: set up, undone, set up again, kept and used. The demo drive is removed."))
    return ExitCode.DONE


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None
