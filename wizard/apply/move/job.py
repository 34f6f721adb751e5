"""A move, as a kind of run: taken up, carried out, taken back."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from wizard.apply.move import words
from wizard.apply.move.guard import check_own, check_same
from wizard.apply.move.located import moves_here
from wizard.apply.move.noted import load_notes, save_notes
from wizard.apply.move.run import carry_out, check_takes_back, check_unused, take_back
from wizard.apply.run.journal import RunState, state
from wizard.apply.run.kinds import Asked, Job, Taking
from wizard.apply.run.lock import lock_drives
from wizard.apply.run.process import UNDOING, Purpose
from wizard.apply.run.runs import called, load_environment
from wizard.model.documents.move import Moves
from wizard.model.errors import DiskwrightError, Refused
from wizard.model.said import t

OVER = frozenset({RunState.DONE, RunState.UNDONE})


def _taking(run: Path, asked: Asked) -> Taking:
    if asked.over_changes:
        raise Refused(
            t(
                "{run} moves a partition: --over-changes means nothing for it. Nothing was written.",
                run=run.name,
            )
        )
    moves, now = moves_here(run), state(run)
    check_own(moves, load_environment(run))
    if asked.over_bad_sectors and not any(noted.stops or noted.over for noted in load_notes(run, moves)):
        raise Refused(
            t(
                "{run} has not stopped at a bad sector: --over-bad-sectors means nothing for "
                "it. Nothing was written.",
                run=run.name,
            )
        )
    check = partial(check_same, run, moves)
    match asked.purpose:
        case Purpose.KEEP:
            raise Refused(
                t(
                    "{run} moves a partition, which is in use as soon as it is done: there is "
                    "nothing to keep.",
                    run=run.name,
                )
            )
        case Purpose.APPLY:
            if now in OVER:
                raise Refused(words.OVER(run=run.name, state=now.value))
            if (run / UNDOING).exists():
                raise Refused(
                    t(
                        "{run} is being undone: `diskwright undo {name}` goes on.",
                        run=run.name,
                        name=called(run),
                    )
                )
            sentence = t("Moving {part:and} goes on.", part=moves.devices)
        case Purpose.UNDO:
            if now is RunState.UNDONE:
                raise Refused(words.OVER(run=run.name, state=now.value))
            check_takes_back(run)
            check = partial(check_unused, run, moves, over_bad_sectors=asked.over_bad_sectors)
            sentence = t("Moving {part:and} back to where it was goes on.", part=moves.devices)
    return Taking(
        sentence,
        partial(lock_drives, (moves.drive.path,)),
        partial(_checked, run, moves, check) if asked.over_bad_sectors else check,
    )


def _checked(run: Path, moves: Moves, check: Callable[[], None]) -> None:
    """What the run stops at was shown, and is given up from here on."""
    check()
    save_notes(run, [noted.giving_up for noted in load_notes(run, moves)])


def _told(_: Path, error: DiskwrightError) -> str:
    return str(error)


JOB = Job(_taking, {Purpose.APPLY: carry_out, Purpose.UNDO: take_back}, _told, goes_over_bad_sectors=True)
