"""Progress of a run's moves, in `moved.json` and in the journal on the drive, and digests of the partitions.

A whole partition is read before a move, to find bad sectors, and after it, to compare digests.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from time import sleep
from uuid import uuid4

from msgspec.structs import replace

from wizard.apply.engine.signatures import xfs_found
from wizard.apply.move.mover.journal import MoveJournal, MovingDrive, PartitionSide, UnreadSector
from wizard.apply.move.mover.mover import Mover
from wizard.apply.move.mover.prepare import MovedDrive, prepared
from wizard.apply.run import backup_store
from wizard.apply.run.journal import begun_steps, read_entries
from wizard.apply.run.process import Stopped
from wizard.apply.run.progress_log import Tally, noting
from wizard.documents import codec
from wizard.model.errors import FrozenStruct
from wizard.model.machine import Extent
from wizard.model.moves import Move, Moves
from wizard.model.said import MIB, rounded_up
from wizard.plan.partition.moves import MOVES, move_step

FILE, SCHEMA = "moved.json", "diskwright.moved/1"


class Bad(FrozenStruct):
    """An unreadable range: offsets in the partition, and on the drive at that time. Version 1.0 set the other
    fields: `is_zeros` is True if zeros replaced the range, and `is_kept` if the journal has the data."""

    content: Extent
    drive_bytes: int
    is_zeros: bool = False
    is_kept: bool = False


class Noted(FrozenStruct):
    """The progress of one move.

    `content` is the digest of the partition, empty until read, and `pieces` has a digest for each of its
    equal parts. `superblocks` are places in which xfs_repair would find one. `name` and `back` identify the
    journals of the move and, if a later move has overwritten the first one, of the way back. `stood` is the
    digest of head and tail at the new place, after comparison. `is_begun` is True if a journal may be on the
    drive, and `is_back` after undo. `bad` are unreadable ranges, which undo did not compare. Version 1.0 set
    `over`: ranges that the user allowed to become zeros.
    """

    name: str
    content: str = ""
    is_begun: bool = False
    stood: str = ""
    back: str = ""
    is_back: bool = False
    pieces: tuple[str, ...] = ()
    superblocks: tuple[int, ...] = ()
    bad: tuple[Bad, ...] = ()
    over: tuple[Extent, ...] = ()

    @property
    def zeros(self) -> tuple[Extent, ...]:
        """Ranges that version 1.0 may have replaced by zeros."""
        return (*(one.content for one in self.bad if one.is_zeros), *self.over)


def without_stops(noted: Noted) -> Noted:
    """Return the progress without unreadable ranges at which version 1.0 stopped."""
    return replace(noted, bad=tuple(one for one in noted.bad if one.is_zeros))


def begun_moves(notes: Iterable[Noted]) -> list[int]:
    """Return the numbers of all moves with a possible journal on the drive."""
    return [number for number, noted in enumerate(notes) if noted.is_begun]


class Notes(FrozenStruct):
    """The progress of all moves of a run, in their order."""

    moves: tuple[Noted, ...]


def new_name() -> str:
    """Return a name that identifies a journal on a drive."""
    return uuid4().hex


def load_notes(run: Path, moves: Moves) -> tuple[Noted, ...]:
    """Load the progress of a run, or start with new names. Raises BadInput if the file is damaged."""
    found = backup_store.load_document(run / FILE, SCHEMA, Notes)
    return found.moves if found else tuple(Noted(new_name()) for _ in moves.moves)


def save_notes(run: Path, notes: Sequence[Noted]) -> None:
    """Save the progress of all moves, and sync. Raises Failed."""
    backup_store.replace_document(run / FILE, SCHEMA, Notes(tuple(notes)))


STEP_BYTES = 16 * MIB
TAIL_BYTES = 64 * 1024
MOST_PIECES, PIECE_DIGITS = 1024, 32
"""Limits that fit into the journal on the drive: number of digests, and hex digits of each."""


def piece_bytes(size_bytes: int) -> int:
    """Return the size of the pieces for a partition of this size."""
    return STEP_BYTES * -(-size_bytes // (STEP_BYTES * MOST_PIECES))


class ContentDigests:
    """Digests of a partition without its head and the last bytes: of the whole, and of equal pieces.
    `superblocks` are places that xfs_repair would accept as an XFS superblock."""

    def __init__(self, piece: int, starts: Sequence[int] | None) -> None:
        self._piece, self._whole, self._starts = piece, hashlib.sha256(), starts
        self.superblocks: tuple[int, ...] = ()
        self._pieces: tuple[str, ...] = ()
        self._now = hashlib.sha256()

    def take(self, at_bytes: int, counted_from: int, data: memoryview) -> None:
        """Add data at `counted_from`, of a window that begins at `at_bytes`."""
        if at_bytes and at_bytes % self._piece == 0:
            self._pieces, self._now = self.pieces, hashlib.sha256()
        self._whole.update(data)
        self._now.update(data)
        if self._starts is not None:
            # xfs_repair only accepts a superblock if others are at distances of the group size it states.
            self.superblocks += tuple(
                at
                for at, group in xfs_found(bytes(data), counted_from)
                if any((start + at) % group == 0 for start in self._starts)
            )

    @property
    def whole(self) -> str:
        """Digest of all data."""
        return self._whole.hexdigest()

    @property
    def pieces(self) -> tuple[str, ...]:
        """Digests of the pieces, up to the current one."""
        return (*self._pieces, self._now.hexdigest()[:PIECE_DIGITS])


def uncompared_bytes(size_bytes: int, lost: Iterable[Extent]) -> int:
    """Return the total size of the pieces that cannot be compared."""
    piece = piece_bytes(size_bytes)
    return sum(min(piece, size_bytes - number * piece) for number in _affected_pieces(size_bytes, lost))


def _affected_pieces(size_bytes: int, lost: Iterable[Extent]) -> frozenset[int]:
    piece = piece_bytes(size_bytes)
    return frozenset(
        number
        for place in lost
        for number in range(place.start_bytes // piece, (place.end_bytes - 1) // piece + 1)
    )


def ends_digest(drive: MovingDrive, move: Move, start_bytes: int) -> str:
    """Return a digest of the partition's head and last bytes at this start, which change when it is mounted
    for writing. Raises UnreadSector and Failed."""
    size, digest = move.before.size_bytes, hashlib.sha256()
    for at, length in ((0, move.head_bytes), (max(size - TAIL_BYTES, 0), min(TAIL_BYTES, size))):
        buffer = drive.buffer(length)
        drive.read_into(start_bytes + at, buffer)
        digest.update(buffer)
    return digest.hexdigest()


MOST_REST_SECONDS = 60.0
THROTTLE = "throttle"
"""A file in the run's folder with the pause after each window in seconds, to free up the machine."""


