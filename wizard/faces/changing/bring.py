"""`diskwright bring`: copy a folder or another filesystem to a volume, as a run that goes on after a power
cut, compares, and can be taken back."""

from argparse import ArgumentParser, Namespace
from functools import partial
from pathlib import Path

from wizard.apply.bring.planning import work_out
from wizard.apply.run.begin import check_root
from wizard.apply.run.environment import OWN_FSTAB, Environment
from wizard.faces.changing.words import bring as words
from wizard.faces.showing.command import Command, root
from wizard.faces.words.shared import DOCUMENT, OTHER_FSTAB, RUN_HERE
from wizard.faces.writing.bringing import apply_bring, bring_lines
from wizard.faces.writing.offering import Offer, offered
from wizard.layout.bring.document import BRING_SCHEMA, render_bring
from wizard.model.errors import ExitCode


def parser() -> ArgumentParser:
    """`diskwright bring SOURCE TARGET [--into FOLDER] [--take-place] [--confirm TOKEN] [--dry-run] [--json]
    [--journal DIR] [--fstab FILE]`."""
    made = Command(
        "bring",
        words.SAYS(),
        (
            root("bring", "/home/anna", "/srv/media", "--into", "anna"),
            root("bring", "/dev/sdY1", "/srv/media", "--confirm", "SERIAL"),
            root("bring", "/home", "/srv/home", "--take-place", "--confirm", "SERIAL"),
            root("resume"),
            root("undo"),
        ),
        (words.ABOUT(), words.ABOUT_COMPARED(), words.ABOUT_PLACE(), words.ABOUT_UNDO()),
    )
    made.add_argument("source", metavar="SOURCE", help=str(words.SOURCE()))
    made.add_argument("target", metavar="TARGET", help=str(words.TARGET()))
    made.add_argument("--into", metavar="FOLDER", help=str(words.INTO()))
    made.add_argument("--take-place", action="store_true", help=str(words.TAKE_PLACE()))
    made.add_argument("--confirm", metavar="TOKEN", action="append", help=str(words.CONFIRM()))
    made.add_argument("--dry-run", action="store_true", help=str(words.DRY_RUN()))
    made.add_argument("--json", action="store_true", help=str(DOCUMENT(schema=BRING_SCHEMA)))
    made.add_journal(RUN_HERE())
    made.add_argument("--fstab", metavar="FILE", default=str(OWN_FSTAB), help=str(OTHER_FSTAB()))
    return made


def main(arguments: Namespace) -> ExitCode:
    """Look over it, and say what would be copied; with a token do it, and follow."""
    # Only root can count what lies in other people's folders.
    check_root()
    environment = Environment(fstab=Path(arguments.fstab).absolute())
    bring = work_out(
        arguments.source, arguments.target, arguments.into, environment, takes_place=arguments.take_place
    )
    offer = Offer(
        render_bring(bring),
        partial(bring_lines, bring),
        bring.drive.token,
        partial(apply_bring, bring),
    )
    return offered(offer, arguments)
