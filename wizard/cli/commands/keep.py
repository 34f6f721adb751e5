"""`diskwright keep`: put to use what a run made, and give up the way back."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from wizard.apply.plan.rehearsed import check_keeps, is_rehearsed, wants_passphrase
from wizard.apply.run.job import check_root
from wizard.apply.run.runs import RunKind, kind_of, load_plan
from wizard.apply.run_control import keep
from wizard.cli.command import CommandParser, root
from wizard.cli.passphrase import passphrase_for, say
from wizard.cli.select_run import RUN, RUNS_IN, keep_from_drive, run_meant, tell_drives
from wizard.model.errors import BadInput, ExitCode
from wizard.model.said import t
from wizard.plan.request.encryption import OPENED_TO_KEEP


def parser() -> ArgumentParser:
    """`diskwright keep [RUN | --from-drive DEVICE --confirm TOKEN] [--passphrase-file FILE] [--journal
    DIR]`."""
    made = CommandParser(
        "keep",
        t("Keep the result of a run for good, and delete the saved bytes. Needs no name if one run is open."),
        (root("keep"), root("keep", "0008-sdb1"), root("keep", "--from-drive", "/dev/sdb")),
        (
            t("Writes the withheld signatures, mounts the volumes as planned, and makes every check."),
            t(
                "A migration is mounted where the running system's fstab has a line for the "
                "filesystem. `diskwright tune` tells which options suit what it is used for, "
                "and sets them."
            ),
            t("Encrypted volumes need their passphrase."),
            t(
                "Deletes the saved bytes. The old content is then lost for good. After an "
                "interruption, run it again."
            ),
            t(
                "A drive that waits looks empty, also on another computer. Where the folder "
                "of its run is lost, --from-drive reads the notice that the drive carries. "
                "It shows every place that is to be written, and with --confirm finishes it "
                "and checks it. Nothing is mounted then. What the drive held before was kept "
                "in the folder, and is lost with it."
            ),
            t("In the wizard, press K on Drives."),
        ),
    )
    made.add_argument("run", metavar="RUN", nargs="?", help=str(RUN))
    made.add_argument(
        "--from-drive",
        metavar="DEVICE",
        help=str(t("finish what waits on this drive though its run's folder is lost, by the drive's notice")),
    )
    made.add_argument(
        "--confirm",
        metavar="TOKEN",
        action="append",
        help=str(t("with --from-drive: the drive's token; without it what would be written is only shown")),
    )
    made.add_argument(
        "--passphrase-file",
        metavar="FILE",
        help=str(t("read the passphrase of what the run encrypted from this file, or from the input for -")),
    )
    made.add_journal(RUNS_IN)
    return made


def main(arguments: Namespace) -> ExitCode:
    """Say which drive is meant, keep, and say so."""
    journal_dir = arguments.journal
    if arguments.from_drive is not None:
        if arguments.run is not None:
            raise BadInput(t("Say either a run or --from-drive DEVICE: the drive tells which run it is."))
        keep_from_drive(arguments.from_drive, arguments.confirm or (), journal_dir, arguments.passphrase_file)
        return ExitCode.DONE
    if arguments.confirm:
        raise BadInput(t("--confirm belongs to --from-drive: a run knows its drives."))
    run = run_meant(arguments.run, "keep", journal_dir)
    check_root()
    tell_drives(run)
    say(keep(run, _passphrase(run, arguments.passphrase_file)))
    return ExitCode.DONE


def _passphrase(run: Path, file: str | None) -> bytes | None:
    """The passphrase of what the run encrypted, None where keeping opens nothing; raises as `passphrase_for`
    does."""
    if kind_of(run) is not RunKind.PLAN:
        if file is not None:
            raise BadInput(t("--passphrase-file is for a run that encrypts, and this one does not."))
        return None
    plan = load_plan(run)
    if file is None:
        if not plan.takes_passphrase or not is_rehearsed(run):
            return None
        check_keeps(run)
        if not wants_passphrase(run, plan, keeps=True):
            return None
        say(OPENED_TO_KEEP)
    return passphrase_for(plan, file, anew=False)
