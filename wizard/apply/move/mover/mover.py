"""Phases of a move. Each is repeatable. A durable record precedes the next phase.

Half a filesystem must never be visible or repairable. So until all content is at one place, the table's entry
covers both places. Until then the head and all copies of the head are zeros. Copies are written before the
head's signatures, and cleared after them: whatever is recognised is complete.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import groupby

from wizard.apply.block.extents import merged, without
from wizard.apply.move.bad_sectors import UnreadableBlocks, fill, seen
from wizard.apply.move.mover.journal import (
    ImagePiece,
    MoveJournal,
    MovePhase,
    MoveState,
    MovingDrive,
    PartitionSide,
    image_of,
    with_unread,
    without_head,
    write_bytes,
)
from wizard.apply.move.mover.prepare import with_bars
from wizard.apply.move.mover.windows import WindowMover
from wizard.model.errors import Failed
from wizard.model.machine import Extent
from wizard.model.said import KIB, t

MARKS = tuple(kib * KIB for kib in (0, 4, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096))
MARK_BYTES = 4 * KIB
"""Where libblkid looks for what a partition holds, within its first MiB and, of LUKS2's second header, up to
4 MiB: the first blocks, md 1.2, JFS, Btrfs and ReiserFS, and the headers of LUKS2."""

HEADLESS = frozenset({MovePhase.BARRING, MovePhase.MOVING, MovePhase.PLACING})
"""The phases in which the head stands nowhere, or is about to."""

Told = Callable[[int], bool]
"""Hears how many bytes more have moved; whether to stop here, between two windows."""


class Mover:
    """A move whose journal lies at `journal`, from wherever it stands."""

    def __init__(
        self,
        drive: MovingDrive,
        journal: MoveJournal,
        state: MoveState,
        edges: bytes,
        told: Told = lambda _: False,
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
        """Until the partition is whole there, and the table says so. Raises Stopped, Unreadable where sectors
        cannot be read, and Failed where the drive fails; both ways lead on from there."""
        while (self.state.phase, self.state.target) != (MovePhase.DONE, target):
            self._step(target)

    @property
    def is_whole(self) -> bool:
        """Whether it lies at its old place, and nothing was ever written there."""
        return self.state.epoch == 0 and self.state.phase is not MovePhase.BARRING

    def give_up(self, places: Iterable[Extent]) -> None:
        """Of these, which cannot be read, those that are known so become zeros where they move, and those of
        the head are as the journal has them; on the medium on return."""
        state = self.state
        head = 0 if state.phase in HEADLESS else state.course.head_bytes
        given = tuple(place for place in places if place in state.unread or place.end_bytes <= head)
        if given:
            left = tuple(place for place in state.unread if place not in given)
            given_up = merged((*state.given_up, *given), 1, state.course.size_bytes)
            self._enter(replace(state, unread=left, given_up=given_up), self._edges)

    def _step(self, target: PartitionSide) -> None:
        phase, turns = self.state.phase, self.state.target is not target
        if phase is MovePhase.PREPARED or (phase in (MovePhase.DONE, MovePhase.TABLING) and turns):
            self._set_out(target)
            return
        steps = {
            MovePhase.UNTABLING: self._untable,
            MovePhase.BARRING: self._bar,
            MovePhase.MOVING: self._move,
            MovePhase.PLACING: self._place,
            MovePhase.TABLING: self._table,
        }
        steps[phase](target)

    def _set_out(self, target: PartitionSide) -> None:
        """From a place where the partition is whole."""
        state = self.state
        if state.phase is not MovePhase.PREPARED:
            self._enter(replace(state, phase=MovePhase.UNTABLING, barred_at=state.target))
        elif target is PartitionSide.NEW:
            self._enter(replace(state, phase=MovePhase.UNTABLING, barred_at=PartitionSide.OLD))
        else:
            self._enter(replace(state, phase=MovePhase.DONE, target=target))

    def _untable(self, target: PartitionSide) -> None:
        if target is self.state.barred_at:
            # But for the table nothing was written: it need not be looked at, nor be readable.
            self._enter(replace(self.state, phase=MovePhase.TABLING, target=target))
            return
        try:
            is_unused = self.stands(self.state.barred_at)
        except UnreadableBlocks as unreadable:
            self._enter(with_unread(self.state, unreadable.places))
            raise
        if not is_unused:
            raise Failed(
                t(
                    "The partition was used after the move started, so the journal no longer "
                    "matches. The partition is intact at its old location: start a new move."
                )
            )
        self._write_table(self.state.course.pieces.table_moving)
        self._enter_beside(MovePhase.BARRING, self.state.barred_at)

    def _bar(self, _: PartitionSide) -> None:
        course = self.state.course
        start = course.start(self.state.barred_at)
        self._unmark(start)
        self._bar_copies(self.state.barred_at)
        self._mend(self.state.barred_at)
        write_bytes(self._drive, start, bytes(course.head_bytes))
        self._drive.flush()
        state = replace(self.state, phase=MovePhase.MOVING, epoch=self.state.epoch + 1, edges=())
        self._enter(without_head(state))

    def _move(self, target: PartitionSide) -> None:
        self._mend()
        moving = WindowMover(self._drive, self._journal, self.state, self._told)
        try:
            self.state = moving.to(target)
        except BaseException:
            self.state = moving.state
            raise
        self._enter_beside(MovePhase.PLACING, target)

    def _place(self, target: PartitionSide) -> None:
        """Write all by which nothing is recognised, then the copies, then the marks, the first of them
        last."""
        course, side = self.state.course, self.state.target
        start = course.start(side)
        self._unmark(start)
        self._bar_copies(side)
        self._mend(side)
        head, *copies = course.pieces.placed(side)
        data = image_of(self._images, head)
        bare = bytearray(data)
        for at, size in self._marks():
            bare[at : at + size] = bytes(size)
        write_bytes(self._drive, start, bytes(bare))
        self._drive.flush()
        for piece in copies:
            # On the medium with the last of the marks, by which nothing is recognised yet.
            write_bytes(self._drive, start + piece.offset_bytes, image_of(self._images, piece))
        for at, size in reversed(self._marks()):
            write_bytes(self._drive, start + at, data[at : at + size])
            self._drive.flush()
        if side is target:
            self._enter(replace(self.state, phase=MovePhase.TABLING, edges=()))
        else:
            self._enter_beside(MovePhase.BARRING, side)

    def _table(self, target: PartitionSide) -> None:
        self._write_table(self.state.course.pieces.table(target))
        self._enter(replace(self.state, phase=MovePhase.DONE))

    def _enter(self, state: MoveState, edges: bytes = b"") -> None:
        """On the medium before anything of the new phase is written."""
        self.state, self._edges = state, edges
        self._journal.save(state, edges)
        self._drive.flush()

    def _enter_beside(self, phase: MovePhase, side: PartitionSide) -> None:
        """A phase in which the head and what else is written at a place share physical blocks with others."""
        course = self.state.course
        start = course.start(side)
        written = [
            (start, course.head_bytes),
            *((start + piece.offset_bytes, piece.size_bytes) for piece in course.pieces.placed(side)),
        ]
        edges = self._shared(place for at, size in written for place in (at, at + size))
        state = replace(self.state, phase=phase, edges=edges)
        state = replace(state, target=side) if phase is MovePhase.PLACING else replace(state, barred_at=side)
        try:
            kept = self._read_edges(edges)
        except UnreadableBlocks as unreadable:
            # The phase that was begun stands, and what it wrote.
            self._enter(with_unread(self.state, unreadable.places), self._edges)
            raise
        self._enter(state, kept)

    def _shared(self, borders: Iterable[int]) -> tuple[int, ...]:
        block = self.state.course.physical_bytes
        return tuple(sorted({at // block * block for at in borders if at % block}))

    def _read_edges(self, edges: tuple[int, ...]) -> bytes:
        block = self.state.course.physical_bytes
        buffer = self._drive.buffer(len(edges) * block)
        for number, at in enumerate(edges):
            piece = buffer[number * block : (number + 1) * block]
            fill(self._drive, self.state, self.state.boundary_bytes, at, piece)
        return bytes(buffer)

    def _marks(self) -> tuple[tuple[int, int], ...]:
        """Where in the head something is recognised, and how much of it that takes."""
        head = self.state.course.head_bytes
        if head < MARK_BYTES:
            return ((0, head),)
        return tuple((at, MARK_BYTES) for at in MARKS if at + MARK_BYTES <= head)

    def _unmark(self, start: int) -> None:
        """Take the marks away before anything else: of a phase that was cut off they may stand already, and
        what is mended next is not whole."""
        for at, size in self._marks():
            write_bytes(self._drive, start + at, bytes(size))
            self._drive.flush()

    def _bar_copies(self, side: PartitionSide) -> None:
        """Take the copies away: while nobody recognises the head, they are what is looked for. A phase that
        was cut off may have put some of them there already."""
        start, copies = self.state.course.start(side), self._barred(side)
        for at, data in copies:
            write_bytes(self._drive, start + at, data)
        if copies:
            self._drive.flush()

    def _barred(self, side: PartitionSide) -> tuple[tuple[int, bytes], ...]:
        """What stands in the physical blocks of the copies while they are barred, by its offset in the
        content."""
        pieces = self.state.course.pieces
        return tuple(
            (piece.offset_bytes, with_bars(image_of(self._images, piece), piece.offset_bytes, pieces.barred))
            for piece in pieces.placed(side)[1:]
        )

    def _mend(self, side: PartitionSide | None = None) -> None:
        """Write the shared physical blocks as they were when this phase began: a torn write may have taken
        all of one. In a phase that writes the head and its copies at a side, those do not come back."""
        block = self.state.course.physical_bytes
        for number, at in enumerate(self.state.edges):
            data = bytearray(self._edges[number * block : (number + 1) * block])
            for place, own in self._own(side):
                low, high = max(at, place), min(at + block, place + len(own))
                if low < high:
                    data[low - at : high - at] = own[low - place : high - place]
            write_bytes(self._drive, at, bytes(data))
        if self.state.edges:
            self._drive.flush()

    def _own(self, side: PartitionSide | None) -> Iterator[tuple[int, bytes]]:
        """What this phase writes, by its places, as it is until all else is there."""
        if side is None:
            return
        start = self.state.course.start(side)
        yield from ((start + at, data) for at, data in self._barred(side))
        yield start, bytes(self.state.course.head_bytes)

    def _write_table(self, wanted: tuple[ImagePiece, ...]) -> None:
        """One copy of the table at a time, a damaged one first, and nothing that is there already: at every
        moment one copy is whole. What is whole is read; so it is on the medium first, since after the death
        of a process it may lie in the drive's memory alone."""
        self._drive.flush()
        pieces = self.state.course.pieces
        known = [self._copies(table) for table in (pieces.table_old, pieces.table_moving, pieces.table_new)]
        copies = self._copies(wanted)
        for is_first in sorted(
            copies, key=lambda side: any(self._stands(one[side]) for one in known if side in one)
        ):
            for piece in copies[is_first]:
                if not self._stands((piece,)):
                    write_bytes(self._drive, piece.offset_bytes, image_of(self._images, piece))
                    self._drive.flush()

    def _copies(self, table: tuple[ImagePiece, ...]) -> dict[bool, tuple[ImagePiece, ...]]:
        """The pieces of each copy, in the order in which they come: whether it lies before both places."""
        lo = self.state.course.lo
        return {
            is_first: tuple(pieces)
            for is_first, pieces in groupby(table, lambda piece: piece.offset_bytes < lo)
        }

    def stands(self, side: PartitionSide, passed: Iterable[Extent] = ()) -> bool:
        """Whether the head, and what else is written there at the end, stands at this place as the journal
        has it: nobody has used the partition since. Copies that cannot be read are passed over: the journal
        has them. The head tells alone whether it was used, so of that only what was given up, or is `passed`
        here. Raises Unreadable for the rest."""
        start = self.state.course.start(side)
        head, *copies = self.state.course.pieces.placed(side)
        is_same, unread = self._seen(head, start)
        known = (*self.state.given_up, *passed)
        own = (Extent(place.start_bytes - start, place.size_bytes) for place in unread)
        if unknown := tuple(piece for place in own for piece in without(place, known)):
            raise UnreadableBlocks(unknown)
        return is_same and all(self._seen(copy, start)[0] for copy in copies)

    def has_table(self, side: PartitionSide) -> bool:
        """Whether the table stands as the journal has it for this place, as far as it can be read."""
        told = [self._seen(piece) for piece in self.state.course.pieces.table(side)]
        return all(is_same for is_same, _ in told) and any(not unread for _, unread in told)

    def _stands(self, pieces: tuple[ImagePiece, ...]) -> bool:
        """What cannot be read does not stand."""
        return all(self._seen(piece) == (True, ()) for piece in pieces)

    def _seen(self, piece: ImagePiece, start: int = 0) -> tuple[bool, tuple[Extent, ...]]:
        """Whether it stands there as far as it can be read, and what of it cannot."""
        image = image_of(self._images, piece)
        return seen(self._drive, start + piece.offset_bytes, image, self.state.course.physical_bytes)
