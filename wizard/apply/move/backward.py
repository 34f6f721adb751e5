"""Undo moves from any state, the last one first.

The journal of the last started move is still on the drive and reverses that move. Journals of earlier moves
are overwritten, so each is undone by a new move from the new place to the old one.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from wizard.apply.move import forward
from wizard.apply.move.bad_sectors import UnreadableBlocks, new_name, with_unread_at
from wizard.apply.move.content import OnDrive, ends_digest
from wizard.apply.move.forward import stopped_back_said
from wizard.apply.move.mover.journal import MovePhase, PartitionSide
from wizard.apply.move.mover.mover import Mover
from wizard.apply.run.backup_store import mark_durably
from wizard.apply.run.process import UNDOING
from wizard.apply.run.runs import run_argument
from wizard.model.errors import Failed, Refused
from wizard.model.machine import Extent
from wizard.model.migration import Move
from wizard.model.said import Sentence, t
from wizard.plan.partition.moves import taken_back

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
        elif not _has_same_ends(context, number, move):
            raise Refused(USED_SINCE(part=move.device, start=move.before.start_bytes))


def _last_move(context: OnDrive, number: int, move: Move) -> Mover | None:
    """Return the last move from the drive's journal, or None if it has only written the journal. Raises
    Refused if the journal is lost."""
    if not context.has_started(number):
        return None
    mover = _load_mover(context, number, move, context.notes[number].name)
    if mover is None:
        raise Refused(forward.NO_JOURNAL(run=context.run.name, drive=move.drive.path))
    return mover


def _has_same_ends(context: OnDrive, number: int, move: Move) -> bool:
    """Return True if both ends of the moved partition are unchanged since they were compared, ignoring places
    that the user has given up."""
    start, unread = move.after.start_bytes, list[Extent]()
    digest = ends_digest(context.drive, move, start, unread)
    if all(place in context.notes[number].over for place in unread):
        return bool(unread) or digest == context.notes[number].stood
    raise _bad_sector_refusal(context, number, unread, is_kept=False)


def _bad_sector_refusal(context: OnDrive, number: int, places: Iterable[Extent], *, is_kept: bool) -> Refused:
    """Record bad sectors of a moved partition, so the user can give them up, and return the refusal."""
    move = context.moves.moves[number]
    noted = with_unread_at(context.notes[number], places, move.after.start_bytes, is_kept=is_kept)
    context.note(number, noted)
    return Refused(stopped_back_said(move, noted.stops, run_argument(context.run)))


def _refuse_changed(context: OnDrive, number: int, move: Move, mover: Mover) -> None:
    start = move.before.start_bytes
    try:
        is_unused = mover.stands(PartitionSide.NEW, context.notes[number].over)
    except UnreadableBlocks as unreadable:
        raise _bad_sector_refusal(context, number, unreadable.places, is_kept=True) from None
    if not is_unused:
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
            _run_mover(context, number, mover, PartitionSide.OLD)
    else:
        _move_back(context, number, move)
    # Skip sectors that were given up: they are unreadable here, too. The drive may be failing where data was
    # lost, so pieces with such places are not compared. New bad sectors do not prevent the end of undo.
    passed, unread = tuple(one.content for one in context.notes[number].bad), list[Extent]()
    start = move.before.start_bytes
    digests = context.digests(move, start, 0, lambda: False, passed, unread)
    context.note(number, with_unread_at(context.notes[number], unread, start, is_kept=False))
    # A partition that has not moved may have been used, since nothing was written to it.
    if digests is None or (is_moved and not context.are_same(number, digests)):
        raise Failed(forward.NOT_SAME(part=move.device))
    context.note(number, replace(context.notes[number], is_back=True))


def _run_mover(context: OnDrive, number: int, mover: Mover, side: PartitionSide) -> None:
    """Run a move. Raises Failed, with advice, on bad sectors."""
    mover.give_up(context.notes[number].over)
    try:
        mover.go(side)
    except UnreadableBlocks:
        context.note_bad(number, mover)
        move, stops = context.moves.moves[number], context.notes[number].stops
        raise Failed(stopped_back_said(move, stops, run_argument(context.run))) from None
    context.note_bad(number, mover)


def _move_back(context: OnDrive, number: int, move: Move) -> None:
    """Move back with a new journal in the place of the old one."""
    back, noted = taken_back(move), context.notes[number]
    mover = _load_mover(context, number, back, noted.back) if noted.back else None
    if mover is None:
        for following, name in _leftover_journals(context, number):
            context.journal(following).forget(name)
        begun = replace(noted, back=noted.back or new_name())
        try:
            state, images = context.prepared(number, back, begun, begun.back)
        except UnreadableBlocks as unreadable:
            context.note(
                number, with_unread_at(noted, unreadable.places, back.before.start_bytes, is_kept=False)
            )
            raise Failed(
                stopped_back_said(move, context.notes[number].stops, run_argument(context.run))
            ) from None
        context.note(number, begun)
        journal = context.journal(back)
        journal.prepare(state, images)
        mover = Mover(context.drive, journal, state, b"", context.telling(back, 0, 0, lambda: False))
    _run_mover(context, number, mover, PartitionSide.NEW)


def _leftover_journals(context: OnDrive, number: int) -> Iterator[tuple[Move, str]]:
    """Yield journals that may be left from undoing the next move."""
    noted = context.notes[number + 1]
    yield from ((context.moves.moves[number + 1], name) for name in (noted.name, noted.back) if name)
