"""Changes for a filesystem in use, as `diskwright show` and `diskwright apply` treat them: the same as a plan, in its own words."""

import os
import shlex
from argparse import Namespace
from collections.abc import Callable, Iterator
from pathlib import Path

from wizard.apply.environment import Environment
from wizard.apply.runs import doubts_about, runs_folder
from wizard.apply.tuning import check_token, preflight_tuning, start_tuning
from wizard.faces.console import out, say
from wizard.layout.text import command_lines, wrapped
from wizard.model.changes import Changes, EditFstab, WriteRules
from wizard.model.errors import ExitCode, Refused
from wizard.model.names import printable


def change_lines(changes: Changes, width: int, *, files: bool = True) -> Iterator[str]:
    """Each step with its command or its lines, how it is undone, and what is checked; without `files` those of whole files are left out."""
    for number, step in enumerate(changes.steps, 1):
        yield from wrapped(f"{number}. {printable(step.sentence, 4000)}", width, 3)
        for argv in step.commands:
            yield from command_lines([printable(word, 4000) for word in argv], width, 6)
        if files or not isinstance(step.operation, EditFstab | WriteRules):
            yield from (f"      {with_tabs(edit)}" for edit in step.edits)
        yield from wrapped(f"   Undone: {printable(step.undo, 4000)}", width, 3)
        for held in step.holds:
            yield from wrapped(f"   Checked: {printable(held, 4000)}", width, 3)


def with_tabs(line: str) -> str:
    """A line of a file made safe to show, with its tabs, which stand between the fields of fstab."""
    return "\t".join(printable(piece, 4000) for piece in line.split("\t"))


def show_changes(changes: Changes, width: int) -> Iterator[str]:
    """All of it, as text."""
    drive = changes.drive
    who = f"{drive.path}, {printable(drive.model or 'model unknown')}, token {printable(drive.token)}"
    yield from wrapped(f"Changes for {changes.device} ({changes.filesystem}, UUID {changes.uuid}) on {who}", width)
    yield from wrapped("It stays in use; nothing of what it holds is touched.", width)
    for heading, said in (("Why:", changes.reasons), ("Good to know:", changes.doubts)):
        if said:
            yield from ("", heading)
        for sentence in said:
            yield from wrapped(f"- {printable(sentence, 4000)}", width, 2)
    yield from ("", "Steps:")
    yield from change_lines(changes, width)


def apply_changes(changes: Changes, arguments: Namespace, as_root: Callable[[], str]) -> Path | ExitCode:
    """Begin the run and give its folder, or the exit code of a dry run. `as_root` words the command for root."""
    journal_dir = Path(arguments.journal) if arguments.journal else None
    environment = Environment(fstab=Path(arguments.fstab).absolute())
    for doubt in changes.doubts:
        say(doubt)
    if arguments.dry_run:
        return _dry_run(changes, journal_dir, environment)
    token = shlex.quote(printable(changes.drive.token))
    if not arguments.confirm:
        raise Refused(
            f"Nothing was written. This would change how {changes.device} is used; `diskwright show` has every step. "
            f"To go on, confirm its drive by its token: --confirm {token}"
        )
    if len(arguments.confirm) > 1:
        raise Refused(f"These changes are for one drive: give its token once, with --confirm {token}. Nothing was written.")
    check_token(changes, arguments.confirm[0])
    if os.geteuid() != 0:
        raise Refused(f"Applying needs root. Nothing was written. What you asked for, as root:  {as_root()}")
    for doubt in doubts_about(runs_folder(journal_dir)):
        say(doubt)
    return start_tuning(changes, arguments.confirm[0], journal_dir=journal_dir, environment=environment)


def _dry_run(changes: Changes, journal_dir: Path | None, environment: Environment) -> ExitCode:
    for line in change_lines(changes, out().width):
        out().print(line, soft_wrap=True)
    if os.geteuid() != 0:
        say("Without root it could not be checked whether all of it stands as it was found. Nothing was written.")
        return ExitCode.DONE
    preflight_tuning(changes, journal_dir=journal_dir, environment=environment)
    say("Every check before the first change holds. Nothing was written.")
    return ExitCode.DONE
