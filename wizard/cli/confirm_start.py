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

from wizard.apply.copy.guard import check_token, preflight_bring, start_bring
from wizard.apply.copy.job import step_message
from wizard.apply.move.recover import check_token as moving_check_token
from wizard.apply.move.recover import preflight_moves, start_moves
from wizard.apply.run.backup_store import Environment
from wizard.apply.run.job import request_stop
from wizard.apply.run.runs import doubts_about, runs_folder
from wizard.cli.passphrase import out, say
from wizard.cli.select_run import GOOD_TO_KNOW, NEEDS_ROOT, STEPS
from wizard.model.errors import ExitCode, Refused, printable
from wizard.model.migration import Moves
from wizard.model.said import Message, t
from wizard.plan.changes import Bring
from wizard.plan.copy import amount_message, fstab_difference
from wizard.plan.partition.moves import preview, step_sentences
from wizard.plan.text import wrapped
from wizard.process.program import ended_by_signal

Preflight = Callable[[Path | None, Environment], None]
Start = Callable[[str, Path | None, Environment], Path]


@dataclass(frozen=True, slots=True)
class Confirmation:
    """A question that the user answers by typing `token`.

    `beforehand`: sentences printed first; `lines` renders the steps for a width in columns. In the
    refusal, `outcome` describes the effect, `drive` names the drive, and `refusal_of_more` explains why one
    token is enough. `check` refuses a wrong token. `preflight` and `start` receive the runs folder and the
    environment.
    """

    token: str
    outcome: Message
    drive: Message | str
    refusal_of_more: Message
    beforehand: Sequence[Message | str]
    lines: Callable[[int], Iterator[str]]
    check: Callable[[str], None]
    preflight: Preflight
    start: Start


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
    option = f"--confirm {shlex.quote(printable(question.token))}"
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
    question.check(arguments.confirm[0])
    if os.geteuid() != 0:
        raise Refused(f"{NEEDS_ROOT}  {as_root()}")
    for doubt in doubts_about(runs_folder(journal_dir)):
        say(doubt)
    return begin_heeding(partial(question.start, arguments.confirm[0], journal_dir, environment))


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
    question.preflight(journal_dir, environment)
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
        yield from wrapped(f"{number}. {printable(str(step_message(bring, step)), 4000)}", width, 3)


def apply_bring(bring: Bring, arguments: Namespace, as_root: Callable[[], str]) -> Path | ExitCode:
    """Start the copy and return the run's folder, or the exit code of a dry run. `as_root` words the command
    for root."""
    question = Confirmation(
        token=bring.drive.token,
        outcome=t(
            "Files are added to {folder}; existing files are not overwritten.",
            folder=printable(bring.target.folder, 400),
        ),
        drive=t("the target drive"),
        refusal_of_more=t("files are copied to one drive at a time"),
        beforehand=(),
        lines=partial(all_lines, bring),
        check=partial(check_token, bring),
        preflight=lambda runs, environment: preflight_bring(bring, journal_dir=runs, environment=environment),
        start=lambda token, runs, environment: start_bring(
            bring, token, journal_dir=runs, environment=environment
        ),
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
    for number, sentence in enumerate(step_sentences(moves), 1):
        yield from wrapped(f"{number}. {printable(str(sentence), 4000)}", width, 3)


def apply_move(moves: Moves, arguments: Namespace, as_root: Callable[[], str]) -> Path | ExitCode:
    """Start the move and return the run's folder, or the exit code of a dry run. `as_root` words the command
    for root."""
    question = Confirmation(
        token=moves.drive.token,
        outcome=t(
            "This moves {part:and} to another position on the drive, with all data.", part=moves.devices
        ),
        drive=ITS_DRIVE,
        refusal_of_more=ONE_DRIVE,
        beforehand=(),
        lines=partial(move_lines, moves),
        check=partial(moving_check_token, moves),
        preflight=lambda runs, environment: preflight_moves(moves, journal_dir=runs, environment=environment),
        start=lambda token, runs, environment: start_moves(
            moves, token, journal_dir=runs, environment=environment
        ),
    )
    return begin_or_refuse(question, arguments, as_root)