class OnDrive:
    """The moves of a run with their progress."""

    def __init__(self, run: Path, moves: Moves, drive: MovedDrive) -> None:
        self.run, self.moves, self.drive = run, moves, drive
        self.notes = [*load_notes(run, moves)]

    def note(self, number: int, noted: Noted) -> None:
        """Save the progress of a move, and sync."""
        self.notes[number] = noted
        save_notes(self.run, self.notes)

    def has_started(self, number: int) -> bool:
        """Return True if the move's journal is complete on the drive, so more than the journal may have been
        written."""
        return move_step(self.moves, number) in begun_steps(read_entries(self.run))

    def is_stopped(self) -> bool:
        """Return True if a stop was requested. Undo does not stop."""
        return False

    def digests(
        self, move: Move, start_bytes: int, step: int, unread: list[Extent] | None = None
    ) -> ContentDigests:
        """Read a partition at this start, and return digests without its head and last bytes, which may
        differ at another place. Raises Stopped, UnreadSector and Failed.

        With `unread`, add unreadable ranges of the partition there instead, from the first unreadable sector
        to the end of the read.
        """
        size, span = move.before.size_bytes, move.span.start_bytes
        told = noting(self.run, step, size_bytes=size)
        low, high = move.head_bytes, max(move.head_bytes, size - TAIL_BYTES)
        # Possible starts of the filesystem within the partition: its start and, during the move, both places
        # in the entry that covers them.
        starts = (0, move.before.start_bytes - span, move.after.start_bytes - span)
        hashes = ContentDigests(piece_bytes(size), starts if move.holds == "xfs" else None)
        buffers = [self.drive.buffer(min(STEP_BYTES, size)) for _ in range(2)]
        with ThreadPoolExecutor(1) as hashing:
            before = None
            for number, at in enumerate(range(0, size, STEP_BYTES)):
                if self.is_stopped():
                    raise Stopped
                buffer = buffers[number % 2][: min(STEP_BYTES, size - at)]
                try:
                    self.drive.read_into(start_bytes + at, buffer)
                except UnreadSector as error:
                    if unread is None:
                        raise
                    first = error.at_bytes - start_bytes
                    unread.append(Extent(first, at + len(buffer) - first))
                if before is not None:
                    before.result()
                counted = buffer[max(low - at, 0) : max(min(high - at, len(buffer)), 0)]
                before = hashing.submit(hashes.take, at, max(at, low), counted)
                told((at + len(buffer)) / size)
            if before is not None:
                before.result()
        return hashes

    def are_same(self, number: int, now: ContentDigests, unread: Iterable[Extent] = ()) -> bool:
        """Return True if the partition is unchanged, apart from `unread` ranges and from zeros that version
        1.0 wrote. Their pieces cannot be compared."""
        noted, size = self.notes[number], self.moves.moves[number].before.size_bytes
        apart = _affected_pieces(size, (*noted.zeros, *unread))
        if not apart:
            return noted.content == now.whole
        return len(noted.pieces) == len(now.pieces) and all(
            one == other
            for at, (one, other) in enumerate(zip(noted.pieces, now.pieces, strict=True))
            if at not in apart
        )

    def journal(self, move: Move) -> MoveJournal:
        """Return the journal at this move's place, which may be empty."""
        return MoveJournal(self.drive, move.journal.start_bytes, move.drive.geometry.whole_block_bytes)

    def load_mover(self, number: int, name: str, target: PartitionSide, step: int = 0) -> Mover | None:
        """Return the move of this name from the drive's journal, or None. Raises Failed."""
        move = self.moves.moves[number]
        journal = self.journal(move)
        loaded = journal.load()
        if loaded is None or loaded[0].course.run != name:
            return None
        state, edges = loaded
        moved = state.boundary_bytes
        if state.course.raises(target):
            moved = state.course.size_bytes - moved
        return Mover(self.drive, journal, state, edges, self.telling(move, step, moved))

    def new_mover(
        self,
        number: int,
        move: Move,
        begun: Noted,
        name: str,
        stale: Iterable[tuple[Move, str]],
        step: int = 0,
    ) -> Mover:
        """Write a journal with everything that another computer needs to resume. Raises Refused, UnreadSector
        and Failed.

        `begun` is the progress of this move from now on. The `stale` journals may be in the same place.
        """
        notes = Notes((*self.notes[:number], begun, *self.notes[number + 1 :]))
        told = {"moves": MOVES.render(self.moves), "notes": codec.to_json(notes), "run": self.run.name}
        data, block = json.dumps(told).encode(), move.drive.geometry.logical_block_bytes
        document = data.ljust(rounded_up(len(data), block))
        state, images = prepared(self.drive, move, name, document, begun.superblocks)
        self.note(number, begun)
        for other, old_name in stale:
            self.journal(other).forget(old_name)
        journal = self.journal(move)
        journal.prepare(state, images)
        return Mover(self.drive, journal, state, b"", self.telling(move, step, 0))

    def telling(self, move: Move, step: int, moved_before: int) -> Callable[[int], bool]:
        """Return a function that counts moved bytes, pauses if requested, and returns True to stop."""
        size = move.before.size_bytes
        if moved_before == size:
            # A logged move records its boundary rarely, so it may have moved more than the journal shows.
            moved_before = 0
        left_bytes = size - moved_before
        tally = Tally(noting(self.run, step, (moved_before / size, 1.0), left_bytes), left_bytes)

        def told(moved_bytes: int) -> bool:
            tally(moved_bytes)
            with suppress(ValueError):
                rest = float(backup_store.read_kept(self.run / THROTTLE) or 0)
                sleep(min(max(rest, 0.0), MOST_REST_SECONDS))
            return self.is_stopped()

        return told
