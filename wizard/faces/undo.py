"""`diskwright undo`: put back what a run changed, as long as it was not kept."""

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from pathlib import Path

from wizard.apply.decide import undo
from wizard.apply.run.begin import check_root
from wizard.faces.showing.console import say
from wizard.faces.writing.which_run import run_meant, tell_drives
from wizard.model.errors import ExitCode

EPILOG = """examples:
    sudo diskwright undo
    sudo diskwright undo 0007-sdb

What a drive held before it was set up goes back bit for bit, files and all, as long as the run was not kept:
what is written is read back and compared. It can be repeated where it was cut off.
Where a plan ran on the drive directly, which was said before, the table, signatures and fstab go back, and
only until making a filesystem was begun: then there is nothing to put back, and it says so.
Of the changes that `diskwright tune` worked out, those go back that nobody has changed since.
A migration to ext4 is taken back to the bit, as long as it was not kept and the filesystem was not mounted
for writing.
"""


def parser() -> ArgumentParser:
    """`diskwright undo [RUN] [--journal DIR]`."""
    made = ArgumentParser(
        "diskwright undo",
        description=(
            "Put back what a run changed, as long as it was not kept; it needs no name while a single run is "
            "open."
        ),
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    made.add_argument(
        "run", metavar="RUN", nargs="?", help="a name from `diskwright status`, or a run's folder"
    )
    made.add_argument("--journal", metavar="DIR", help="where `apply --journal DIR` kept the runs")
    made.add_argument(
        "--over-changes",
        action="store_true",
        help=(
            "put back what was there before `apply` also over what another program wrote to the drive since, "
            "which is lost then"
        ),
    )
    return made


def main(arguments: Namespace) -> ExitCode:
    """Say which drive is meant, put back, and say so."""
    run = run_meant(arguments.run, "undo", Path(arguments.journal) if arguments.journal else None)
    check_root()
    tell_drives(run)
    say(undo(run, over_changes=arguments.over_changes))
    return ExitCode.DONE
