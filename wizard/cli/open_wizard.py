"""`diskwright` without a command: the wizard, full screen or line by line."""

import os
import sys
from argparse import Namespace
from pathlib import Path

from wizard.cli.command import help_width, plain, root
from wizard.cli.output import say
from wizard.host.services import RecordedServices, Services
from wizard.model.errors import BadInput, ExitCode
from wizard.model.said import t
from wizard.probe.host.sysfs import node_of
from wizard.window.terminal import terminal_of


def open_wizard(arguments: Namespace) -> ExitCode:
    """Open the wizard full screen, or line by line if requested or if the terminal cannot show screens."""
    on_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if not on_terminal and not arguments.plain:
        return _tell_commands()
    if arguments.plain or not terminal_of(os.environ).addressable:
        from wizard.plain.app import run_lines

        services = _services(arguments)
        hint = "" if arguments.plain else plain_hint()
        return run_lines(services, hint, *begun_at(services, arguments))
    # Textual loads slowly, so import late.
    from wizard.window.run import run_window

    services = _services(arguments)
    return run_window(services, *begun_at(services, arguments))


def plain_hint() -> str:
    """Return why full-screen mode is unavailable."""
    name = os.environ.get("TERM")
    why = t("TERM is {name}", name=name) if name else t("TERM is not set")
    return str(
        t(
            "{why}, so full-screen mode is unavailable here. The wizard asks line by line, as with --plain.",
            why=why,
        )
    )


def _tell_commands() -> ExitCode:
    """List the commands that work without a terminal."""
    say(
        t(
            "The wizard needs a terminal for input and output. `diskwright --plain` asks line by line, "
            "through pipes and files too."
        )
    )
    say(t("All functions are also available as commands:"))
    for example in (
        plain("inspect"),
        plain("advise DEVICE --workload ID"),
        root("plan DEVICE --workload ID -o plan.json"),
        plain("show plan.json"),
        root("apply plan.json --confirm TOKEN"),
    ):
        for line in example.lines(help_width()):
            say(line)
    return ExitCode.USAGE


def _services(arguments: Namespace) -> Services:
    """Return the services of this machine or of the recorded one."""
    from wizard.host.this_system import RealServices

    if arguments.machine is None:
        return RealServices(journal_dir=arguments.journal, page_of=report_page)
    from wizard.probe.machine import load_machine

    return RecordedServices(load_machine(Path(arguments.machine)), arguments.machine)


def report_page(run: Path) -> str:
    """Return the report on a run, which the wizard saves."""
    from wizard.report.gather import Sources, make_report
    from wizard.report.page import render_page

    return render_page(make_report(Sources(run=run)))


def begun_at(services: Services, arguments: Namespace) -> tuple[str, str]:
    """Return the named drive, and the partition if named; otherwise empty strings. Raises BadInput if the
    wizard does not list the drive."""
    if not arguments.device:
        return "", ""
    named = arguments.device
    if arguments.machine is not None:
        from wizard.cli.machines import not_recorded

        machine = services.probe(lambda _: None)
        owner = next((one for one in machine.drives if one.partition(named)), machine.drive(named))
        if owner is None:
            raise BadInput(not_recorded(machine, named, str(arguments.machine)))
        return owner.path, "" if named == owner.path else named
    from wizard.probe.machine import drive_name, drive_under

    under = drive_under(named)
    drive = under or node_of(drive_name(named))
    if drive not in services.drive_paths():
        raise BadInput(t("The wizard does not list {drive}; see `diskwright inspect {drive}`.", drive=drive))
    return drive, str(Path(named).resolve()) if under else ""
