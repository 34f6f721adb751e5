"""`diskwright keep`: give up the way back from a migration, and mount it."""

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from pathlib import Path

from wizard.apply.migration.start import keep_migration
from wizard.apply.plan.guard import check_root
from wizard.apply.plan.start import keep_run
from wizard.apply.run.runs import Kind, kind_of
from wizard.faces.console import say
from wizard.faces.which_run import run_meant, tell_drives
from wizard.model.errors import ExitCode, Refused

EPILOG = """examples:
    sudo diskwright keep
    sudo diskwright keep 0008-sdb1

What could have taken the migration back is deleted, which frees its room: afterwards there is no way back. Where the running system's fstab
has a line for the filesystem, it is mounted by that line. `diskwright tune` tells which options suit what it is used for, and sets them.
"""


def parser() -> ArgumentParser:
    """`diskwright keep [RUN] [--journal DIR]`."""
    made = ArgumentParser(
        "diskwright keep",
        description="Keep what a migration made: delete what could take it back, and mount it. It needs no name while one run is open.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    made.add_argument("run", metavar="RUN", nargs="?", help="a name from `diskwright status`, or a run's folder")
    made.add_argument("--journal", metavar="DIR", help="where the runs are kept, if --journal DIR was given when it was begun")
    return made


def main(arguments: Namespace) -> ExitCode:
    """Say which drive is meant, keep, and say so."""
    run = run_meant(arguments.run, "keep", Path(arguments.journal) if arguments.journal else None)
    kind = kind_of(run)
    if kind is Kind.CHANGES:
        raise Refused(f"The run {run.name} changed a filesystem in use: there is nothing to keep. Nothing was written.")
    check_root()
    tell_drives(run)
    say(keep_run(run) if kind is Kind.PLAN else keep_migration(run))
    return ExitCode.DONE
