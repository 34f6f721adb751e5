"""A move, as a kind of run: taken up, carried out, taken back."""

from functools import partial
from pathlib import Path

from wizard.apply.move import words
from wizard.apply.move.guard import check_own, check_same
from wizard.apply.move.of_run import load_moves
from wizard.apply.move.run import carry_out, check_takes_back, check_unused, take_back
from wizard.apply.run.journal import RunState, state
from wizard.apply.run.kinds import Asked, Job, Taking
from wizard.apply.run.lock import lock_drives
from wizard.apply.run.process import UNDOING, Purpose
from wizard.apply.run.runs import called, load_environment
from wizard.model.errors import DiskwrightError, Refused

OVER = frozenset({RunState.DONE, RunState.UNDONE})


def _taking(run: Path, asked: Asked) -> Taking:
    if asked.over_changes:
        raise Refused(words.NO_OVER(run=run.name))
    moves, now = load_moves(run), state(run)
    check_own(moves, load_environment(run))
    check = partial(check_same, moves)
    match asked.purpose:
        case Purpose.KEEP:
            raise Refused(words.NO_KEEP(run=run.name))
        case Purpose.APPLY:
            if now in OVER:
                raise Refused(words.OVER(run=run.name, state=now.value))
            if (run / UNDOING).exists():
                raise Refused(words.BEING_UNDONE(run=run.name, name=called(run)))
            sentence = words.GOING_ON(part=moves.devices)
        case Purpose.UNDO:
            if now is RunState.UNDONE:
                raise Refused(words.OVER(run=run.name, state=now.value))
            check_takes_back(run)
            check = partial(check_unused, run, moves)
            sentence = words.TAKING_BACK(part=moves.devices)
    return Taking(sentence, partial(lock_drives, (moves.drive.path,)), check)


def _told(_: Path, error: DiskwrightError) -> str:
    return str(error)


JOB = Job(_taking, {Purpose.APPLY: carry_out, Purpose.UNDO: take_back}, _told)
