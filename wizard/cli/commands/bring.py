"""`diskwright bring`: copy a folder or filesystem to a volume.

The run resumes after a power cut, compares the copy, and can be undone.
"""

from argparse import ArgumentParser, Namespace
from functools import partial
from pathlib import Path

from wizard.apply.copy.survey import work_out
from wizard.apply.run.backup_store import OWN_FSTAB, Environment
from wizard.apply.run.job import check_root
from wizard.cli.command import CommandParser, root
from wizard.cli.confirm_start import apply_bring, bring_lines
from wizard.cli.select_run import DOCUMENT, OTHER_FSTAB, RUN_HERE
from wizard.cli.verdicts import PlanOffer, offered
from wizard.model.errors import ExitCode
from wizard.model.said import t
from wizard.plan.copy import BRING_SCHEMA, render_bring


def parser() -> ArgumentParser:
    """`diskwright bring SOURCE TARGET [--into FOLDER] [--take-place] [--confirm TOKEN] [--dry-run] [--json]
    [--journal DIR] [--fstab FILE]`."""
    made = CommandParser(
        "bring",
        (
            root("bring", "/home/anna", "/srv/media", "--into", "anna"),
            root("bring", "/dev/sdY1", "/srv/media", "--confirm", "SERIAL"),
            root("bring", "/home", "/srv/home", "--take-place", "--confirm", "SERIAL"),
            root("resume"),
            root("undo"),
        ),
        (
            t(
                "Copies SOURCE into TARGET, as completely as the target supports. Losses are listed first. "
                "Existing files are never overwritten; the source is only read."
            ),
            t(
                "Files that change during the copy are copied again or listed. Finally, all "
                "data is read back from the drive and compared."
            ),
            t(
                "With --take-place, the fstab diff is shown first. The old filesystem is "
                "preserved, and its line becomes a comment."
            ),
            t(
                "After a power cut, `diskwright resume` continues the copy. `diskwright "
                "undo` removes copied files that are still the same in the source."
            ),
        ),
    )
    made.add_argument("source", metavar="SOURCE", help=str(t("a folder or a filesystem's device")))
    made.add_argument(
        "target", metavar="TARGET", help=str(t("a folder on the volume, or the device of a mounted volume"))
    )
    made.add_argument(
        "--into", metavar="FOLDER", help=str(t("copy into this folder of the target, created if missing"))
    )
    made.add_argument(
        "--take-place",
        action="store_true",
        help=str(t("mount the volume in place of SOURCE from the next boot on")),
    )
    made.add_argument(
        "--confirm",
        metavar="TOKEN",
        action="append",
        help=str(t("copy now: the serial number of the target drive")),
    )
    made.add_argument("--dry-run", action="store_true", help=str(t("run all checks without writing")))
    made.add_argument("--json", action="store_true", help=str(DOCUMENT(schema=BRING_SCHEMA)))
    made.add_journal(RUN_HERE)
    made.add_argument("--fstab", metavar="FILE", default=str(OWN_FSTAB), help=str(OTHER_FSTAB))
    return made


def main(arguments: Namespace) -> ExitCode:
    """Show the files to copy. With a token, copy the files and follow the run."""
    # Only root can read the folders of all users.
    check_root()
    environment = Environment(fstab=Path(arguments.fstab).absolute())
    bring = work_out(
        arguments.source, arguments.target, arguments.into, environment, takes_place=arguments.take_place
    )
    offer = PlanOffer(
        render_bring(bring),
        partial(bring_lines, bring),
        bring.drive.token,
        partial(apply_bring, bring),
    )
    return offered(offer, arguments)
