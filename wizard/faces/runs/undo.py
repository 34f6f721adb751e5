"""`diskwright undo`: put back what a run changed, as long as it was not kept."""

from argparse import ArgumentParser, Namespace

from wizard.apply.decide import undo
from wizard.apply.run.begin import check_root
from wizard.faces.showing.command import Command, root
from wizard.faces.showing.console import say
from wizard.faces.words.shared import RUN, RUNS_IN
from wizard.faces.writing.bad_sectors import refuse_otherwise, tell_bad_sectors
from wizard.faces.writing.which_run import run_meant, tell_drives
from wizard.faces.writing.words import undo as words
from wizard.model.errors import ExitCode


def parser() -> ArgumentParser:
    """`diskwright undo [RUN] [--journal DIR]`."""
    made = Command(
        "undo",
        words.SAYS(),
        (root("undo"), root("undo", "0007-sdb")),
        (words.ABOUT_BITS(), words.ABOUT_DIRECT(), words.ABOUT_TUNE(), words.ABOUT_MIGRATION()),
    )
    made.add_argument("run", metavar="RUN", nargs="?", help=str(RUN()))
    made.add_journal(RUNS_IN())
    made.add_argument("--over-changes", action="store_true", help=str(words.OVER_CHANGES()))
    made.add_argument("--confirm", metavar="TOKEN", action="append", default=[], help=str(words.CONFIRM()))
    made.add_argument("--over-bad-sectors", action="store_true", help=str(words.OVER_BAD_SECTORS()))
    return made


def main(arguments: Namespace) -> ExitCode:
    """Say which drive is meant, put back, and say so."""
    run = run_meant(arguments.run, "undo", arguments.journal)
    check_root()
    tell_drives(run)
    if arguments.over_bad_sectors:
        refuse_otherwise(run)
        tell_bad_sectors(run)
    said = undo(
        run,
        over_changes=arguments.over_changes,
        over_bad_sectors=arguments.over_bad_sectors,
        tokens=arguments.confirm,
    )
    say(said)
    return ExitCode.DONE
