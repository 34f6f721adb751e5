"""Moves, as `diskwright move`, `show` and `apply` treat it: as a plan, in their own words."""

from argparse import Namespace
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from wizard.apply.move.start import check_token, preflight_moves, start_moves
from wizard.faces.words.shared import GOOD_TO_KNOW, STEPS
from wizard.faces.writing.beginning import Question, begin_or_refuse
from wizard.faces.writing.words import beginning as words
from wizard.layout.moving.told import preview, step_sentences
from wizard.layout.told.text import wrapped
from wizard.model.documents.move import Moves
from wizard.model.errors import ExitCode
from wizard.model.names import printable
from wizard.model.said import t


def move_lines(moves: Moves, width: int) -> Iterator[str]:
    """All that is to be known before, and the steps, as text."""
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
    """Begin the run and give its folder, or the exit code of a dry run. `as_root` words the command for
    root."""
    question = Question(
        token=moves.drive.token,
        outcome=t(
            "This moves {part:and} to another place on the drive, with everything in it.", part=moves.devices
        ),
        drive=words.ITS_DRIVE,
        refusal_of_more=words.ONE_DRIVE,
        beforehand=(),
        lines=partial(move_lines, moves),
        check=partial(check_token, moves),
        preflight=lambda runs, environment: preflight_moves(moves, journal_dir=runs, environment=environment),
        start=lambda token, runs, environment: start_moves(
            moves, token, journal_dir=runs, environment=environment
        ),
    )
    return begin_or_refuse(question, arguments, as_root)
