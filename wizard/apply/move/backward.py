"""Undo moves from any state, the last one first.

The journal of the last started move is still on the drive and reverses that move. Earlier moves have no
journal left. Each is undone by a new move from the new place to the old one.
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


def return_all(on: OnDrive) -> None:
    """Until every partition is where it was, bit for bit. Raises Refused where one was used since, and
    Failed."""
    refuse_used(on)
    mark_durably(on.run / UNDOING)
    begun = _begun(on)
    for number in reversed(begun):
        if not on.notes[number].is_back:
            _return(on, number, is_last=number == begun[-1])


def _begun(on: OnDrive) -> list[int]:
    return [number for number, noted in enumerate(on.notes) if noted.is_begun]


def refuse_used(on: OnDrive) -> None:
    """Raises Refused where one cannot be taken back: what was mounted for writing has another head than is
    known. One that is on the way back already cannot have been used."""
    begun = _begun(on)
    for number in begun:
        move, noted = on.moves.moves[number], on.notes[number]
        if noted.is_back or noted.back:
            continue
        if number == begun[-1]:
            mover = _started(on, number, move)
            if mover is not None and (mover.state.phase, mover.state.target) == (
                MovePhase.DONE,
                PartitionSide.NEW,
            ):
                _refuse_changed(on, number, move, mover)
        elif not _has_same_ends(on, number, move):
            raise Refused(USED_SINCE(part=move.device, start=move.before.start_bytes))


def _started(on: OnDrive, number: int, move: Move) -> Mover | None:
    """The last move as the drive's journal knows it; None where nothing but that was written. Raises
    Refused where the journal is gone."""
    if not on.has_started(number):
        return None
    mover = _by_journal(on, number, move, on.notes[number].name)
    if mover is None:
        raise Refused(forward.NO_JOURNAL(run=on.run.name, drive=move.drive.path))
    return mover


def _has_same_ends(on: OnDrive, number: int, move: Move) -> bool:
    """Whether both ends of what has moved are as they were compared, as far as nobody gave them up."""
    start, unread = move.after.start_bytes, list[Extent]()
    digest = ends_digest(on.drive, move, start, unread)
    if all(place in on.notes[number].over for place in unread):
        return bool(unread) or digest == on.notes[number].stood
    raise _unread_at(on, number, unread, is_kept=False)


def _unread_at(on: OnDrive, number: int, places: Iterable[Extent], *, is_kept: bool) -> Refused:
    """Of what lies whole at its new place. The run knows the places then, so that they can be given up."""
    move = on.moves.moves[number]
    noted = with_unread_at(on.notes[number], places, move.after.start_bytes, is_kept=is_kept)
    on.note(number, noted)
    return Refused(stopped_back_said(move, noted.stops, run_argument(on.run)))


def _refuse_changed(on: OnDrive, number: int, move: Move, mover: Mover) -> None:
    start = move.before.start_bytes
    try:
        is_unused = mover.stands(PartitionSide.NEW, on.notes[number].over)
    except UnreadableBlocks as unreadable:
        raise _unread_at(on, number, unreadable.places, is_kept=True) from None
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


def _by_journal(on: OnDrive, number: int, move: Move, name: str) -> Mover | None:
    """The move as the drive's journal knows it; None where there is none of that name."""
    journal = on.journal(move)
    loaded = journal.load()
    if loaded is None or loaded[0].course.run != name:
        return None
    side = PartitionSide.OLD if name == on.notes[number].name else PartitionSide.NEW
    told = on.telling(move, 0, loaded[0].moved_to(side), lambda: False)
    return Mover(on.drive, journal, *loaded, told)


def _return(on: OnDrive, number: int, *, is_last: bool) -> None:
    move, is_moved = on.moves.moves[number], True
    if is_last:
        mover = _started(on, number, move)
        is_moved = mover is not None and not mover.is_whole
        if mover is not None:
            _go(on, number, mover, PartitionSide.OLD)
    else:
        _move_back(on, number, move)
    # What nobody has given up cannot be read here either, and where something was lost the drive may still
    # fail: pieces with such places are not compared. Nor does a place that fails now keep it from its end.
    passed, unread = tuple(one.content for one in on.notes[number].bad), list[Extent]()
    start = move.before.start_bytes
    digests = on.digests(move, start, 0, lambda: False, passed, unread)
    on.note(number, with_unread_at(on.notes[number], unread, start, is_kept=False))
    # Of what was not moved somebody may have used what nobody had written to.
    if digests is None or (is_moved and not on.are_same(number, digests)):
        raise Failed(forward.NOT_SAME(part=move.device))
    on.note(number, replace(on.notes[number], is_back=True))


def _go(on: OnDrive, number: int, mover: Mover, side: PartitionSide) -> None:
    """Raises Failed where sectors cannot be read, with what can be done."""
    mover.give_up(on.notes[number].over)
    try:
        mover.go(side)
    except UnreadableBlocks:
        on.note_bad(number, mover)
        move, stops = on.moves.moves[number], on.notes[number].stops
        raise Failed(stopped_back_said(move, stops, run_argument(on.run))) from None
    on.note_bad(number, mover)


def _move_back(on: OnDrive, number: int, move: Move) -> None:
    """By a move of its own, whose journal lies where that of the move lay."""
    back, noted = taken_back(move), on.notes[number]
    mover = _by_journal(on, number, back, noted.back) if noted.back else None
    if mover is None:
        for following, name in _journals_of_next(on, number):
            on.journal(following).forget(name)
        begun = replace(noted, back=noted.back or new_name())
        try:
            state, images = on.prepared(number, back, begun, begun.back)
        except UnreadableBlocks as unreadable:
            on.note(number, with_unread_at(noted, unreadable.places, back.before.start_bytes, is_kept=False))
            raise Failed(stopped_back_said(move, on.notes[number].stops, run_argument(on.run))) from None
        on.note(number, begun)
        journal = on.journal(back)
        journal.prepare(state, images)
        mover = Mover(on.drive, journal, state, b"", on.telling(back, 0, 0, lambda: False))
    _go(on, number, mover, PartitionSide.NEW)


def _journals_of_next(on: OnDrive, number: int) -> Iterator[tuple[Move, str]]:
    """The journals that may stand of the move that was taken back just before."""
    noted = on.notes[number + 1]
    yield from ((on.moves.moves[number + 1], name) for name in (noted.name, noted.back) if name)
