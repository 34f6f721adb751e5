"""`diskwright keep`: put to use what a run made, and give up the way back."""

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from pathlib import Path

from wizard.apply.decide import keep
from wizard.apply.plan.rehearsed import check_keeps, is_rehearsed, wants_passphrase
from wizard.apply.run.begin import check_root
from wizard.apply.run.runs import Kind, kind_of, load_plan
from wizard.faces.showing.console import say
from wizard.faces.writing.ask_passphrase import passphrase_for
from wizard.faces.writing.from_drive import keep_from_drive
from wizard.faces.writing.which_run import run_meant, tell_drives
from wizard.layout.wishes.encryption import OPENED_TO_KEEP
from wizard.model.errors import BadInput, ExitCode

EPILOG = """examples:
    sudo diskwright keep
    sudo diskwright keep 0008-sdb1
    sudo diskwright keep --from-drive /dev/sdb

A drive that was set up and held something before waits for this: what it is recognised by is written last,
then it is mounted as the plan shows, and every check is made. A migration is mounted where the running
system's fstab has a line for the filesystem; `diskwright tune` tells which options suit what it is used for,
and sets them.
What is encrypted is opened for that, which takes its passphrase.
What could have undone it is deleted, which frees its room: afterwards there is no way back, and what was
there before is lost. It can be repeated where it was cut off.

A drive that waits looks empty, also on another computer. Where the folder of its run is lost, --from-drive
reads the notice that the drive carries, shows every place that is to be written, and with --confirm finishes
it and checks it. Nothing is mounted then. What the drive held before was kept in the folder, and is lost with
it.
"""


def parser() -> ArgumentParser:
    """`diskwright keep [RUN | --from-drive DEVICE --confirm TOKEN] [--passphrase-file FILE] [--journal
    DIR]`."""
    made = ArgumentParser(
        "diskwright keep",
        description=(
            "Keep what a run made: put it to use, and delete what could take it back. It needs no name while "
            "one run is open."
        ),
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    made.add_argument(
        "run", metavar="RUN", nargs="?", help="a name from `diskwright status`, or a run's folder"
    )
    made.add_argument(
        "--from-drive",
        metavar="DEVICE",
        help="finish what waits on this drive though its run's folder is lost, by the drive's notice",
    )
    made.add_argument(
        "--confirm",
        metavar="TOKEN",
        action="append",
        help="with --from-drive: the drive's token; without it what would be written is only shown",
    )
    made.add_argument(
        "--passphrase-file",
        metavar="FILE",
        help=(
            "read the passphrase of what the run encrypted from this file, or from the input for -; asked "
            "otherwise, where it is needed"
        ),
    )
    made.add_argument(
        "--journal",
        metavar="DIR",
        help="where the runs are kept, if --journal DIR was given when it was begun",
    )
    return made


def main(arguments: Namespace) -> ExitCode:
    """Say which drive is meant, keep, and say so."""
    journal_dir = Path(arguments.journal) if arguments.journal else None
    if arguments.from_drive is not None:
        if arguments.run is not None:
            raise BadInput("Say either a run or --from-drive DEVICE: the drive tells which run it is.")
        keep_from_drive(arguments.from_drive, arguments.confirm or (), journal_dir, arguments.passphrase_file)
        return ExitCode.DONE
    if arguments.confirm:
        raise BadInput("--confirm belongs to --from-drive: a run knows its drives.")
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
            raise BadInput("--passphrase-file is for a run that encrypts, and this one does not.")
        return None
    plan = load_plan(run)
    if file is None:
        if not plan.containers or not is_rehearsed(run):
            return None
        check_keeps(run)
        if not wants_passphrase(run, plan, keeps=True):
            return None
        say(OPENED_TO_KEEP)
    return passphrase_for(plan, file, anew=False)
