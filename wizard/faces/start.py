"""`diskwright` without a command: the wizard."""

import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from pathlib import Path

from wizard.faces.console import say
from wizard.model.errors import ExitCode
from wizard.tui.terminal import terminal_of

EPILOG = """examples:
  sudo diskwright                       set up a drive of this machine
  diskwright                            look and plan without root; nothing can be applied
  diskwright --machine recorded.json    the same on a machine that `diskwright inspect --save` recorded
"""

NO_TERMINAL = """The wizard needs a terminal in which text can be placed anywhere on the screen, and this is none (TERM is {term}).
Everything it does can be done line by line:
    diskwright inspect                                    what the drives are, and what is wrong
    diskwright advise DEVICE --workload ID                which filesystem, and why
    diskwright plan DEVICE --workload ID -o plan.json     a layout
    diskwright show plan.json                             what it would do
    sudo diskwright apply plan.json --confirm TOKEN       do it"""


def parser() -> ArgumentParser:
    """Options of the wizard."""
    made = ArgumentParser(
        prog="diskwright", description="Set up a drive, step by step.", epilog=EPILOG, formatter_class=RawDescriptionHelpFormatter
    )
    made.add_argument("--machine", metavar="FILE", type=Path, help="look at a recorded machine; nothing can be measured or applied")
    made.add_argument(
        "--journal", metavar="DIR", type=Path, help="keep the journal of what is applied here, not in /var/lib/diskwright/runs"
    )
    return made


def main(arguments: Namespace) -> ExitCode:
    """Open the wizard, where there is a terminal for it."""
    if not (sys.stdin.isatty() and sys.stdout.isatty() and terminal_of(os.environ).addressable):
        for line in NO_TERMINAL.format(term=os.environ.get("TERM") or "not set").splitlines():
            say(line)
        return ExitCode.USAGE
    # Textual takes a moment to load: only when it is needed.
    from wizard.services.real import RealServices
    from wizard.services.recorded import RecordedServices
    from wizard.tui.app import run_wizard

    if arguments.machine is None:
        return run_wizard(RealServices(journal_dir=arguments.journal))
    from wizard.probe.recorded import load_machine

    return run_wizard(RecordedServices(load_machine(arguments.machine), str(arguments.machine)))
