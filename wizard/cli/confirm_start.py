"""Confirm and start a run from `diskwright apply` if one serial number is enough.

Covers changes in use, conversions, copies and moves.
"""

import os
import shlex
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from wizard.apply.run.backup_store import Environment
from wizard.apply.run.job import Start, check_tokens, request_stop
from wizard.apply.run.runs import doubts_about, runs_folder
from wizard.apply.run_control import starting
from wizard.cli.passphrase import out, say
from wizard.cli.select_run import GOOD_TO_KNOW, NEEDS_ROOT, STEPS
from wizard.model.errors import ExitCode, Refused, printable
from wizard.model.migration import Moves
from wizard.model.said import Message, t
from wizard.plan.changes import Bring, RunDocument
from wizard.plan.copy import amount_message, fstab_difference
from wizard.plan.partition.moves import preview
from wizard.plan.text import wrapped
from wizard.process.program import ended_by_signal


@dataclass(frozen=True, slots=True)
class Confirmation:
    """A question that the user answers by typing the token of the document's drive.

    `beforehand`: sentences printed first; `lines` renders the steps for a width in columns. In the
    refusal, `outcome` describes the effect, `drive` names the drive, and `refusal_of_more` explains why one
    token is enough.
    """

    document: RunDocument
    outcome: Message
    drive: Message | str
    refusal_of_more: Message
    beforehand: Sequence[Message | str]
    lines: Callable[[int], Iterator[str]]


def begin_or_refuse(
    question: Confirmation, arguments: Namespace, as_root: Callable[[], str]
) -> Path | ExitCode:
    """Start the run and return its folder, or return the exit code of a dry run.

    `as_root` words the command for root. Raises Refused without root or the right token.
    """
    journal_dir = arguments.journal
    environment = Environment(fstab=Path(arguments.fstab).absolute())
    for sentence in question.beforehand:
        say(sentence)
    if arguments.dry_run:
        return _dry_run(question, journal_dir, environment)
    option = f"--confirm {shlex.quote(printable(question.document.tokens[0]))}"
    if not arguments.confirm:
        said = t(
            "Nothing was written. {outcome}; `diskwright show` lists every step. To "
            "continue, confirm {drive} with:",
            outcome=question.outcome,
            drive=question.drive,
        )
        raise Refused(f"{said} {option}")
    if len(arguments.confirm) > 1:
        raise Refused(
            t(
                "{why}: confirm once, with {option}. Nothing was written.",
                why=question.refusal_of_more,
                option=option,
            )
        )
    check_tokens(question.document, arguments.confirm)
    if os.geteuid() != 0:
        raise Refused(f"{NEEDS_ROOT}  {as_root()}")
    for doubt in doubts_about(runs_folder(journal_dir)):
        say(doubt)
    how = Start(tuple(arguments.confirm), journal_dir, environment)
    return begin_heeding(partial(starting(question.document).start_document, question.document, how))


def begin_heeding(begin: Callable[[], Path]) -> Path:
    """Start a run and return its folder. Ctrl+C waits for the start, then stops the run before the next
    step."""
    with ended_by_signal() as is_ended:
        run = begin()
        if is_ended():
            request_stop(run)
            say(t("Ctrl+C: the run has started and will stop before the next step."))
    return run


def _dry_run(question: Confirmation, journal_dir: Path | None, environment: Environment) -> ExitCode:
    for line in question.lines(out().width):
        out().print(line, soft_wrap=True)
    if os.geteuid() != 0:
        say(t("Changes since planning were not checked: this requires root. Nothing was written."))
        return ExitCode.DONE
    how = Start((), journal_dir, environment)
    starting(question.document).preflight_document(question.document, how)
    say(t("All preliminary checks passed. Nothing was written."))
    return ExitCode.DONE


def bring_lines(bring: Bring, width: int) -> Iterator[str]:
    """Yield the size of a copy, attributes the target cannot store, and the fstab diff."""
    for one in amount_message(bring):
        yield from wrapped(str(one), width)
    for doubt in bring.doubts or (t("The copy preserves all files and attributes."),):
        yield from wrapped(f"- {printable(str(doubt), 4000)}", width, 2)
    yield from (f"    {printable(line, 4000)}" for line in fstab_difference(bring))


def all_lines(bring: Bring, width: int) -> Iterator[str]:
    """Yield the lines of a copy, with steps."""
    yield from bring_lines(bring, width)
    yield str(STEPS)
    for number, step in enumerate(bring.steps, 1):
        yield from wrapped(f"{number}. {printable(str(bring.step_sentence(step)), 4000)}", width, 3)


def apply_bring(bring: Bring, arguments: Namespace, as_root: Callable[[], str]) -> Path | ExitCode:
    """Start the copy and return the run's folder, or the exit code of a dry run. `as_root` words the command
    for root."""
    question = Confirmation(
        document=bring,
        outcome=t(
            "Files are added to {folder}; existing files are not overwritten.",
            folder=printable(bring.target.folder, 400),
        ),
        drive=t("the target drive"),
        refusal_of_more=t("files are copied to one drive at a time"),
        beforehand=(),
        lines=partial(all_lines, bring),
    )
    return begin_or_refuse(question, arguments, as_root)


# For all documents that change one drive.
ITS_DRIVE = t("the drive")
ONE_DRIVE = t("These changes are for one drive")


def move_lines(moves: Moves, width: int) -> Iterator[str]:
    """Yield the preview, notes and steps of a move."""
    for sentence in preview(moves):
        if sentence not in moves.doubts:
            yield from wrapped(printable(str(sentence), 4000), width)
    if moves.doubts:
        yield from ("", str(GOOD_TO_KNOW))
        for sentence in moves.doubts:
            yield from wrapped(f"- {printable(str(sentence), 4000)}", width, 2)
    yield from ("", str(STEPS))
    for number, sentence in enumerate(moves.sentences, 1):
        yield from wrapped(f"{number}. {printable(str(sentence), 4000)}", width, 3)


def apply_move(moves: Moves, arguments: Namespace, as_root: Callable[[], str]) -> Path | ExitCode:
    """Start the move and return the run's folder, or the exit code of a dry run. `as_root` words the command
    for root."""
    question = Confirmation(
        document=moves,
        outcome=t(
            "This moves {part:and} to another position on the drive, with all data.", part=moves.devices
        ),
        drive=ITS_DRIVE,
        refusal_of_more=ONE_DRIVE,
        beforehand=(),
        lines=partial(move_lines, moves),
    )
    return begin_or_refuse(question, arguments, as_root)
