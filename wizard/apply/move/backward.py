"""Undo moves from any state, the last one first.

The journal of the last started move is still on the drive and reverses that move. Journals of earlier moves
are overwritten, so each is undone by a new move from the new place to the old one.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from wizard.apply.move import forward
from wizard.apply.move.content import OnDrive, ends_digest
from wizard.apply.move.move_notes import Bad, new_name, without_stops
from wizard.apply.move.mover.journal import MovePhase, PartitionSide, UnreadSector
from wizard.apply.move.mover.mover import Mover
from wizard.apply.run.backup_store import mark_durably
from wizard.apply.run.journal import done_steps, read_entries
from wizard.apply.run.process import UNDOING
from wizard.model.errors import Failed, Refused
from wizard.model.machine import Extent
from wizard.model.moves import Move
from wizard.model.said import Sentence, t
from wizard.plan.partition.moves import move_step, reversed_move

USED_SINCE = Sentence(
    "{part} was used after the move, so this run cannot move it back. "
    "`diskwright move {part} --to {start}` moves it there with its current "
    "contents."
)


def return_all(context: OnDrive) -> None:
    """Move all partitions back and verify them. Raises Refused if one was used since, and Failed."""
    refuse_used(context)
    mark_durably(context.run / UNDOING)
    begun = _begun(context)
    for number in reversed(begun):
        if not context.notes[number].is_back:
            _undo_move(context, number, is_last=number == begun[-1])


def _begun(context: OnDrive) -> list[int]:
    return [number for number, noted in enumerate(context.notes) if noted.is_begun]


def refuse_used(context: OnDrive) -> None:
    """Raises Refused if a move cannot be undone because the partition was mounted for writing since, which
    changes its head. A partition on its way back cannot have been used."""
    begun = _begun(context)
    for number in begun:
        move, noted = context.moves.moves[number], context.notes[number]
        if noted.is_back or noted.back:
            continue
        if number == begun[-1]:
            mover = _last_move(context, number, move)
            if mover is not None and (mover.state.phase, mover.state.target) == (
                MovePhase.DONE,
                PartitionSide.NEW,
            ):
                _refuse_changed(context, number, move, mover)
        elif ends_digest(context.drive, move, move.after.start_bytes) != noted.stood:
            raise Refused(USED_SINCE(part=move.device, start=move.before.start_bytes))


def _last_move(context: OnDrive, number: int, move: Move) -> Mover | None:
    """Return the last move from the drive's journal, or None if only the journal was written. Raises Refused
    if the journal is lost."""
    if not context.has_started(number):
        return None
    mover = _load_mover(context, number, move, context.notes[number].name)
    if mover is None:
        raise Refused(forward.NO_JOURNAL(run=context.run.name, drive=move.drive.path))
    return mover


def _refuse_changed(context: OnDrive, number: int, move: Move, mover: Mover) -> None:
    start = move.before.start_bytes
    if not mover.is_at(PartitionSide.NEW):
        raise Refused(USED_SINCE(part=move.device, start=start))
    if not mover.has_table(PartitionSide.NEW):
        raise Refused(
            t(
                "The partition table of {drive} has changed since {part} was moved, so undo "
                "is not possible. Instead, use `diskwright move {part} --to {start}`.",
                part=move.device,
                drive=move.drive.path,
                start=start,
            )
        )


def _load_mover(context: OnDrive, number: int, move: Move, name: str) -> Mover | None:
    """Return the move with this name from the drive's journal, or None."""
    journal = context.journal(move)
    loaded = journal.load()
    if loaded is None or loaded[0].course.run != name:
        return None
    side = PartitionSide.OLD if name == context.notes[number].name else PartitionSide.NEW
    report = context.telling(move, 0, loaded[0].moved_to(side), lambda: False)
    return Mover(context.drive, journal, *loaded, report)


def _undo_move(context: OnDrive, number: int, *, is_last: bool) -> None:
    move, is_moved = context.moves.moves[number], True
    if is_last:
        mover = _last_move(context, number, move)
        is_moved = mover is not None and not mover.is_whole
        if mover is not None:
            if move_step(context.moves, number) in done_steps(read_entries(context.run)):
                name = context.notes[number].name
                load = partial(_load_mover, context, number, move, name)
                try:
                    _go_or_return(mover, PartitionSide.OLD, load)
                except PartitionReturned:
                    # No partition was moved back, so the run can be resumed.
                    (context.run / UNDOING).unlink()
                    raise
            else:
                mover.go(PartitionSide.OLD)
    else:
        _move_back(context, number, move)
    # Everything is back, so an unreadable sector does not keep undo from ending. Its piece is not compared.
    start, unread = move.before.start_bytes, list[Extent]()
    digests = context.digests(move, start, 0, lambda: False, unread)
    # A partition that has not moved may have been used, since nothing was written to it.
    if digests is None or (is_moved and not context.are_same(number, digests, unread)):
        raise Failed(forward.NOT_SAME(part=move.device))
    noted = without_stops(context.notes[number])
    bad = (*noted.bad, *(Bad(place, start + place.start_bytes) for place in unread))
    context.note(number, replace(noted, is_back=True, bad=bad))


class PartitionReturned(Failed):
    """A sector is unreadable, and the partition is complete where the move back started."""


def _go_or_return(mover: Mover, side: PartitionSide, load: Callable[[], Mover | None]) -> None:
    """Move a complete partition. If a sector is unreadable, return the partition to the start of this move.

    Raises PartitionReturned in this case, UnreadSector if the partition is incomplete, and Failed.
    """
    try:
        mover.go(side)
    except UnreadSector as error:
        # As after a power cut, only the journal is right.
        if (again := load()) is None:
            raise
        again.go(PartitionSide.NEW if side is PartitionSide.OLD else PartitionSide.OLD)
        raise PartitionReturned(
            t("{why} The partition was not moved back, and is complete.", why=str(error))
        ) from None


def _move_back(context: OnDrive, number: int, move: Move) -> None:
    """Move back with a new journal in the place of the old one."""
    back, noted = reversed_move(move), context.notes[number]
    mover = _load_mover(context, number, back, noted.back) if noted.back else None
    if mover is None:
        for following, name in _leftover_journals(context, number):
            context.journal(following).forget(name)
        begun = replace(noted, back=noted.back or new_name())
        state, images = context.prepared(number, back, begun, begun.back)
        context.note(number, begun)
        journal = context.journal(back)
        journal.prepare(state, images)
        mover = Mover(context.drive, journal, state, b"", context.telling(back, 0, 0, lambda: False))
    name = context.notes[number].back
    _go_or_return(mover, PartitionSide.NEW, partial(_load_mover, context, number, back, name))


def _leftover_journals(context: OnDrive, number: int) -> Iterator[tuple[Move, str]]:
    """Yield journals that may be left from undoing the next move."""
    noted = context.notes[number + 1]
    yield from ((context.moves.moves[number + 1], name) for name in (noted.name, noted.back) if name)
