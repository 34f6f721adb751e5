"""Run moves: read all partitions first, then move and compare them one after the other."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from wizard.apply.move.content import OnDrive, ends_digest, uncompared_bytes
from wizard.apply.move.move_notes import Noted, without_stops
from wizard.apply.move.mover.journal import PartitionSide, UnreadSector
from wizard.apply.move.mover.mover import Mover
from wizard.apply.move.mover.prepare import MovedDrive
from wizard.apply.move.mover.windows import MoveStopped
from wizard.apply.run import kinds
from wizard.apply.run.job import Outcome, RunWork
from wizard.apply.run.journal import begun_steps, done_steps, read_entries
from wizard.apply.run.process import STOP, UNDOING
from wizard.apply.run.runs import run_argument
from wizard.model.errors import Failed, Refused
from wizard.model.moves import Move, Moves
from wizard.model.run import Event
from wizard.model.said import Message, Sentence, t
from wizard.plan.partition.moves import compare_step, move_step, read_step


def lost_message(move: Move, noted: Noted) -> Iterator[Message]:
    """Describe uncompared data: unreadable ranges, and zeros that version 1.0 may have written."""
    size, zeros = move.before.size_bytes, noted.zeros
    if zeros:
        yield t(
            "diskwright 1.0 was allowed to replace {size:exact} of {part} with zeros. "
            "{apart:size} around that data could not be compared.",
            size=sum(place.size_bytes for place in zeros),
            part=move.device,
            apart=uncompared_bytes(size, zeros),
        )
    unread = [one for one in noted.bad if not one.is_zeros]
    if unread:
        yield t(
            "Cannot read {drive} at byte {byte}. {apart:size} of {part} around unreadable data could not be "
            "compared. Copy the drive to a new one with `ddrescue`.",
            drive=move.drive.path,
            byte=unread[0].drive_bytes,
            apart=uncompared_bytes(size, (one.content for one in unread)),
            part=move.device,
        )


HALF = Sentence(
    "A power cut now would lose no data. {part:and} could not be mounted until "
    "`diskwright {command} {run}` has finished."
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
        return t("A power cut now would leave {part:and} as before.", part=moves.devices)
    if (run / UNDOING).exists():
        return HALF(part=tuple(device for device, _ in started), command="undo", run=run_argument(run))
    device, is_done = started[-1]
    if is_done:
        return t("A power cut now would leave {part} complete at its new location.", part=device)
    return HALF(part=device, command="resume", run=run_argument(run))


NOT_SAME = Sentence("The contents of {part} differ from before. Do not use the partition.")
CHECKS_FAIL = Sentence("{part} was moved, but a check failed. {way}")
NO_JOURNAL = Sentence("The journal of {run} on {drive} was overwritten. This attempt made no changes.")


UNREAD_FIRST = Sentence("{why} Nothing was written.")
UNREAD_LATER = Sentence("{why} Partitions moved before remain intact at the new location.")
STOPPED = Sentence("Stopped. No data is lost.")
FAILED = Sentence("{why} No data is lost.")
UNREAD = Sentence("{why} All other data is intact.")


def _failed(error: Failed) -> Outcome:
    says = UNREAD if isinstance(error, UnreadSector) else FAILED
    return Event.FAILED, str(says(why=str(error)))


class ForwardMoves(OnDrive):
    """The moves of a run, in the process that carries them out."""

    def __init__(self, work: RunWork, moves: Moves, drive: MovedDrive, notes: tuple[Noted, ...]) -> None:
        super().__init__(work.run, moves, drive, notes)
        self._journal = work.journal
        self._sentences = moves.sentences

    def is_stopped(self) -> bool:
        """Return True if a stop was requested."""
        return (self.run / STOP).exists()

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
            early = Sentence("Stopped before the first write.") if not self._has_moved() else STOPPED
            return Event.STOPPED, str(early())
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
            return Event.STOPPED, str(STOPPED())
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
            return Event.STOPPED, str(STOPPED())
        except Failed as error:
            self._journal.add(Event.STEP_FAILED, str(error), step=step)
            return _failed(error)
        self._journal.add(Event.STEP_DONE, t("{part} is at its new location.", part=move.device), step=step)
        return None

    def _not_begun(self, error: Failed) -> Outcome:
        """Return how the run ends if a partition is unreadable before the move."""
        says = UNREAD_LATER if self._has_moved() else UNREAD_FIRST
        return Event.FAILED, str(says(why=str(error)))

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
            return Event.STOPPED, str(STOPPED())
        self._journal.add(
            Event.STEP_DONE, t("{part} was read again completely.", part=move.device), step=step
        )
        result = str(t("{part} contains the same data as before.", part=move.device)).rstrip(".")
        if not self.are_same(number, digests):
            self._journal.add(Event.NOT_VERIFIED, result)
            way = NOT_SAME(part=move.device)
            return Event.FAILED, str(CHECKS_FAIL(part=move.device, way=way))
        self._journal.add(Event.VERIFIED, result)
        noted = without_stops(self.notes[number])
        for line in lost_message(move, noted):
            self._journal.add(Event.BAD_SECTOR, line)
        digest = ends_digest(self.drive, move, move.after.start_bytes)
        self.note(number, replace(noted, stood=digest))
        return None

    def _start(self, step: int) -> None:
        self._journal.add(Event.STEP_STARTED, self._sentences[step - 1], step=step)
