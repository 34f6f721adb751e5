"""`diskwright keep`: give up the way back from a migration, and mount it."""

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from pathlib import Path

from wizard.apply.migration.start import keep_migration
from wizard.apply.plan.start import keep_run
from wizard.apply.run.runs import Kind, find_run, kind_of
from wizard.faces.console import say
from wizard.model.errors import ExitCode, Refused

EPILOG = """examples:
    sudo diskwright keep
    sudo diskwright keep 20261120-142233-sdb1

What could have taken the migration back is deleted, which frees its room: afterwards there is no way back. Where the running system's fstab
has a line for the filesystem, it is mounted by that line. `diskwright tune` tells which options suit what it is used for, and sets them.
"""


def parser() -> ArgumentParser:
    """`diskwright keep [RUN] [--journal DIR]`."""
    made = ArgumentParser(
        "diskwright keep",
        description="Keep what a migration made: delete what could take it back, and mount it; the newest run unless you name another.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    made.add_argument("run", metavar="RUN", nargs="?", help="a name from `diskwright status`, or a run's folder")
    made.add_argument("--journal", metavar="DIR", help="where the runs are kept, if --journal DIR was given when it was begun")
    return made


def main(arguments: Namespace) -> ExitCode:
    """Keep, and say so."""
    run = find_run(arguments.run, Path(arguments.journal) if arguments.journal else None)
    match kind_of(run):
        case Kind.PLAN:
            say(keep_run(run))
        case Kind.MIGRATION:
            say(keep_migration(run))
        case Kind.CHANGES:
            raise Refused(f"The run {run.name} changed a filesystem in use: there is nothing to keep. Nothing was written.")
    return ExitCode.DONE
