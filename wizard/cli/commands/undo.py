"""`diskwright undo`: undo the changes of a run that was not kept."""

from argparse import ArgumentParser, Namespace

from wizard.apply.run.job import check_root
from wizard.apply.run_control import undo
from wizard.cli.command import CommandParser, root
from wizard.cli.passphrase import say
from wizard.cli.select_run import RUN, RUNS_IN, choose_run, tell_drives
from wizard.model.errors import ExitCode
from wizard.model.said import t


def parser() -> ArgumentParser:
    """`diskwright undo [RUN] [--journal DIR]`."""
    made = CommandParser(
        "undo",
        (root("undo"), root("undo", "0007-sdb")),
        (
            t("The old content is restored bit for bit, read back and compared. If interrupted, run again."),
            t("A plan that ran directly on the drive cannot be undone."),
            t("Settings are reverted unless changed since."),
            t("A conversion to ext4 is undone bit for bit, until kept or mounted for writing."),
        ),
    )
    made.add_argument("run", metavar="RUN", nargs="?", help=str(RUN))
    made.add_journal(RUNS_IN)
    made.add_argument(
        "--over-changes",
        action="store_true",
        help=str(t("overwrite data that another program wrote to the drive since `apply`")),
    )
    made.add_argument(
        "--confirm",
        metavar="TOKEN",
        action="append",
        default=[],
        help=str(t("with --over-changes: each drive's serial number")),
    )
    return made


def main(arguments: Namespace) -> ExitCode:
    """Show the drives, then undo the run."""
    run = choose_run(arguments.run, "undo", arguments.journal)
    check_root()
    tell_drives(run)
    said = undo(run, over_changes=arguments.over_changes, tokens=arguments.confirm)
    say(said)
    return ExitCode.DONE
