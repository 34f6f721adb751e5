"""A move, as `diskwright move`, `show` and `apply` treat it: the same as a plan, in its own words."""

from argparse import Namespace
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from wizard.apply.move.start import check_token, preflight_move, start_move
from wizard.apply.move.words import OUTCOME
from wizard.faces.words.shared import GOOD_TO_KNOW, STEPS
from wizard.faces.writing.beginning import Question, begin_or_refuse
from wizard.faces.writing.words import beginning as words
from wizard.layout.moving.told import preview, step_sentences
from wizard.layout.told.text import wrapped
from wizard.model.documents.move import Move
from wizard.model.errors import ExitCode
from wizard.model.names import printable


def move_lines(move: Move, width: int) -> Iterator[str]:
    """All that is to be known before, and the steps, as text."""
    for sentence in preview(move):
        if sentence not in move.doubts:
            yield from wrapped(printable(str(sentence), 4000), width)
    if move.doubts:
        yield from ("", str(GOOD_TO_KNOW()))
        for sentence in move.doubts:
            yield from wrapped(f"- {printable(str(sentence), 4000)}", width, 2)
    yield from ("", str(STEPS()))
    for number, sentence in enumerate(step_sentences(move), 1):
        yield from wrapped(f"{number}. {printable(str(sentence), 4000)}", width, 3)


def apply_move(move: Move, arguments: Namespace, as_root: Callable[[], str]) -> Path | ExitCode:
    """Begin the run and give its folder, or the exit code of a dry run. `as_root` words the command for
    root."""
    question = Question(
        token=move.drive.token,
        outcome=OUTCOME(part=move.device),
        drive=words.ITS_DRIVE(),
        refusal_of_more=words.ONE_DRIVE(),
        beforehand=(),
        lines=partial(move_lines, move),
        check=partial(check_token, move),
        preflight=lambda runs, environment: preflight_move(move, journal_dir=runs, environment=environment),
        start=lambda token, runs, environment: start_move(
            move, token, journal_dir=runs, environment=environment
        ),
    )
    return begin_or_refuse(question, arguments, as_root)
