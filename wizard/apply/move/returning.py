"""Taking moves back from wherever they are, the last first.

The journal of the last move that began is on the drive still, and turns it. Those before it have none any
more: each is moved back by a move of its own, from the new place to the old one.
"""

from collections.abc import Iterator
from dataclasses import replace

from wizard.apply.move import words
from wizard.apply.move.carrying import Carrying
from wizard.apply.move.content import ends_digest
from wizard.apply.move.mover import Mover
from wizard.apply.move.noted import new_name
from wizard.apply.move.state import Phase, Side
from wizard.apply.run.process import UNDOING
from wizard.apply.run.runs import called
from wizard.apply.run.vault import mark_durably
from wizard.layout.moving.sequence import taken_back
from wizard.model.documents.move import Move
from wizard.model.errors import Failed, Refused


def return_all(carrying: Carrying) -> None:
    """Until every partition is where it was, bit for bit. Raises Refused where one was used since, and
    Failed."""
    begun = [number for number, noted in enumerate(carrying.notes) if noted.is_begun]
    if not (carrying.run / UNDOING).exists():
        _refuse_used(carrying, begun)
        mark_durably(carrying.run / UNDOING)
    for number in reversed(begun):
        if not carrying.notes[number].is_back:
            _return(carrying, number, is_last=number == begun[-1])


def _refuse_used(carrying: Carrying, begun: list[int]) -> None:
    """What was mounted for writing has another head than is known: that one must not come back."""
    for number in begun:
        move, noted = carrying.moves.moves[number], carrying.notes[number]
        start = move.before.start_bytes
        if number == begun[-1]:
            mover = _by_journal(carrying, number, move, noted.name)
            if mover is None or (mover.state.phase, mover.state.target) != (Phase.DONE, Side.NEW):
                continue
            if not mover.stands(Side.NEW):
                raise Refused(words.USED_SINCE(part=move.device, start=start))
            if not mover.has_table(Side.NEW):
                raise Refused(words.TABLE_SINCE(part=move.device, drive=move.drive.path, start=start))
        elif ends_digest(carrying.drive, move, move.after.start_bytes) != noted.stood:
            raise Refused(words.USED_SINCE(part=move.device, start=start))


def _by_journal(carrying: Carrying, number: int, move: Move, name: str) -> Mover | None:
    """The move as the drive's journal knows it; None where there is none of that name."""
    journal = carrying.journal(move)
    loaded = journal.load()
    if loaded is None or loaded[0].course.run != name:
        return None
    side = Side.OLD if name == carrying.notes[number].name else Side.NEW
    told = carrying.telling(move, 0, loaded[0].moved_to(side), lambda: False)
    return Mover(carrying.drive, journal, *loaded, told)


def _return(carrying: Carrying, number: int, *, is_last: bool) -> None:
    move, noted = carrying.moves.moves[number], carrying.notes[number]
    if is_last:
        mover = _by_journal(carrying, number, move, noted.name)
        if mover is not None:
            mover.go(Side.OLD)
        elif carrying.has_started(number):
            raise Refused(words.NO_JOURNAL(run=carrying.run.name, drive=move.drive.path))
    else:
        _move_back(carrying, number, move)
    digest = carrying.digest(move, move.before.start_bytes, 0, lambda: False)
    if digest != noted.content:
        raise Failed(words.NOT_SAME(part=move.device, run=called(carrying.run)))
    carrying.note(number, replace(carrying.notes[number], is_back=True))


def _move_back(carrying: Carrying, number: int, move: Move) -> None:
    """By a move of its own, whose journal lies where that of the move lay."""
    back, noted = taken_back(move), carrying.notes[number]
    mover = _by_journal(carrying, number, back, noted.back) if noted.back else None
    if mover is None:
        for following, name in _journals_of_next(carrying, number):
            carrying.journal(following).forget(name)
        name = noted.back or new_name()
        carrying.note(number, replace(noted, back=name))
        journal = carrying.journal(back)
        state = carrying.prepare(back, journal, name)
        mover = Mover(carrying.drive, journal, state, b"", carrying.telling(back, 0, 0, lambda: False))
    mover.go(Side.NEW)


def _journals_of_next(carrying: Carrying, number: int) -> Iterator[tuple[Move, str]]:
    """The journals that may stand of the move that was taken back just before."""
    noted = carrying.notes[number + 1]
    yield from ((carrying.moves.moves[number + 1], name) for name in (noted.name, noted.back) if name)
