"""`diskwright keep`: put to use what a run made, and give up the way back."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from wizard.apply.decide import keep
from wizard.apply.plan.rehearsed import check_keeps, is_rehearsed, wants_passphrase
from wizard.apply.run.begin import check_root
from wizard.apply.run.runs import Kind, kind_of, load_plan
from wizard.faces.showing.command import Command, root
from wizard.faces.showing.console import say
from wizard.faces.words.shared import RUN, RUNS_IN
from wizard.faces.writing.ask_passphrase import passphrase_for
from wizard.faces.writing.from_drive import keep_from_drive
from wizard.faces.writing.which_run import run_meant, tell_drives
from wizard.faces.writing.words import keep as words
from wizard.layout.wishes.words import OPENED_TO_KEEP
from wizard.model.errors import BadInput, ExitCode


def parser() -> ArgumentParser:
    """`diskwright keep [RUN | --from-drive DEVICE --confirm TOKEN] [--passphrase-file FILE] [--journal
    DIR]`."""
    made = Command(
        "keep",
        words.SAYS(),
        (root("keep"), root("keep", "0008-sdb1"), root("keep", "--from-drive", "/dev/sdb")),
        (
            words.ABOUT_KEEPING(),
            words.ABOUT_MIGRATION(),
            words.ABOUT_PASSPHRASE(),
            words.ABOUT_END(),
            words.ABOUT_FROM_DRIVE(),
            words.ABOUT_WIZARD(),
        ),
    )
    made.add_argument("run", metavar="RUN", nargs="?", help=str(RUN()))
    made.add_argument("--from-drive", metavar="DEVICE", help=str(words.FROM_DRIVE()))
    made.add_argument("--confirm", metavar="TOKEN", action="append", help=str(words.CONFIRM()))
    made.add_argument("--passphrase-file", metavar="FILE", help=str(words.PASSPHRASE_FILE()))
    made.add_journal(RUNS_IN())
    return made


def main(arguments: Namespace) -> ExitCode:
    """Say which drive is meant, keep, and say so."""
    journal_dir = arguments.journal
    if arguments.from_drive is not None:
        if arguments.run is not None:
            raise BadInput(words.RUN_OR_DRIVE())
        keep_from_drive(arguments.from_drive, arguments.confirm or (), journal_dir, arguments.passphrase_file)
        return ExitCode.DONE
    if arguments.confirm:
        raise BadInput(words.NO_TOKEN())
    run = run_meant(arguments.run, "keep", journal_dir)
    check_root()
    tell_drives(run)
    say(keep(run, _passphrase(run, arguments.passphrase_file)))
    return ExitCode.DONE


def _passphrase(run: Path, file: str | None) -> bytes | None:
    """The passphrase of what the run encrypted, None where keeping opens nothing; raises as `passphrase_for`
    does."""
    if kind_of(run) is not Kind.PLAN:
        if file is not None:
            raise BadInput(words.NOT_ENCRYPTED())
        return None
    plan = load_plan(run)
    if file is None:
        if not plan.takes_passphrase or not is_rehearsed(run):
            return None
        check_keeps(run)
        if not wants_passphrase(run, plan, keeps=True):
            return None
        say(OPENED_TO_KEEP())
    return passphrase_for(plan, file, anew=False)
