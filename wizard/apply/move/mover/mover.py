"""Phases of a move. Each is repeatable. A durable record precedes the next phase.

Half a filesystem must never be visible or repairable. So the table's entry covers both places until all data
is at one place. Until then, the head and the copies are zeros. Copies are written before the head's
signatures, and cleared after them, so any recognised filesystem is complete.
"""

from collections.abc import Callable, Iterable
from itertools import groupby

from msgspec.structs import replace

from wizard.apply.move.mover.journal import (
    ImagePiece,
    MoveJournal,
    MovePhase,
    MoveState,
    MovingDrive,
    PartitionSide,
    UnreadSector,
    image_of,
    read_bytes,
    write_bytes,
)
from wizard.apply.move.mover.windows import WindowMover
from wizard.model.errors import Failed
from wizard.model.said import KIB, t

MARKS = tuple(kib * KIB for kib in (0, 4, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096))
MARK_BYTES = 4 * KIB
"""Offsets at which libblkid finds signatures, within the first MiB and, for the second LUKS2 header, up to 4
MiB: first blocks, md 1.2, JFS, Btrfs, ReiserFS and LUKS2 headers."""


def _overlaid(data: bytes, offset_bytes: int, writes: Iterable[tuple[int, bytes]]) -> bytes:
    """Return the bytes from this offset as they will be after `writes`: offsets, and bytes."""
    changed = bytearray(data)
    for at, written in writes:
        low, high = max(at, offset_bytes), min(at + len(written), offset_bytes + len(data))
        if low < high:
            changed[low - offset_bytes : high - offset_bytes] = written[low - at : high - at]
    return bytes(changed)


