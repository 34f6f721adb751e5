"""Taking moves back from wherever they are, the last first.

The journal of the last move that began is on the drive still, and turns it. Those before it have none any
more: each is moved back by a move of its own, from the new place to the old one.
"""

from collections.abc import Iterator
from dataclasses import replace

from wizard.apply.move import words
from wizard.apply.move.content import ends_digest
from wizard.apply.move.mover.mover import Mover
from wizard.apply.move.mover.state import Phase, Side
from wizard.apply.move.noted import new_name
from wizard.apply.move.on_drive import OnDrive
from wizard.apply.move.unread import words as unread_words
from wizard.apply.move.unread.narrowing import Unreadable
from wizard.apply.move.unread.told import bad_listed
from wizard.apply.run.process import UNDOING
from wizard.apply.run.runs import called
from wizard.apply.run.vault import mark_durably
from wizard.layout.moving.sequence import taken_back
from wizard.model.documents.move import Move
from wizard.model.errors import Failed, Refused
from wizard.model.said import in_a_row


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
            mover = _by_journal(on, number, move, noted.name)
            if mover is None and on.has_started(number):
                raise Refused(words.NO_JOURNAL(run=on.run.name, drive=move.drive.path))
            if mover is not None and (mover.state.phase, mover.state.target) == (Phase.DONE, Side.NEW):
                _refuse_changed(move, mover)
        elif ends_digest(on.drive, move, move.after.start_bytes) != noted.stood:
            raise Refused(words.USED_SINCE(part=move.device, start=move.before.start_bytes))


def _refuse_changed(move: Move, mover: Mover) -> None:
    start = move.before.start_bytes
    if not mover.stands(Side.NEW):
        raise Refused(words.USED_SINCE(part=move.device, start=start))
    if not mover.has_table(Side.NEW):
        raise Refused(words.TABLE_SINCE(part=move.device, drive=move.drive.path, start=start))


def _by_journal(on: OnDrive, number: int, move: Move, name: str) -> Mover | None:
    """The move as the drive's journal knows it; None where there is none of that name."""
    journal = on.journal(move)
    loaded = journal.load()
    if loaded is None or loaded[0].course.run != name:
        return None
    side = Side.OLD if name == on.notes[number].name else Side.NEW
    told = on.telling(move, 0, loaded[0].moved_to(side), lambda: False)
    return Mover(on.drive, journal, *loaded, told)


def _return(on: OnDrive, number: int, *, is_last: bool) -> None:
    move, noted = on.moves.moves[number], on.notes[number]
    if is_last:
        mover = _by_journal(on, number, move, noted.name)
        if mover is not None:
            _go(on, number, mover, Side.OLD)
        elif on.has_started(number):
            raise Refused(words.NO_JOURNAL(run=on.run.name, drive=move.drive.path))
    else:
        _move_back(on, number, move)
    # What nobody has given up cannot be read here either, and where something was lost the drive may still
    # fail: pieces with such places are not compared.
    passed = tuple(one.content for one in on.notes[number].bad)
    digests = on.digests(move, move.before.start_bytes, 0, lambda: False, passed)
    if digests is None or not on.are_same(number, digests):
        raise Failed(words.NOT_SAME(part=move.device, run=called(on.run)))
    on.note(number, replace(on.notes[number], is_back=True))


def _go(on: OnDrive, number: int, mover: Mover, side: Side) -> None:
    """Raises Failed where sectors cannot be read, with what can be done."""
    mover.give_up(on.notes[number].over)
    try:
        mover.go(side)
    except Unreadable:
        on.note_bad(number, mover)
        move, stops = on.moves.moves[number], on.notes[number].stops
        size = sum(one.content.size_bytes for one in stops)
        said = unread_words.STOPPED_BACK(count=len(stops), part=move.device, size=size, run=called(on.run))
        raise Failed(in_a_row(*bad_listed(move, stops), said)) from None
    on.note_bad(number, mover)


def _move_back(on: OnDrive, number: int, move: Move) -> None:
    """By a move of its own, whose journal lies where that of the move lay."""
    back, noted = taken_back(move), on.notes[number]
    mover = _by_journal(on, number, back, noted.back) if noted.back else None
    if mover is None:
        for following, name in _journals_of_next(on, number):
            on.journal(following).forget(name)
        name = noted.back or new_name()
        on.note(number, replace(noted, back=name))
        journal = on.journal(back)
        state = on.prepare(back, journal, name, noted.superblocks)
        mover = Mover(on.drive, journal, state, b"", on.telling(back, 0, 0, lambda: False))
    _go(on, number, mover, Side.NEW)


def _journals_of_next(on: OnDrive, number: int) -> Iterator[tuple[Move, str]]:
    """The journals that may stand of the move that was taken back just before."""
    noted = on.notes[number + 1]
    yield from ((on.moves.moves[number + 1], name) for name in (noted.name, noted.back) if name)
