"""Whether a move may still be made. Every doubt is a refusal; nothing here writes."""

from dataclasses import replace
from pathlib import Path

from wizard.apply.block.devices import forget_caches, impostor, open_exclusively
from wizard.apply.engine.words import IN_USE
from wizard.apply.migration.words import ANOTHER_DRIVE
from wizard.apply.move import words
from wizard.apply.move.located import has_journal
from wizard.apply.move.noted import load_notes
from wizard.apply.plan.same_drive import check_same_start, drive_fault, probe_again
from wizard.apply.run.environment import LOOK_SECONDS, Environment
from wizard.apply.run.journal import begun_steps, read_entries
from wizard.layout.moving.sequence import planned_again
from wizard.layout.moving.told import move_step
from wizard.model.documents.move import Moves
from wizard.model.errors import BadInput, Refused
from wizard.model.said import Sentence, t
from wizard.probe.machine import probe_drive, probe_machine

REFUSED = Sentence("{why} Nothing was written.")


def check_own(moves: Moves, environment: Environment) -> None:
    """Raises Refused where this run may not touch the drive."""
    drive = moves.drive.path
    if environment.only is not None and drive not in environment.only:
        raise Refused(t("{drive} is not a drive that this run may touch. Nothing was written.", drive=drive))
    if reason := impostor(drive, drive):
        raise Refused(
            t("{node} cannot be trusted: {reason}. Nothing was written.", node=drive, reason=reason)
        )


def check_new(moves: Moves) -> None:
    """Raises Refused unless it is the drive that the moves were made for, and the same would be made now."""
    drive = probe_again(moves.drive)
    check_same_start(moves.drive, drive)
    again = _again(moves)
    if again is None or _with_drive_of(moves, again) != moves or _was_written(again, moves):
        raise Refused(
            t(
                "{part} is not as it was when this was made. Look at it again with "
                "`diskwright move`. Nothing was written.",
                part=moves.device,
            )
        )


def _again(moves: Moves) -> Moves | None:
    """The same moves, worked out now; None where the drive is gone."""
    try:
        machine = probe_machine([moves.drive.path], seconds=LOOK_SECONDS)
        return next((planned_again(machine, drive, moves) for drive in machine.drives), None)
    except (BadInput, Refused) as error:
        raise Refused(REFUSED(why=str(error))) from None


def _with_drive_of(moves: Moves, again: Moves) -> Moves:
    return replace(again, moves=tuple(replace(move, drive=moves.drive) for move in again.moves))


def _was_written(again: Moves, moves: Moves) -> bool:
    return again.drive.content_digest != moves.drive.content_digest or again.drive.held != moves.drive.held


def check_same(run: Path, moves: Moves) -> None:
    """Raise Refused unless the drive is the one that the moves were made for, and nobody uses it. Once a move
    has begun, the drive must contain the run's journal."""
    drive = probe_again(moves.drive)
    if reason := open_exclusively(moves.drive.path):
        raise Refused(REFUSED(why=IN_USE(device=moves.drive.path, why=reason)))
    # The page cache may hold what the drive before had there.
    forget_caches(moves.drive.path)
    notes = load_notes(run, moves)
    found = has_journal(moves.drive.path, moves, notes)
    started = begun_steps(read_entries(run))
    last = max((number for number, noted in enumerate(notes) if noted.is_begun), default=0)
    if not found and move_step(moves, last) in started and not notes[last].is_back:
        raise Refused(words.NO_JOURNAL(run=run.name, drive=moves.drive.path))

    def is_left_there() -> bool | None:
        if found or any(noted.is_begun for noted in notes):
            return found or None
        return drive.content_digest == moves.drive.content_digest

    if fault := drive_fault(moves.drive, drive, is_left_there):
        raise Refused(ANOTHER_DRIVE(fault=fault))


def check_left(moves: Moves, started: int) -> None:
    """Raise Refused unless the partitions of which the drive has no journal are where they were, and hold
    what they held."""
    drive = probe_drive(moves.drive.path)
    for move in moves.moves[started:]:
        part = drive.partition(move.device)
        if part is None or part.extent != move.before or part.filesystem != move.holds:
            raise Refused(
                t(
                    "{part}, which moves next, is not as it was when this was made. `diskwright "
                    "undo` takes back what has moved.",
                    part=move.device,
                )
            )
