"""`diskwright` without a command: the wizard, on a screen or line by line."""

import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from pathlib import Path

from wizard.faces.showing.console import say
from wizard.model.errors import ExitCode
from wizard.model.names import printable
from wizard.services.contract import Services
from wizard.tui.console.terminal import terminal_of

EPILOG = """examples:
  sudo diskwright                       set up a drive of this machine
  diskwright                            look and plan without root, which is asked for only to apply
  diskwright --machine recorded.json    the same on a machine that `diskwright inspect --save` recorded;
                                        nothing can be applied
  sudo diskwright --plain               line by line: for screen readers, serial lines, and answers from a
                                        file
"""

NO_TERMINAL = """The wizard needs a terminal to ask on, and its input or its output is none.
With --plain it asks line by line, through pipes and files too: diskwright --plain
Everything it does can also be done by commands:
    diskwright inspect                                    what the drives are, and what is wrong
    diskwright advise DEVICE --workload ID                which filesystem, and why
    sudo diskwright plan DEVICE --workload ID -o plan.json  a layout
    diskwright show plan.json                             what it would do
    sudo diskwright apply plan.json --confirm TOKEN       do it"""


def parser() -> ArgumentParser:
    """Options of the wizard."""
    made = ArgumentParser(
        prog="diskwright",
        description="Set up a drive, step by step.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    made.add_argument(
        "--machine",
        metavar="FILE",
        type=Path,
        help="look at a recorded machine; nothing can be measured or applied",
    )
    made.add_argument(
        "--journal",
        metavar="DIR",
        type=Path,
        help="keep the journal of what is applied here, not in /var/lib/diskwright/runs",
    )
    made.add_argument(
        "--plain",
        action="store_true",
        help="ask line by line, with numbered answers; chosen by itself on TERM=dumb",
    )
    return made


def main(arguments: Namespace) -> ExitCode:
    """Open the wizard: on a screen, or line by line where that is asked for or the terminal can do no
    more."""
    on_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if not on_terminal and not arguments.plain:
        for line in NO_TERMINAL.splitlines():
            say(line)
        return ExitCode.USAGE
    if arguments.plain or not terminal_of(os.environ).addressable:
        from wizard.plain.app import run_plain

        return run_plain(_services(arguments), "" if arguments.plain else plain_hint())
    # Textual takes a moment to load: only when it is needed.
    from wizard.tui.app import run_wizard

    return run_wizard(_services(arguments))


def plain_hint() -> str:
    """Why there are questions and no screen."""
    name = os.environ.get("TERM")
    why = f"TERM is {printable(name, 40)}" if name else "TERM is not set"
    return f"{why}, so text cannot be placed on the screen here: the wizard asks line by line, as by --plain."


def _services(arguments: Namespace) -> Services:
    """This machine, or the recorded one."""
    from wizard.services.real import RealServices
    from wizard.services.recorded import RecordedServices

    if arguments.machine is None:
        return RealServices(journal_dir=arguments.journal)
    from wizard.probe.recorded import load_machine

    return RecordedServices(load_machine(arguments.machine), str(arguments.machine))
