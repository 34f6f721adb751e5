"""Whether a move may still be made. Every doubt is a refusal; nothing here writes."""

from dataclasses import replace

from wizard.apply.block.devices import impostor, open_exclusively
from wizard.apply.engine.words import IN_USE
from wizard.apply.move import words
from wizard.apply.plan.same_drive import check_same_start, probe_again
from wizard.apply.run.environment import LOOK_SECONDS, Environment
from wizard.layout.moving.planned import planned_move
from wizard.model.documents.move import Move
from wizard.model.errors import BadInput, Refused
from wizard.probe.machine import probe_machine


def check_own(move: Move, environment: Environment) -> None:
    """Raises Refused where this run may not touch the drive."""
    drive = move.drive.path
    if environment.only is not None and drive not in environment.only:
        raise Refused(words.OTHER_DRIVE(drive=drive))
    if reason := impostor(drive, drive):
        raise Refused(words.NOT_TRUSTED(node=drive, reason=reason))


def check_new(move: Move) -> None:
    """Raises Refused unless it is the drive that the move was made for, and the same move would be made
    now."""
    drive = probe_again(move.drive)
    check_same_start(move.drive, drive)
    part = drive.partition(move.device)
    try:
        machine = probe_machine([drive.path], seconds=LOOK_SECONDS)
        again = planned_move(machine, drive, part, move.after.start_bytes) if part else None
    except BadInput as error:
        raise Refused(words.REFUSED(why=str(error))) from None
    except Refused as error:
        raise Refused(words.REFUSED(why=str(error))) from None
    if again is None or replace(again, drive=move.drive) != move or _was_written(again, move):
        raise Refused(words.OTHERWISE(part=move.device))


def _was_written(again: Move, move: Move) -> bool:
    return again.drive.content_digest != move.drive.content_digest or again.drive.held != move.drive.held


def check_same(move: Move) -> None:
    """Raises Refused unless the drive is the one that the move was made for, however far it has moved."""
    check_same_start(move.drive, probe_again(move.drive))
    if reason := open_exclusively(move.drive.path):
        raise Refused(words.REFUSED(why=IN_USE(device=move.drive.path, why=reason)))
