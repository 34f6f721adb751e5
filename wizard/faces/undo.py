"""`diskwright undo`: put back what a run changed, as long as nothing was formatted."""

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from pathlib import Path

from wizard.apply.migration.start import undo_migration
from wizard.apply.plan.guard import check_root
from wizard.apply.plan.undo import undo_run
from wizard.apply.run.journal import read_entries
from wizard.apply.run.runs import Kind, kind_of
from wizard.apply.tune.start import undo_tuning
from wizard.faces.console import say
from wizard.faces.which_run import run_meant, tell_drives
from wizard.model.errors import ExitCode, Refused

EPILOG = """examples:
    sudo diskwright undo
    sudo diskwright undo 0007-sdb

The table, signatures and fstab go back to what they were, byte for byte, and that is proven by reading them. Once making a filesystem was
begun there is nothing to put back, and it says so. It can be repeated.
Of the changes that `diskwright tune` worked out, those go back that nobody has changed since.
A migration to ext4 is taken back to the bit, as long as it was not kept and the filesystem was not mounted for writing.
"""


def parser() -> ArgumentParser:
    """`diskwright undo [RUN] [--journal DIR]`."""
    made = ArgumentParser(
        "diskwright undo",
        description="Put back what a run changed, as long as nothing was formatted; it needs no name while a single run is open.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    made.add_argument("run", metavar="RUN", nargs="?", help="a name from `diskwright status`, or a run's folder")
    made.add_argument("--journal", metavar="DIR", help="where `apply --journal DIR` kept the runs")
    made.add_argument(
        "--over-changes",
        action="store_true",
        help="put back what was there before `apply` also over what another program wrote to the drive since, which is lost then",
    )
    return made


def main(arguments: Namespace) -> ExitCode:
    """Say which drive is meant, put back, and say so."""
    run = run_meant(arguments.run, "undo", Path(arguments.journal) if arguments.journal else None)
    check_root()
    tell_drives(run)
    match kind_of(run):
        case Kind.PLAN:
            undo_run(run, over_changes=arguments.over_changes)
        case _ if arguments.over_changes:
            raise Refused(f"The run {run.name} is no `apply`: it is not undone over what changed since. Nothing was written.")
        case Kind.CHANGES:
            undo_tuning(run)
        case Kind.MIGRATION:
            undo_migration(run)
    say(read_entries(run)[-1].sentence)
    return ExitCode.DONE
