"""`diskwright bring`: copy a folder or another filesystem to a volume, as a run that goes on after a power
cut, compares, and can be taken back."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from functools import partial

from wizard.apply.bring.planning import work_out
from wizard.apply.bring.start import check_token, preflight_bring, start_bring
from wizard.apply.bring.told import step_said
from wizard.apply.run.begin import check_root
from wizard.apply.run.environment import OWN_FSTAB
from wizard.faces.showing.command import Command, root
from wizard.faces.words import bring as words
from wizard.faces.words.shared import DOCUMENT, RUN_HERE, STEPS
from wizard.faces.writing.beginning import Question, begin_or_refuse
from wizard.faces.writing.offering import Offer, offered
from wizard.filesystems.registry import title_of
from wizard.layout.bring.document import BRING_SCHEMA, render_bring
from wizard.layout.told.text import wrapped
from wizard.model.documents.bring import Bring
from wizard.model.errors import ExitCode
from wizard.model.names import printable


def parser() -> ArgumentParser:
    """`diskwright bring SOURCE TARGET [--into FOLDER] [--confirm TOKEN] [--dry-run] [--json]
    [--journal DIR]`."""
    made = Command(
        "bring",
        words.SAYS(),
        (
            root("bring", "/home/anna", "/srv/media", "--into", "anna"),
            root("bring", "/dev/sdY1", "/srv/media", "--confirm", "SERIAL"),
            root("resume"),
            root("undo"),
        ),
        (words.ABOUT(), words.ABOUT_COMPARED(), words.ABOUT_UNDO()),
    )
    made.add_argument("source", metavar="SOURCE", help=str(words.SOURCE()))
    made.add_argument("target", metavar="TARGET", help=str(words.TARGET()))
    made.add_argument("--into", metavar="FOLDER", help=str(words.INTO()))
    made.add_argument("--confirm", metavar="TOKEN", action="append", help=str(words.CONFIRM()))
    made.add_argument("--dry-run", action="store_true", help=str(words.DRY_RUN()))
    made.add_argument("--json", action="store_true", help=str(DOCUMENT(schema=BRING_SCHEMA)))
    made.add_argument("--journal", metavar="DIR", help=str(RUN_HERE()))
    return made


def main(arguments: Namespace) -> ExitCode:
    """Look over it, and say what would be copied; with a token do it, and follow."""
    # Only root can count what lies in other people's folders.
    check_root()
    bring = work_out(arguments.source, arguments.target, arguments.into)
    # No line of fstab is read or changed; what begins a run asks all the same where that file is.
    arguments.fstab = str(OWN_FSTAB)
    offer = Offer(
        render_bring(bring),
        partial(bring_lines, bring),
        bring.drive.token,
        partial(begin_or_refuse, _question(bring)),
    )
    return offered(offer, arguments)


def bring_lines(bring: Bring, width: int) -> Iterator[str]:
    """What is copied where, how much it is, and what the copy does not keep."""
    source, target, amount = bring.source, bring.target, bring.amount
    said = (
        words.FROM_TO(
            source=printable(source.path, 400),
            from_kind=title_of(source.filesystem),
            folder=printable(target.folder, 400),
            device=target.device,
            to_kind=title_of(target.filesystem),
        ),
        words.AMOUNT(files=amount.files, size=amount.size_bytes, entries=amount.entries),
        words.FITS(needed=amount.room_bytes),
    )
    for one in said:
        yield from wrapped(str(one), width)
    for doubt in bring.doubts or (words.KEEPS_ALL(),):
        yield from wrapped(f"- {printable(str(doubt), 4000)}", width, 2)


def _all_lines(bring: Bring, width: int) -> Iterator[str]:
    """With the steps, for a dry run."""
    yield from bring_lines(bring, width)
    yield str(STEPS())
    for number, step in enumerate(bring.steps, 1):
        yield from wrapped(f"{number}. {printable(str(step_said(bring, step)), 4000)}", width, 3)


def _question(bring: Bring) -> Question:
    return Question(
        token=bring.drive.token,
        outcome=words.ADDS(folder=printable(bring.target.folder, 400)),
        drive=words.ITS_DRIVE(),
        refusal_of_more=words.ONE_DRIVE(),
        beforehand=(),
        lines=partial(_all_lines, bring),
        check=partial(check_token, bring),
        preflight=lambda runs, environment: preflight_bring(bring, journal_dir=runs, environment=environment),
        start=lambda token, runs, environment: start_bring(
            bring, token, journal_dir=runs, environment=environment
        ),
    )
