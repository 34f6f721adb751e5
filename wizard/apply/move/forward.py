"""Move the partitions of a run: read all first, then move and compare them one after the other; and undo."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from wizard.apply.engine import record
from wizard.apply.move import content
from wizard.apply.move.mover.journal import MovePhase, PartitionSide, UnreadSector
from wizard.apply.move.mover.mover import Mover
from wizard.apply.move.mover.prepare import MovedDrive
from wizard.apply.move.mover.windows import MoveStopped
from wizard.apply.run import kinds, process
from wizard.apply.run.backup_store import mark_durably
from wizard.apply.run.job import Outcome, RunWork
from wizard.apply.run.journal import begun_steps, done_steps, read_entries
from wizard.apply.run.runs import run_argument
from wizard.model.errors import Failed, Refused
from wizard.model.machine import Extent
from wizard.model.moves import Move, Moves
from wizard.model.run import Check, Event
from wizard.model.said import Message, Sentence, join, t
from wizard.plan.partition.moves import compare_step, move_step, read_step, reversed_move


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


def power_message(run: Path) -> Message:
    """Describe the effect of a power cut now, during the run. Raises BadInput."""
    entries, moves = read_entries(run), kinds.MOVE.load(run)
    begun, done = begun_steps(entries), done_steps(entries)
    started = [
        (move.device, move_step(moves, number) in done)
        for number, move in enumerate(moves.moves)
        if move_step(moves, number) in begun
    ]
    if not started:
        return record.UNCHANGED(drives=moves.devices)
    if (run / process.UNDOING).exists():
        drives = tuple(device for device, _ in started)
        return record.HALF(drives=drives, command=f"undo {run_argument(run)}")
    device, is_done = started[-1]
    if is_done:
        return t("A power cut now would leave {part} complete at its new location.", part=device)
    return record.HALF(drives=device, command=f"resume {run_argument(run)}")


NOT_SAME = Sentence("The contents of {part} differ from before. Do not use the partition.")
CHECKS_FAIL = Sentence("{part} was moved, but a check failed. {way}")
NO_JOURNAL = Sentence("The journal of {run} on {drive} was overwritten. This attempt made no changes.")


NO_LOSS = t("No data is lost.")
STOPPED = join(t("Stopped."), NO_LOSS)


def _failed(error: Failed) -> Outcome:
    state = t("All other data is intact.") if isinstance(error, UnreadSector) else NO_LOSS
    return Event.FAILED, f"{error} {state}"


class ForwardMoves(content.OnDrive):
    """The moves of a run, in the process that carries them out."""

    def __init__(
        self, work: RunWork, moves: Moves, drive: MovedDrive, notes: tuple[content.Noted, ...]
    ) -> None:
        super().__init__(work.run, moves, drive, notes)
        self._journal = work.journal
        self._sentences = moves.sentences

    def is_stopped(self) -> bool:
        """Return True if a stop was requested."""
        return (self.run / process.STOP).exists()

    def all_read(self) -> Outcome | None:
        """Read all partitions to find bad sectors, and save their digests. Return how the run ends, or None
        to continue."""
        for number, move in enumerate(self.moves.moves):
            if not self.notes[number].content and (ended := self._read(number, move)) is not None:
                return ended
        return None

    def _read(self, number: int, move: Move) -> Outcome | None:
        step = read_step(number)
        self._start(step)
        try:
            digests = self.digests(move, move.before.start_bytes, step, self.is_stopped)
        except Failed as error:
            self._journal.add(Event.STEP_FAILED, str(error), step=step)
            return self._not_begun(error)
        if digests is None:
            return Event.STOPPED, str(STOPPED if self._has_moved() else t("Stopped before the first write."))
        self.note(
            number,
            replace(
                self.notes[number],
                content=digests.whole,
                pieces=digests.pieces,
                superblocks=digests.superblocks,
            ),
        )
        self._journal.add(
            Event.STEP_DONE, t("All sectors of {part} are readable.", part=move.device), step=step
        )
        return None

    def _has_moved(self) -> bool:
        return any(noted.is_begun for noted in self.notes)

    def all_moved(self) -> Outcome | None:
        """Move and compare all partitions. Return how the run ends, or None."""
        for number, move in enumerate(self.moves.moves):
            if not self.notes[number].stood:
                ended = self._move(number, move) or self._compare(number, move)
                if ended is not None:
                    return ended
        return None

    def _move(self, number: int, move: Move) -> Outcome | None:
        step = move_step(self.moves, number)
        if step in done_steps(read_entries(self.run)):
            return None
        if self.is_stopped():
            return Event.STOPPED, str(STOPPED)
        try:
            mover = self._mover(number, move)
        except UnreadSector as error:
            if not self.notes[number].is_begun:
                return self._not_begun(error)
            return _failed(error)
        self._start(step)
        try:
            mover.go(PartitionSide.NEW)
        except MoveStopped:
            return Event.STOPPED, str(STOPPED)
        except Failed as error:
            self._journal.add(Event.STEP_FAILED, str(error), step=step)
            return _failed(error)
        self._journal.add(Event.STEP_DONE, t("{part} is at its new location.", part=move.device), step=step)
        return None

    def _not_begun(self, error: Failed) -> Outcome:
        """Return how the run ends if a partition is unreadable before the move."""
        intact = t("Partitions moved before remain intact at the new location.")
        return Event.FAILED, f"{error} {intact if self._has_moved() else process.NOTHING_WRITTEN}"

    def _mover(self, number: int, move: Move) -> Mover:
        """Return the mover for the journal on the drive, or for a new journal."""
        noted, journal = self.notes[number], self.journal(move)
        loaded = journal.load() if noted.is_begun else None
        step = move_step(self.moves, number)
        if loaded is not None and loaded[0].course.run == noted.name:
            told = self.telling(move, step, loaded[0].moved_to(PartitionSide.NEW), self.is_stopped)
            return Mover(self.drive, journal, *loaded, told)
        if self.has_started(number):
            raise Refused(NO_JOURNAL(run=self.run.name, drive=move.drive.path))
        begun = replace(noted, is_begun=True)
        prepared = self.prepared(number, move, begun, noted.name)
        # Invalidate the journal of an earlier move, which may be in the same place.
        self.note(number, begun)
        if number:
            self.journal(self.moves.moves[number - 1]).forget(self.notes[number - 1].name)
        journal.prepare(*prepared)
        return Mover(self.drive, journal, prepared[0], b"", self.telling(move, step, 0, self.is_stopped))

    def _compare(self, number: int, move: Move) -> Outcome | None:
        step = compare_step(self.moves, number)
        self._start(step)
        try:
            digests = self.digests(move, move.after.start_bytes, step, self.is_stopped)
        except Failed as error:
            self._journal.add(Event.STEP_FAILED, str(error), step=step)
            return _failed(error)
        if digests is None:
            return Event.STOPPED, str(STOPPED)
        self._journal.add(
            Event.STEP_DONE, t("{part} was read again completely.", part=move.device), step=step
        )
        result = t("{part} contains the same data as before.", part=move.device)
        if self._journal.verify([Check(str(result), self.are_same(number, digests), "")]):
            way = NOT_SAME(part=move.device)
            return Event.FAILED, str(CHECKS_FAIL(part=move.device, way=way))
        noted = content.without_stops(self.notes[number])
        for line in lost_message(move, noted):
            self._journal.add(Event.BAD_SECTOR, line)
        digest = content.ends_digest(self.drive, move, move.after.start_bytes)
        self.note(number, replace(noted, stood=digest))
        return None

    def _start(self, step: int) -> None:
        self._journal.add(Event.STEP_STARTED, self._sentences[step - 1], step=step)


# Undo, from any state, the last move first. The journal of the last started move is still on the drive and
# reverses that move. Journals of earlier moves are overwritten, so each is undone by a new move from the new
# place to the old one.

USED_SINCE = Sentence(
    "{part} was used after the move, so this run cannot move it back. "
    "`diskwright move {part} --to {start}` moves it there with its current "
    "contents."
)


def return_all(context: content.OnDrive) -> None:
    """Move all partitions back and verify them. Raises Refused if one was used since, and Failed."""
    refuse_used(context)
    mark_durably(context.run / process.UNDOING)
    begun = _begun(context)
    for number in reversed(begun):
        if not context.notes[number].is_back:
            _undo_move(context, number, is_last=number == begun[-1])


def _begun(context: content.OnDrive) -> list[int]:
    return [number for number, noted in enumerate(context.notes) if noted.is_begun]


def refuse_used(context: content.OnDrive) -> None:
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
        elif content.ends_digest(context.drive, move, move.after.start_bytes) != noted.stood:
            raise Refused(USED_SINCE(part=move.device, start=move.before.start_bytes))


def _last_move(context: content.OnDrive, number: int, move: Move) -> Mover | None:
    """Return the last move from the drive's journal, or None if only the journal was written. Raises Refused
    if the journal is lost."""
    if not context.has_started(number):
        return None
    mover = _load_mover(context, number, move, context.notes[number].name)
    if mover is None:
        raise Refused(NO_JOURNAL(run=context.run.name, drive=move.drive.path))
    return mover


def _refuse_changed(context: content.OnDrive, number: int, move: Move, mover: Mover) -> None:
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


def _load_mover(context: content.OnDrive, number: int, move: Move, name: str) -> Mover | None:
    """Return the move with this name from the drive's journal, or None."""
    journal = context.journal(move)
    loaded = journal.load()
    if loaded is None or loaded[0].course.run != name:
        return None
    side = PartitionSide.OLD if name == context.notes[number].name else PartitionSide.NEW
    report = context.telling(move, 0, loaded[0].moved_to(side), lambda: False)
    return Mover(context.drive, journal, *loaded, report)


