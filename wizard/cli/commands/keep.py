"""`diskwright keep`: accept the result of a run and mount it. Undo is impossible afterwards."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from wizard.apply.plan.rehearsed import check_keeps, is_rehearsed, wants_passphrase
from wizard.apply.run.job import check_root
from wizard.apply.run.runs import RunKind, kind_of, load_plan
from wizard.apply.run_control import keep
from wizard.cli.command import CommandParser, root
from wizard.cli.passphrase import passphrase_for, say
from wizard.cli.select_run import RUN, RUNS_IN, choose_run, keep_from_drive, tell_drives
from wizard.model.errors import BadInput, ExitCode
from wizard.model.said import t
from wizard.plan.request.encryption import OPENED_TO_KEEP


def parser() -> ArgumentParser:
    """`diskwright keep [RUN | --from-drive DEVICE --confirm TOKEN] [--passphrase-file FILE] [--journal
    DIR]`."""
    made = CommandParser(
        "keep",
        (root("keep"), root("keep", "0008-sdb1"), root("keep", "--from-drive", "/dev/sdb")),
        (
            t("Writes the withheld signatures, mounts the volumes as planned, and runs all checks."),
            t(
                "A converted filesystem is mounted if the running system's fstab lists it. "
                "`diskwright tune` suggests and sets options for the workload."
            ),
            t("Encrypted volumes need the passphrase."),
            t("Deletes the saved bytes. The old content is then lost for good. If interrupted, run again."),
            t(
                "A waiting drive looks empty, also on other computers. If the run's folder "
                "is lost, --from-drive reads the recovery label on the drive. It lists every "
                "range to write; --confirm writes and checks the ranges. No volume is "
                "mounted. The old content was saved in the folder, and is lost as well."
            ),
            t("In the wizard, press K on Drives."),
        ),
    )
    made.add_argument("run", metavar="RUN", nargs="?", help=str(RUN))
    made.add_argument(
        "--from-drive",
        metavar="DEVICE",
        help=str(
            t(
                "finish the run waiting on this drive from the drive's recovery label, if "
                "the run's folder is lost"
            )
        ),
    )
    made.add_argument(
        "--confirm",
        metavar="TOKEN",
        action="append",
        help=str(t("with --from-drive: the drive's serial number; without --confirm, only show the writes")),
    )
    made.add_argument(
        "--passphrase-file",
        metavar="FILE",
        help=str(t("read the passphrase from this file, or from stdin for -; a final newline is ignored")),
    )
    made.add_journal(RUNS_IN)
    return made


def main(arguments: Namespace) -> ExitCode:
    """Show the drives and keep the run, or finish a run from a drive's recovery label."""
    journal_dir = arguments.journal
    if arguments.from_drive is not None:
        if arguments.run is not None:
            raise BadInput(t("Name either a run or --from-drive DEVICE, not both."))
        keep_from_drive(arguments.from_drive, arguments.confirm or (), journal_dir, arguments.passphrase_file)
        return ExitCode.DONE
    if arguments.confirm:
        raise BadInput(t("--confirm requires --from-drive: a run identifies the drives."))
    run = choose_run(arguments.run, "keep", journal_dir)
    check_root()
    tell_drives(run)
    say(keep(run, _passphrase(run, arguments.passphrase_file)))
    return ExitCode.DONE


def _passphrase(run: Path, file: str | None) -> bytes | None:
    """Return the passphrase for the run's encrypted volumes, or None if keeping opens no volume. Raises as
    `passphrase_for` does."""
    if kind_of(run) is not RunKind.PLAN:
        if file is not None:
            raise BadInput(t("--passphrase-file applies only to plans and runs that encrypt."))
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