class Mover:
    """A move in any state, with the journal on the drive. `told` receives the number of moved bytes, and
    returns True to stop between two windows."""

    def __init__(
        self,
        drive: MovingDrive,
        journal: MoveJournal,
        state: MoveState,
        edges: bytes,
        told: Callable[[int], bool] = lambda _: False,
    ) -> None:
        self._drive, self._journal, self._told = drive, journal, told
        self.state, self._edges = state, edges
        images = journal.images(state.course)
        if images is None:
            raise Failed(
                t("The journal on the drive is damaged: the saved start of the partition cannot be trusted.")
            )
        self._images = images

    def go(self, target: PartitionSide) -> None:
        """Continue until the partition and the table are complete at the target. Raises Stopped,
        UnreadSector, and Failed for other drive errors; both directions remain possible."""
        steps = {
            MovePhase.UNTABLING: self._untable,
            MovePhase.BARRING: self._bar,
            MovePhase.MOVING: self._move,
            MovePhase.PLACING: self._place,
            MovePhase.TABLING: self._table,
        }
        while ((phase := self.state.phase), self.state.target) != (MovePhase.DONE, target):
            turns = self.state.target is not target
            if phase is MovePhase.PREPARED and target is PartitionSide.OLD:
                self._enter(phase=MovePhase.DONE, target=target)
            elif phase is MovePhase.PREPARED:
                self._enter(phase=MovePhase.UNTABLING, barred_at=PartitionSide.OLD)
            elif turns and phase in (MovePhase.DONE, MovePhase.TABLING):
                # The partition is complete at the other place.
                self._enter(phase=MovePhase.UNTABLING, barred_at=self.state.target)
            else:
                steps[phase](target)

    @property
    def is_whole(self) -> bool:
        """True if the partition is complete at its old place, and was never written."""
        return self.state.epoch == 0 and self.state.phase is not MovePhase.BARRING

    def _untable(self, target: PartitionSide) -> None:
        if target is self.state.barred_at:
            # Only the table was written. The partition need not be compared, nor readable.
            self._enter(phase=MovePhase.TABLING, target=target)
            return
        if not self.is_at(self.state.barred_at):
            raise Failed(
                t(
                    "The partition was used after the move started, so the journal no longer "
                    "matches. The partition is intact at its old location: start a new move."
                )
            )
        self._write_table(self.state.course.pieces.table_moving)
        self._enter_with_edges(MovePhase.BARRING, self.state.barred_at)

    def _bar(self, _: PartitionSide) -> None:
        course = self.state.course
        start = course.start(self.state.barred_at)
        self._clear_signatures(start)
        self._bar_copies(self.state.barred_at)
        self._restore_edges(self.state.barred_at)
        write_bytes(self._drive, start, bytes(course.head_bytes))
        self._drive.flush()
        self._enter(phase=MovePhase.MOVING, epoch=self.state.epoch + 1, edges=())

    def _move(self, target: PartitionSide) -> None:
        self._restore_edges()
        moving = WindowMover(self._drive, self._journal, self.state, self._told)
        try:
            moving.to(target)
        finally:
            self.state, self._edges = moving.state, moving.edges
        self._enter_with_edges(MovePhase.PLACING, target)

    def _place(self, target: PartitionSide) -> None:
        """Write everything without signatures, then the copies, then the signatures, the first one last."""
        course, side = self.state.course, self.state.target
        start = course.start(side)
        self._clear_signatures(start)
        self._bar_copies(side)
        self._restore_edges(side)
        head, *copies = course.pieces.placed(side)
        data = image_of(self._images, head)
        bare = bytearray(data)
        for at, size in self._signatures():
            bare[at : at + size] = bytes(size)
        write_bytes(self._drive, start, bytes(bare))
        self._drive.flush()
        for piece in copies:
            # Synced with the last signature, before which nothing is recognised.
            write_bytes(self._drive, start + piece.offset_bytes, image_of(self._images, piece))
        for at, size in reversed(self._signatures()):
            write_bytes(self._drive, start + at, data[at : at + size])
            self._drive.flush()
        if side is target:
            self._enter(phase=MovePhase.TABLING, edges=())
        else:
            self._enter_with_edges(MovePhase.BARRING, side)

    def _table(self, target: PartitionSide) -> None:
        self._write_table(self.state.course.pieces.table(target))
        self._enter(phase=MovePhase.DONE)

    def _enter(
        self, saved_edges: bytes = b"", **changes: MovePhase | PartitionSide | int | tuple[int, ...]
    ) -> None:
        """Enter a phase with these changes of the state. Sync the state before the phase's first write."""
        self.state, self._edges = replace(self.state, **changes), saved_edges
        self._journal.save(self.state, saved_edges)
        self._drive.flush()

    def _enter_with_edges(self, phase: MovePhase, side: PartitionSide) -> None:
        """Enter a phase that writes the head and the copies, and save the physical blocks they share with
        other data."""
        course = self.state.course
        start, block = course.start(side), course.physical_bytes
        written = [
            (start, course.head_bytes),
            *((start + piece.offset_bytes, piece.size_bytes) for piece in course.pieces.placed(side)),
        ]
        borders = [border for at, size in written for border in (at, at + size)]
        edges = tuple(sorted({at // block * block for at in borders if at % block}))
        saved_edges = b"".join(read_bytes(self._drive, at, block) for at in edges)
        if phase is MovePhase.PLACING:
            self._enter(saved_edges, phase=phase, edges=edges, target=side)
        else:
            self._enter(saved_edges, phase=phase, edges=edges, barred_at=side)

    def _signatures(self) -> tuple[tuple[int, int], ...]:
        head = self.state.course.head_bytes
        if head < MARK_BYTES:
            return ((0, head),)
        return tuple((at, MARK_BYTES) for at in MARKS if at + MARK_BYTES <= head)

    def _clear_signatures(self, start: int) -> None:
        """Remove signatures first: an interrupted phase may have written them, and the next writes leave an
        incomplete head."""
        for at, size in self._signatures():
            write_bytes(self._drive, start + at, bytes(size))
            self._drive.flush()

    def _bar_copies(self, side: PartitionSide) -> None:
        """Remove the copies, which tools search for if the head is not recognised. An interrupted phase may
        have written some."""
        copies = self._zeroed_copies(side)
        for at, data in copies:
            write_bytes(self._drive, at, data)
        if copies:
            self._drive.flush()

    def _zeroed_copies(self, side: PartitionSide) -> list[tuple[int, bytes]]:
        pieces, start = self.state.course.pieces, self.state.course.start(side)
        zeros = [(place.start_bytes, bytes(place.size_bytes)) for place in pieces.barred]
        return [
            (start + piece.offset_bytes, _overlaid(image_of(self._images, piece), piece.offset_bytes, zeros))
            for piece in pieces.placed(side)[1:]
        ]

    def _restore_edges(self, side: PartitionSide | None = None) -> None:
        """Restore shared physical blocks as at the start of this phase, since a torn write may have destroyed
        them. The head and copies at `side` stay zeroed."""
        course = self.state.course
        block, zeroed = course.physical_bytes, list[tuple[int, bytes]]()
        if side is not None:
            zeroed = [*self._zeroed_copies(side), (course.start(side), bytes(course.head_bytes))]
        for number, at in enumerate(self.state.edges):
            data = self._edges[number * block : (number + 1) * block]
            write_bytes(self._drive, at, _overlaid(data, at, zeroed))
        if self.state.edges:
            self._drive.flush()

    def _write_table(self, wanted: tuple[ImagePiece, ...]) -> None:
        """Write one copy of the table at a time, a damaged one first, so one copy is always complete. Skip
        pieces that match.

        Flush first: after a killed process, data that reads back correctly may only be in the drive's cache.
        """
        self._drive.flush()
        pieces = self.state.course.pieces
        known = [self._copies(table) for table in (pieces.table_old, pieces.table_moving, pieces.table_new)]
        copies = self._copies(wanted)
        for is_first in sorted(
            copies, key=lambda side: any(self._is_on_drive(one[side]) for one in known if side in one)
        ):
            for piece in copies[is_first]:
                if not self._is_on_drive((piece,)):
                    write_bytes(self._drive, piece.offset_bytes, image_of(self._images, piece))
                    self._drive.flush()

    def _copies(self, table: tuple[ImagePiece, ...]) -> dict[bool, tuple[ImagePiece, ...]]:
        """Group the pieces by copy, in order. The key is True for the copy before both places."""
        lo = self.state.course.lo
        return {
            is_first: tuple(pieces)
            for is_first, pieces in groupby(table, lambda piece: piece.offset_bytes < lo)
        }

    def is_at(self, side: PartitionSide) -> bool:
        """Return True if the head and the copies at this place match the journal, so the partition is unused
        since. Raises UnreadSector."""
        start = self.state.course.start(side)
        return all(self._matches(piece, start) for piece in self.state.course.pieces.placed(side))

    def has_table(self, side: PartitionSide) -> bool:
        """Return True if the table matches the journal for this place. Raises UnreadSector."""
        return all(map(self._matches, self.state.course.pieces.table(side)))

    def _is_on_drive(self, pieces: tuple[ImagePiece, ...]) -> bool:
        try:
            return all(map(self._matches, pieces))
        except UnreadSector:
            return False

    def _matches(self, piece: ImagePiece, start: int = 0) -> bool:
        on_drive = read_bytes(self._drive, start + piece.offset_bytes, piece.size_bytes)
        return on_drive == image_of(self._images, piece)
