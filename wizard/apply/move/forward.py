"""Move the partitions of a run: read all first, then move and compare them one after the other; and undo."""

from collections.abc import Iterator
from functools import partial

from msgspec.structs import replace

from wizard.apply.move import content
from wizard.apply.move.mover.journal import MovePhase, PartitionSide, UnreadSector
from wizard.apply.move.mover.mover import Mover
from wizard.apply.move.mover.prepare import MovedDrive
from wizard.apply.run import journal, process
from wizard.apply.run.backup_store import mark_durably
from wizard.apply.run.job import Outcome, RunWork, TodoStep, carry_steps
from wizard.model.errors import Failed, Refused
from wizard.model.machine import Extent
from wizard.model.moves import Move, Moves
from wizard.model.run import Check, Event
from wizard.model.said import Message, Sentence, join, t
from wizard.plan.partition.moves import move_step


def lost_message(move: Move, noted: content.Noted) -> Iterator[Message]:
    """Describe uncompared data: unreadable ranges, and zeros that version 1.0 may have written."""
    size, zeros = move.before.size_bytes, noted.zeros
    if zeros:
        yield t(
            "diskwright 1.0 was allowed to replace {size:exact} of {part} with zeros. "
            "{apart:size} around that data could not be compared.",
            size=sum(place.size_bytes for place in zeros),
            part=move.device,
            apart=content.uncompared_bytes(size, zeros),
        )
    unread = [one for one in noted.bad if not one.is_zeros]
    if unread:
        yield t(
            "Cannot read {drive} at byte {byte}. {apart:size} of {part} around unreadable data could not be "
            "compared. Copy the drive to a new one with `ddrescue`.",
            drive=move.drive.path,
            byte=unread[0].drive_bytes,
            apart=content.uncompared_bytes(size, (one.content for one in unread)),
            part=move.device,
        )


NOT_SAME = Sentence("The contents of {part} differ from before. Do not use the partition.")
CHECKS_FAIL = Sentence("{part} was moved, but a check failed.")
NO_JOURNAL = Sentence("The journal of {run} on {drive} was overwritten. This attempt made no changes.")


class ForwardMoves(content.OnDrive):
    """Moves of a run, executed in its own process."""

    def __init__(self, work: RunWork, moves: Moves, drive: MovedDrive) -> None:
        super().__init__(work.run, moves, drive)
        self._work, self._journal = work, work.journal
        self._found: content.ContentDigests

    def is_stopped(self) -> bool:
        """Return True if a stop was requested."""
        return (self.run / process.STOP).exists()

    def go(self) -> Outcome | None:
        """Read all partitions to find bad sectors, and save their digests. Then move and compare them. Return
        the outcome if the run ends early."""
        total = len(self.moves.sentences)
        try:
            return carry_steps(self._work, total, self._steps(), str, self._explained, may_stop=False)
        except process.Stopped:
            return Event.STOPPED, join(process.STOPPED, self._state())

    def _explained(self, error: Exception) -> str:
        is_lost = isinstance(error, UnreadSector) and content.begun_moves(self.notes)
        rest = t("All other data is intact.") if is_lost else self._state()
        return f"{error} {rest}"

    def _state(self) -> Message:
        return t("No data is lost.") if content.begun_moves(self.notes) else process.NOTHING_WRITTEN

    def _steps(self) -> Iterator[TodoStep]:
        moves, sentences = self.moves.moves, self.moves.sentences
        for number, move in enumerate(moves):
            if not self.notes[number].content:
                yield number + 1, sentences[number], partial(self._read, number, move)
        for number, move in enumerate(moves):
            if self.notes[number].stood:
                continue
            step = move_step(self.moves, number)
            if step not in journal.done_steps(journal.read_entries(self.run)):
                mover = self._mover(number, move, step)
                yield step, sentences[step - 1], partial(mover.go, PartitionSide.NEW)
            yield step + 1, sentences[step], partial(self._read_moved, move, step + 1)
            result = t("{part} contains the same data as before.", part=move.device)
            if self._journal.verify([Check(str(result), self.are_same(number, self._found), "")]):
                raise Failed(CHECKS_FAIL(part=move.device), NOT_SAME(part=move.device))
            noted = content.without_stops(self.notes[number])
            for line in lost_message(move, noted):
                self._journal.add(Event.BAD_SECTOR, line)
            digest = content.ends_digest(self.drive, move, move.after.start_bytes)
            self.note(number, replace(noted, stood=digest))

    def _read(self, number: int, move: Move) -> None:
        found = self.digests(move, move.before.start_bytes, number + 1)
        noted = replace(
            self.notes[number], content=found.whole, pieces=found.pieces, superblocks=found.superblocks
        )
        self.note(number, noted)

    def _read_moved(self, move: Move, step: int) -> None:
        self._found = self.digests(move, move.after.start_bytes, step)

    def _mover(self, number: int, move: Move, step: int) -> Mover:
        """Load the journal on the drive, or write it: the step starts only then."""
        if self.is_stopped():
            raise process.Stopped
        noted = self.notes[number]
        try:
            mover = self.load_mover(number, noted.name, PartitionSide.NEW, step) if noted.is_begun else None
            if mover is None:
                if self.has_started(number):
                    raise Refused(NO_JOURNAL(run=self.run.name, drive=move.drive.path))
                earlier = [(self.moves.moves[number - 1], self.notes[number - 1].name)] if number else []
                begun = replace(noted, is_begun=True)
                mover = self.new_mover(number, move, begun, noted.name, earlier, step)
        except UnreadSector as error:
            raise Failed(self._explained(error)) from None
        return mover


