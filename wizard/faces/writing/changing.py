"""Changes for a filesystem in use, as `diskwright show` and `diskwright apply` treat them: the same as a
plan, in its own words."""

from argparse import Namespace
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from wizard.apply.tune.start import check_token, preflight_told, start_told
from wizard.faces.words.shared import CHECKED, GOOD_TO_KNOW, STEPS, UNDONE, drive_said
from wizard.faces.writing.beginning import Question, begin_or_refuse
from wizard.faces.writing.words import beginning as words
from wizard.layout.told.text import command_lines, wrapped
from wizard.model.documents.changes import Changes, EditFstab, SetOptions, SwitchOff, Tune, WriteRules
from wizard.model.errors import ExitCode
from wizard.model.names import printable
from wizard.model.said import t


def change_lines(changes: Changes, width: int, *, files: bool = True) -> Iterator[str]:
    """Each step with its command or its lines, how it is undone, and what is checked; without `files` those
    of whole files are left out."""
    for number, step in enumerate(changes.steps, 1):
        yield from wrapped(f"{number}. {printable(step.sentence, 4000)}", width, 3)
        for argv in step.commands:
            yield from command_lines([printable(word, 4000) for word in argv], width, 6)
        if files or not isinstance(step.operation, EditFstab | WriteRules):
            yield from (f"      {with_tabs(edit)}" for edit in step.edits)
        yield from wrapped(f"   {UNDONE} {printable(step.undo, 4000)}", width, 3)
        for held in step.holds:
            yield from wrapped(f"   {CHECKED} {printable(held, 4000)}", width, 3)


def with_tabs(line: str) -> str:
    """A line of a file made safe to show, with its tabs, which stand between the fields of fstab."""
    return "\t".join(printable(piece, 4000) for piece in line.split("\t"))


def show_changes(changes: Changes, width: int) -> Iterator[str]:
    """All of it, as text."""
    drive = drive_said(changes.drive)
    title = (
        t(
            "Changes for {device} ({filesystem}, UUID {uuid}) on {drive}",
            device=changes.device,
            filesystem=changes.filesystem,
            uuid=changes.uuid,
            drive=drive,
        )
        if changes.filesystem
        else t("Changes for {drive}", drive=drive)
    )
    yield from wrapped(str(title), width)
    if isinstance(changes.wanted, Tune | SetOptions):
        yield from wrapped(str(t("It stays in use; nothing of what it holds is touched.")), width)
    for heading, said in ((t("Why:"), changes.reasons), (GOOD_TO_KNOW, changes.doubts)):
        if said:
            yield from ("", str(heading))
        for sentence in said:
            yield from wrapped(f"- {printable(str(sentence), 4000)}", width, 2)
    yield from ("", str(STEPS))
    yield from change_lines(changes, width)


def apply_changes(changes: Changes, arguments: Namespace, as_root: Callable[[], str]) -> Path | ExitCode:
    """Begin the run and give its folder, or the exit code of a dry run. `as_root` words the command for
    root."""
    question = Question(
        token=changes.drive.token,
        outcome=(
            t("This would power {device} off", device=changes.device)
            if isinstance(changes.wanted, SwitchOff)
            else t("This would change how {device} is used", device=changes.device)
        ),
        drive=words.ITS_DRIVE,
        refusal_of_more=words.ONE_DRIVE,
        beforehand=changes.doubts,
        lines=partial(change_lines, changes),
        check=partial(check_token, changes),
        preflight=lambda runs, environment: preflight_told(
            changes, journal_dir=runs, environment=environment
        ),
        start=lambda token, runs, environment: start_told(
            changes, token, journal_dir=runs, environment=environment
        ),
    )
    return begin_or_refuse(question, arguments, as_root)
