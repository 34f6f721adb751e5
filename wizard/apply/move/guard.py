"""Whether a move may still be made. Every doubt is a refusal; nothing here writes."""

from dataclasses import replace

from wizard.apply.block.devices import impostor, open_exclusively
from wizard.apply.engine.words import IN_USE
from wizard.apply.move import words
from wizard.apply.plan.same_drive import check_same_start, probe_again
from wizard.apply.run.environment import LOOK_SECONDS, Environment
from wizard.layout.moving.sequence import planned_again
from wizard.model.documents.move import Moves
from wizard.model.errors import BadInput, Refused
from wizard.probe.machine import probe_drive, probe_machine


def check_own(moves: Moves, environment: Environment) -> None:
    """Raises Refused where this run may not touch the drive."""
    drive = moves.drive.path
    if environment.only is not None and drive not in environment.only:
        raise Refused(words.OTHER_DRIVE(drive=drive))
    if reason := impostor(drive, drive):
        raise Refused(words.NOT_TRUSTED(node=drive, reason=reason))


def check_new(moves: Moves) -> None:
    """Raises Refused unless it is the drive that the moves were made for, and the same would be made now."""
    drive = probe_again(moves.drive)
    check_same_start(moves.drive, drive)
    again = _again(moves)
    if again is None or _with_drive_of(moves, again) != moves or _was_written(again, moves):
        raise Refused(words.OTHERWISE(part=moves.device))


def _again(moves: Moves) -> Moves | None:
    """The same moves, worked out now; None where the drive is gone."""
    try:
        machine = probe_machine([moves.drive.path], seconds=LOOK_SECONDS)
        return next((planned_again(machine, drive, moves) for drive in machine.drives), None)
    except (BadInput, Refused) as error:
        raise Refused(words.REFUSED(why=str(error))) from None


def _with_drive_of(moves: Moves, again: Moves) -> Moves:
    return replace(again, moves=tuple(replace(move, drive=moves.drive) for move in again.moves))


def _was_written(again: Moves, moves: Moves) -> bool:
    return again.drive.content_digest != moves.drive.content_digest or again.drive.held != moves.drive.held


def check_same(moves: Moves) -> None:
    """Raises Refused unless the drive is the one that the moves were made for, however far they are."""
    check_same_start(moves.drive, probe_again(moves.drive))
    if reason := open_exclusively(moves.drive.path):
        raise Refused(words.REFUSED(why=IN_USE(device=moves.drive.path, why=reason)))


def check_left(moves: Moves, begun: int) -> None:
    """Raises Refused unless the partitions that have not begun to move are where they were, and hold what
    they held."""
    drive = probe_drive(moves.drive.path)
    for move in moves.moves[begun:]:
        part = drive.partition(move.device)
        if part is None or part.extent != move.before or part.filesystem != move.holds:
            raise Refused(words.LEFT_OTHERWISE(part=move.device))
