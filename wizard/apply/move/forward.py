"""Run moves: read all partitions first, then move and compare one after the other."""

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
    """Each place: where it was on the drive, and where it is in the partition."""
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
    """All places that a run stops at now."""
    pairs = zip(moves.moves, notes, strict=True)
    return tuple(said for move, noted in pairs for said in bad_listed(move, noted.stops))


def stopped_said(move: Move, bad: tuple[Bad, ...], run: str) -> Message:
    """Why a move stopped on its way, and how it goes on, or back."""
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
    """The places at which the way back stops, and how it goes on."""
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


def same_said(move: Move, bad: tuple[Bad, ...]) -> Message:
    """What was compared: all, or all but the pieces around what was lost."""
    if not bad:
        return t("{part} contains the same data as before.", part=move.device)
    apart = uncompared_bytes(move.before.size_bytes, (one.content for one in bad))
    return t(
        "{part} contains the same data as before, except {size:exact} of unreadable "
        "data. {apart:size} around that data could not be compared.",
        part=move.device,
        size=_size(bad),
        apart=apart,
    )


def back_but(move: Move, bad: tuple[Bad, ...]) -> Message:
    """Where it is again, and what is not as it was."""
    apart = uncompared_bytes(move.before.size_bytes, (one.content for one in bad))
    return t(
        "{part} starts at {start:exact} again, as before, except {size:exact} of "
        "unreadable data. {apart:size} around that data could not be compared.",
        part=move.device,
        start=move.before.start_bytes,
        size=_size(bad),
        apart=apart,
    )


def _size(bad: Iterable[Bad]) -> int:
    return sum(one.content.size_bytes for one in bad)


HALF = Sentence(
    "A power cut now would lose no data. {part:and} could not be mounted until "
    "`diskwright {command} {run}` has finished."
)


@dataclass(frozen=True, slots=True)
class BadSectors:
    """A place that could not be read: in the partition, and where that was on the drive. `zeros`: it is
    zeros since."""

    partition: str
    start_bytes: int
    size_bytes: int
    drive_start_bytes: int
    zeros: bool


def stops_now(run: Path) -> tuple[Message, ...]:
    """The places that cannot be read, at which a move stopped; raises BadInput."""
    moves = load_moves(run)
    return stops_of(moves, load_notes(run, moves))


def bad_sectors(run: Path) -> tuple[BadSectors, ...]:
    """All that could not be read while a run moved; none for a run that moves nothing. Raises BadInput."""
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
    """What a power cut now would leave, while the run is at work. Raises BadInput."""
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
    device, is_moved = started[-1]
    if is_moved:
        return t("A power cut now would leave {part} complete at its new location.", part=device)
    return HALF(part=device, command="resume", run=run_argument(run))


# Before it begins.
OVER = Sentence("Run {run} is {state}; no steps remain.")

# Found on a drive.

# How it goes.
NOT_SAME = Sentence("The contents of {part} differ from before. Do not use the partition.")
CHECKS_FAIL = Sentence("{part} was moved, but a check failed. {way}")
NO_JOURNAL = Sentence("The journal of {run} on {drive} was overwritten. This attempt made no changes.")

# If the power goes.


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
    """The moves of a run that are carried out."""

    def __init__(self, work: RunWork, moves: Moves, drive: MovedDrive, notes: tuple[Noted, ...]) -> None:
        super().__init__(work.run, moves, drive, notes)
        self._journal = work.journal
        self._sentences = step_sentences(moves)

    def is_stopped(self) -> bool:
        """Whether somebody wants it to stop."""
        return (self.run / STOP).exists()

    def all_read(self) -> Outcome | None:
        """Find bad sectors before anything is written, and note what each partition holds: how the run ends
        where it goes no further."""
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
        """Move and compare each: how the run ends where it goes no further."""
        for number, move in enumerate(self.moves.moves):
            if not self.notes[number].stood:
                ended = self._moved(number, move) or self._compared(number, move)
                if ended is not None:
                    return ended
        return None

    def _moved(self, number: int, move: Move) -> Outcome | None:
        step = move_step(self.moves, number)
        if step in done_steps(read_entries(self.run)):
            return None
        if self.is_stopped():
            return Event.STOPPED, str(STOPPED())
        try:
            mover = self._forward(number, move)
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
        return Event.FAILED, str(stopped_said(move, stops, run_argument(self.run)))

    def _not_begun(self, number: int, move: Move, error: UnreadSector | UnreadableBlocks) -> Outcome:
        """What was read before cannot be read any more, or the journal that was written cannot."""
        if self.notes[number].is_begun:
            return Event.FAILED, str(FAILED(why=str(error)))
        why = str(error)
        if isinstance(error, UnreadableBlocks):
            start = move.before.start_bytes
            noted = with_unread_at(self.notes[number], error.places, start, is_kept=False)
            why = str(join(*bad_listed(move, noted.bad)))
        early = BAD_SECTOR_LATER if self._has_moved() else BAD_SECTOR
        return Event.FAILED, str(early(why=why))

    def _forward(self, number: int, move: Move) -> Mover:
        """The move by the drive's journal; a new one where it was not begun."""
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
        # From here on no journal of an earlier move may be trusted: this one may lie in its place.
        self.note(number, begun)
        if number:
            self.journal(self.moves.moves[number - 1]).forget(self.notes[number - 1].name)
        journal.prepare(*prepared)
        return Mover(self.drive, journal, prepared[0], b"", self.telling(move, step, 0, self.is_stopped))

    def _compared(self, number: int, move: Move) -> Outcome | None:
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
        said = str(same_said(move, self.notes[number].bad)).rstrip(".")
        if not self.are_same(number, digests):
            self._journal.add(Event.NOT_VERIFIED, said)
            way = NOT_SAME(part=move.device)
            return Event.FAILED, str(CHECKS_FAIL(part=move.device, way=way))
        self._journal.add(Event.VERIFIED, said)
        for line in bad_listed(move, self.notes[number].bad):
            self._journal.add(Event.BAD_SECTOR, line)
        stood = ends_digest(self.drive, move, move.after.start_bytes)
        self.note(number, replace(self.notes[number], stood=stood))
        return None

    def _start(self, step: int) -> None:
        self._journal.add(Event.STEP_STARTED, self._sentences[step - 1], step=step)
