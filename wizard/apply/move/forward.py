"""Run moves: read all partitions first, then move and compare them one after the other."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from wizard.apply.move.bad_sectors import (
    Bad,
    Noted,
    UnreadableBlocks,
    UnreadSector,
    load_notes,
    with_unread_at,
)
from wizard.apply.move.content import OnDrive, ends_digest, uncompared_bytes
from wizard.apply.move.mover.journal import PartitionSide
from wizard.apply.move.mover.mover import Mover
from wizard.apply.move.mover.prepare import MovedDrive
from wizard.apply.move.mover.windows import MoveStopped
from wizard.apply.run.job import Outcome, RunWork
from wizard.apply.run.journal import begun_steps, done_steps, read_entries
from wizard.apply.run.load import load_moves
from wizard.apply.run.process import STOP, UNDOING
from wizard.apply.run.runs import RunKind, kind_of, run_argument
from wizard.model.errors import Failed, Refused
from wizard.model.ext import Event
from wizard.model.migration import Move, Moves
from wizard.model.said import Message, Sentence, Sentences, join, t, tn
from wizard.plan.partition.moves import compare_step, move_step, read_step, step_sentences


def bad_listed(move: Move, bad: Iterable[Bad]) -> Iterator[Message]:
    """Describe each place on the drive and in the partition."""
    block = move.drive.geometry.logical_block_bytes
    for one in bad:
        says = (
            Sentence(
                "Sectors {own_first} to {own_last} of {part} now contain zeros: {size:exact} "
                "from byte {begin}. They were sectors {first} to {last} of {drive}."
            )
            if one.is_zeros
            else Sentence(
                "Cannot read sectors {first} to {last} of {drive}: {size:exact} of {part}, "
                "sectors {own_first} to {own_last}, from byte {begin}. The journal on the "
                "drive has the old data."
            )
            if one.is_kept
            else Sentence(
                "Cannot read sectors {first} to {last} of {drive}: {size:exact} of {part}, "
                "sectors {own_first} to {own_last}, from byte {begin}."
            )
        )
        yield says(
            drive=move.drive.path,
            part=move.device,
            first=one.drive_bytes // block,
            last=(one.drive_bytes + one.content.size_bytes) // block - 1,
            own_first=one.content.start_bytes // block,
            own_last=one.content.end_bytes // block - 1,
            begin=one.content.start_bytes,
            size=one.content.size_bytes,
        )


def stops_of(moves: Moves, notes: Iterable[Noted]) -> tuple[Message, ...]:
    """Describe all places that currently stop a run."""
    pairs = zip(moves.moves, notes, strict=True)
    return tuple(said for move, noted in pairs for said in bad_listed(move, noted.stops))


def _stopped_said(move: Move, bad: tuple[Bad, ...], run: str) -> Message:
    """Describe why a move stopped, and how to continue."""
    says = (
        Sentences(
            "A range at the start of {part} is no longer readable ({size:exact}); no "
            "data has moved yet. `diskwright resume {run} --over-bad-sectors` moves the "
            "partition and restores the range from the journal.",
            "{count} ranges at the start of {part} are no longer readable "
            "({size:exact}); no data has moved yet. `diskwright resume {run} "
            "--over-bad-sectors` moves the partition and restores the ranges from the "
            "journal.",
        )
        if all(one.is_kept for one in bad)
        else Sentences(
            "The move stopped at an unreadable range of {part} ({size:exact}); no other "
            "data is lost. `diskwright resume {run} --over-bad-sectors` continues and "
            "replaces the range with zeros.",
            "The move stopped at {count} unreadable ranges of {part} ({size:exact}); no "
            "other data is lost. `diskwright resume {run} --over-bad-sectors` continues "
            "and replaces the ranges with zeros.",
        )
    )
    return says(count=len(bad), part=move.device, size=_size(bad), run=run)


def stopped_back_said(move: Move, bad: tuple[Bad, ...], run: str) -> Message:
    """Describe the places that stop undo, and how to continue."""
    if all(one.is_kept for one in bad):
        said = t(
            "It is therefore unknown if {part} was used after the move. Only if not, use "
            "`diskwright undo {run} --over-bad-sectors`. This moves the partition back "
            "and restores these ranges from the journal.",
            part=move.device,
            run=run,
        )
    else:
        said = tn(
            "A range of {part} cannot be read ({size:exact}). `diskwright undo {run} "
            "--over-bad-sectors` continues and replaces the range with zeros.",
            "{count} ranges of {part} cannot be read ({size:exact}). `diskwright undo "
            "{run} --over-bad-sectors` continues and replaces the ranges with zeros.",
            count=len(bad),
            part=move.device,
            size=_size(bad),
            run=run,
        )
    return join(*bad_listed(move, bad), said)


def _same_said(move: Move, bad: tuple[Bad, ...]) -> Message:
    """Describe which data was compared."""
    if not bad:
        return t("{part} contains the same data as before.", part=move.device)
    uncompared = uncompared_bytes(move.before.size_bytes, (one.content for one in bad))
    return t(
        "{part} contains the same data as before, except {size:exact} of unreadable "
        "data. {apart:size} around that data could not be compared.",
        part=move.device,
        size=_size(bad),
        apart=uncompared,
    )


def back_but(move: Move, bad: tuple[Bad, ...]) -> Message:
    """Describe a partition that was moved back with lost data."""
    uncompared = uncompared_bytes(move.before.size_bytes, (one.content for one in bad))
    return t(
        "{part} starts at {start:exact} again, as before, except {size:exact} of "
        "unreadable data. {apart:size} around that data could not be compared.",
        part=move.device,
        start=move.before.start_bytes,
        size=_size(bad),
        apart=uncompared,
    )


def _size(bad: Iterable[Bad]) -> int:
    return sum(one.content.size_bytes for one in bad)


HALF = Sentence(
    "A power cut now would lose no data. {part:and} could not be mounted until "
    "`diskwright {command} {run}` has finished."
)


@dataclass(frozen=True, slots=True)
class BadSectors:
    """An unreadable range of a partition and its place on the drive. `zeros` is True if it was replaced by
    zeros."""

    partition: str
    start_bytes: int
    size_bytes: int
    drive_start_bytes: int
    zeros: bool


def stops_now(run: Path) -> tuple[Message, ...]:
    """Describe unreadable places that stopped a move. Raises BadInput."""
    moves = load_moves(run)
    return stops_of(moves, load_notes(run, moves))


def bad_sectors(run: Path) -> tuple[BadSectors, ...]:
    """Return all bad sectors of a run; empty for other kinds. Raises BadInput."""
    if kind_of(run) is not RunKind.MOVE:
        return ()
    moves = load_moves(run)
    pairs = zip(moves.moves, load_notes(run, moves), strict=True)
    return tuple(
        BadSectors(
            move.device, one.content.start_bytes, one.content.size_bytes, one.drive_bytes, one.is_zeros
        )
        for move, noted in pairs
        for one in noted.bad
    )


def power_said(run: Path) -> Message:
    """Describe the effect of a power cut now, during the run. Raises BadInput."""
    entries, moves = read_entries(run), load_moves(run)
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


OVER = Sentence("Run {run} is {state}; no steps remain.")


NOT_SAME = Sentence("The contents of {part} differ from before. Do not use the partition.")
CHECKS_FAIL = Sentence("{part} was moved, but a check failed. {way}")
NO_JOURNAL = Sentence("The journal of {run} on {drive} was overwritten. This attempt made no changes.")


BAD_SECTOR = Sentence(
    "{why} Nothing was written. A partition with a bad sector is not moved: copy its files off first."
)
BAD_SECTOR_LATER = Sentence(
    "{why} A partition with a bad sector is not moved. Partitions moved before "
    "remain intact at the new location."
)
STOPPED = Sentence("Stopped. No data is lost.")
FAILED = Sentence("{why} No data is lost.")


class Carrying(OnDrive):
    """The moves of a run, in the process that carries them out."""

    def __init__(self, work: RunWork, moves: Moves, drive: MovedDrive, notes: tuple[Noted, ...]) -> None:
        super().__init__(work.run, moves, drive, notes)
        self._journal = work.journal
        self._sentences = step_sentences(moves)

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
            early = BAD_SECTOR if not self._has_moved() else BAD_SECTOR_LATER
            return Event.FAILED, str(early(why=str(error)))
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
        except (UnreadSector, UnreadableBlocks) as error:
            return self._not_begun(number, move, error)
        self._start(step)
        mover.give_up(self.notes[number].over)
        try:
            mover.go(PartitionSide.NEW)
        except MoveStopped:
            return Event.STOPPED, str(STOPPED())
        except UnreadableBlocks as unreadable:
            self.note_bad(number, mover)
            return self._stopped_at_bad(number, move, step, unreadable)
        except Failed as error:
            self._journal.add(Event.STEP_FAILED, str(error), step=step)
            return Event.FAILED, str(FAILED(why=str(error)))
        self.note_bad(number, mover)
        self._journal.add(Event.STEP_DONE, t("{part} is at its new location.", part=move.device), step=step)
        return None

    def _stopped_at_bad(self, number: int, move: Move, step: int, unreadable: UnreadableBlocks) -> Outcome:
        stops = self.notes[number].stops
        for said in bad_listed(move, stops):
            self._journal.add(Event.BAD_SECTOR, said, step=step)
        self._journal.add(Event.STEP_FAILED, str(unreadable), step=step)
        return Event.FAILED, str(_stopped_said(move, stops, run_argument(self.run)))

    def _not_begun(self, number: int, move: Move, error: UnreadSector | UnreadableBlocks) -> Outcome:
        """Return how the run ends if sectors, or the new journal, became unreadable before the move
        started."""
        if self.notes[number].is_begun:
            return Event.FAILED, str(FAILED(why=str(error)))
        why = str(error)
        if isinstance(error, UnreadableBlocks):
            start = move.before.start_bytes
            noted = with_unread_at(self.notes[number], error.places, start, is_kept=False)
            why = str(join(*bad_listed(move, noted.bad)))
        early = BAD_SECTOR_LATER if self._has_moved() else BAD_SECTOR
        return Event.FAILED, str(early(why=why))

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
            return Event.FAILED, str(FAILED(why=str(error)))
        if digests is None:
            return Event.STOPPED, str(STOPPED())
        self._journal.add(
            Event.STEP_DONE, t("{part} was read again completely.", part=move.device), step=step
        )
        result = str(_same_said(move, self.notes[number].bad)).rstrip(".")
        if not self.are_same(number, digests):
            self._journal.add(Event.NOT_VERIFIED, result)
            way = NOT_SAME(part=move.device)
            return Event.FAILED, str(CHECKS_FAIL(part=move.device, way=way))
        self._journal.add(Event.VERIFIED, result)
        for line in bad_listed(move, self.notes[number].bad):
            self._journal.add(Event.BAD_SECTOR, line)
        digest = ends_digest(self.drive, move, move.after.start_bytes)
        self.note(number, replace(self.notes[number], stood=digest))
        return None

    def _start(self, step: int) -> None:
        self._journal.add(Event.STEP_STARTED, self._sentences[step - 1], step=step)
