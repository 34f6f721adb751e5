"""`diskwright` without a command: the wizard, on a screen or line by line."""

import os
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from wizard.faces.itself.words import walk as words
from wizard.faces.showing.command import Command, help_width, plain, root
from wizard.faces.showing.console import say
from wizard.faces.words.shared import not_recorded
from wizard.model.errors import BadInput, ExitCode
from wizard.model.names import printable
from wizard.probe.host.sysfs import node_of
from wizard.services.contract import Services
from wizard.window.console.terminal import terminal_of


def parser() -> ArgumentParser:
    """Options of the wizard."""
    made = Command(
        "",
        words.SAYS(),
        (
            root(says=words.SET_UP()),
            plain(says=words.NO_ROOT()),
            root("/dev/sdX", says=words.FROM_DRIVE()),
            plain("--machine", "recorded.json", says=words.RECORDED()),
            root("--plain", says=words.BY_LINE()),
        ),
        (words.ABOUT_SCREENS(), words.ABOUT_VARIABLES()),
    )
    made.add_argument("device", metavar="DEVICE", nargs="?", default="", help=str(words.DEVICE()))
    made.add_argument("--machine", metavar="FILE", type=Path, help=str(words.MACHINE()))
    made.add_journal(words.JOURNAL())
    made.add_argument("--plain", action="store_true", help=str(words.PLAIN()))
    return made


def main(arguments: Namespace) -> ExitCode:
    """Open the wizard: on a screen, or line by line where that is asked for or the terminal can do no
    more."""
    on_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if not on_terminal and not arguments.plain:
        return _tell_commands()
    if arguments.plain or not terminal_of(os.environ).addressable:
        from wizard.lines.app import run_lines

        services = _services(arguments)
        hint = "" if arguments.plain else plain_hint()
        return run_lines(services, hint, *begun_at(services, arguments))
    # Textual takes a moment to load: only when it is needed.
    from wizard.window.run import run_window

    services = _services(arguments)
    return run_window(services, *begun_at(services, arguments))


def plain_hint() -> str:
    """Why there are questions and no screen."""
    name = os.environ.get("TERM")
    why = words.TERM_IS(name=printable(name, 40)) if name else words.TERM_NOT_SET()
    return str(words.NO_PLACING(why=why))


def _tell_commands() -> ExitCode:
    """What there is without a terminal."""
    say(words.NO_TERMINAL())
    say(words.COMMANDS())
    advised = ("DEVICE", "--workload", "ID")
    for example in (
        plain("inspect", says=words.WHAT_THERE_IS()),
        plain("advise", *advised, says=words.WHICH()),
        root("plan", *advised, "-o", "plan.json", says=words.LAYOUT()),
        plain("show", "plan.json", says=words.WOULD_DO()),
        root("apply", "plan.json", "--confirm", "TOKEN", says=words.DO()),
    ):
        for line in example.lines(help_width()):
            say(line)
    return ExitCode.USAGE


def _services(arguments: Namespace) -> Services:
    """This machine, or the recorded one."""
    from wizard.services.real import RealServices
    from wizard.services.recorded import RecordedServices

    if arguments.machine is None:
        return RealServices(journal_dir=arguments.journal)
    from wizard.probe.recorded import load_machine

    return RecordedServices(load_machine(arguments.machine), str(arguments.machine))


def begun_at(services: Services, arguments: Namespace) -> tuple[str, str]:
    """The drive that was named, and its partition where that was; both empty where none was. Raises BadInput
    where the wizard does not list it."""
    if not arguments.device:
        return "", ""
    named = arguments.device
    if arguments.machine is not None:
        machine = services.probe(lambda _: None)
        owner = next((one for one in machine.drives if one.partition(named)), machine.drive(named))
        if owner is None:
            raise BadInput(not_recorded(machine, named, str(arguments.machine)))
        return owner.path, "" if named == owner.path else named
    from wizard.probe.machine import drive_name, drive_under

    under = drive_under(named)
    drive = under or node_of(drive_name(named))
    if drive not in services.drive_paths():
        raise BadInput(words.NOT_LISTED(drive=printable(drive)))
    return drive, str(Path(named).resolve()) if under else ""