# Undo, from any state, the last move first. The journal of the last started move is still on the drive and
# reverses that move. Journals of earlier moves are overwritten, so each is undone by a new move from the new
# place to the old one.


def return_all(context: content.OnDrive) -> None:
    """Move all partitions back and verify them. Raises Refused if one was used since, and Failed."""
    refuse_used(context)
    mark_durably(context.run / process.UNDOING)
    begun = content.begun_moves(context.notes)
    for number in reversed(begun):
        if not context.notes[number].is_back:
            _undo_move(context, number, is_last=number == begun[-1])


def refuse_used(context: content.OnDrive) -> None:
    """Raises Refused if a move cannot be undone because the partition was mounted for writing since, which
    changes its head. A partition on its way back cannot have been used."""
    begun = content.begun_moves(context.notes)
    for number in begun:
        move, noted = context.moves.moves[number], context.notes[number]
        if noted.is_back or noted.back:
            continue
        if number != begun[-1]:
            is_used = content.ends_digest(context.drive, move, move.after.start_bytes) != noted.stood
        else:
            mover = _last_move(context, number)
            done = (MovePhase.DONE, PartitionSide.NEW)
            is_used = (
                mover is not None
                and (mover.state.phase, mover.state.target) == done
                and not (mover.is_at(PartitionSide.NEW) and mover.has_table(PartitionSide.NEW))
            )
        if is_used:
            raise Refused(
                t(
                    "{part} was used after the move, or its partition table was changed, so this run cannot "
                    "move it back. `diskwright move {part} --to {start}` moves it with its current contents.",
                    part=move.device,
                    start=move.before.start_bytes,
                )
            )


def _last_move(context: content.OnDrive, number: int) -> Mover | None:
    """Return the last move from the drive's journal, or None if only the journal was written. Raises Refused
    if the journal is lost."""
    if not context.has_started(number):
        return None
    mover = context.load_mover(number, context.notes[number].name, PartitionSide.OLD)
    if mover is None:
        drive = context.moves.moves[number].drive.path
        raise Refused(NO_JOURNAL(run=context.run.name, drive=drive))
    return mover


def _undo_move(context: content.OnDrive, number: int, *, is_last: bool) -> None:
    move = context.moves.moves[number]
    mover = _last_move(context, number) if is_last else None
    is_moved = not is_last or (mover is not None and not mover.is_whole)
    if not is_last:
        _move_back(context, number)
    elif mover is not None and move_step(context.moves, number) in journal.done_steps(
        journal.read_entries(context.run)
    ):
        _go_or_return(context, number, mover, PartitionSide.OLD)
    elif mover is not None:
        mover.go(PartitionSide.OLD)
    # Everything is back, so an unreadable sector does not keep undo from ending. Its piece is not compared.
    start, unread = move.before.start_bytes, list[Extent]()
    digests = context.digests(move, start, 0, unread)
    # A partition that has not moved may have been used, since nothing was written to it.
    if is_moved and not context.are_same(number, digests, unread):
        raise Failed(NOT_SAME(part=move.device))
    noted = content.without_stops(context.notes[number])
    bad = (*noted.bad, *(content.Bad(place, start + place.start_bytes) for place in unread))
    context.note(number, replace(noted, is_back=True, bad=bad))


def _go_or_return(context: content.OnDrive, number: int, mover: Mover, target: PartitionSide) -> None:
    """Move a complete partition. If a sector is unreadable, return the partition to the start of this move.

    Raises Failed in this case, and UnreadSector if the partition is incomplete.
    """
    try:
        mover.go(target)
    except UnreadSector as error:
        # As after a power cut, only the journal is right.
        again = context.load_mover(number, mover.state.course.run, target)
        if again is None:
            raise
        again.go(PartitionSide.NEW if target is PartitionSide.OLD else PartitionSide.OLD)
        if target is PartitionSide.OLD:
            # No partition was moved back, so the run can be resumed.
            (context.run / process.UNDOING).unlink()
        raise Failed(error, t("The partition was not moved back, and is complete.")) from None


def _move_back(context: content.OnDrive, number: int) -> None:
    """Move back with a new journal in the place of the old one."""
    noted = context.notes[number]
    begun = replace(noted, back=noted.back or content.new_name())
    mover = context.load_mover(number, begun.back, PartitionSide.NEW) if noted.back else None
    if mover is None:
        # Journals may be left from undoing the next move.
        following, left = context.moves.moves[number + 1], context.notes[number + 1]
        stale = [(following, name) for name in (left.name, left.back) if name]
        move = context.moves.moves[number]
        # Free space around both places is still free.
        back = replace(move, before=move.after, after=move.before)
        mover = context.new_mover(number, back, begun, begun.back, stale)
    _go_or_return(context, number, mover, PartitionSide.NEW)