def _undo_move(context: content.OnDrive, number: int, *, is_last: bool) -> None:
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
                    (context.run / process.UNDOING).unlink()
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
        raise Failed(NOT_SAME(part=move.device))
    noted = content.without_stops(context.notes[number])
    bad = (*noted.bad, *(content.Bad(place, start + place.start_bytes) for place in unread))
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
            t("{why} The partition was not moved back, and is complete.", why=error)
        ) from None


def _move_back(context: content.OnDrive, number: int, move: Move) -> None:
    """Move back with a new journal in the place of the old one."""
    back, noted = reversed_move(move), context.notes[number]
    mover = _load_mover(context, number, back, noted.back) if noted.back else None
    if mover is None:
        for following, name in _leftover_journals(context, number):
            context.journal(following).forget(name)
        begun = replace(noted, back=noted.back or content.new_name())
        state, images = context.prepared(number, back, begun, begun.back)
        context.note(number, begun)
        journal = context.journal(back)
        journal.prepare(state, images)
        mover = Mover(context.drive, journal, state, b"", context.telling(back, 0, 0, lambda: False))
    name = context.notes[number].back
    _go_or_return(mover, PartitionSide.NEW, partial(_load_mover, context, number, back, name))


def _leftover_journals(context: content.OnDrive, number: int) -> Iterator[tuple[Move, str]]:
    """Yield journals that may be left from undoing the next move."""
    noted = context.notes[number + 1]
    yield from ((context.moves.moves[number + 1], name) for name in (noted.name, noted.back) if name)
