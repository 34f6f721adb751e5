"""Power cuts at every write and flush of a move and its undo on many layouts, with two more cuts during
recovery. The final content is compared bit for bit."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from tests.unit.apply.lossy import BLOCK, SECTOR, Cut, LossyDrive, RecordingDrive
from tests.unit.probe.gptimage import Image
from wizard.apply.move.mover import mover
from wizard.apply.move.mover.journal import (
    Course,
    ImagePiece,
    JournalImages,
    MoveJournal,
    MovePhase,
    MoveState,
    PartitionSide,
    journal_bytes,
)
from wizard.apply.move.mover.prepare import blocks_around
from wizard.apply.move.table_images import table_images
from wizard.model.geometry import Geometry
from wizard.model.machine import Extent
from wizard.model.moves import Scheme
from wizard.probe.content.tables import read_gpt, read_mbr

HEAD_SECTORS = 21
COPIES, NEAR_COPY = ((9, 2), (70, 3)), (1, 2)
"""Copies that are barred: how many sectors behind the head each begins, and its length. One shares a physical
block with the head."""
EXTENDED_AT = 40
DOCUMENT = b"a move".ljust(SECTOR, b" ")


@dataclass(frozen=True)
class Case:
    """A partition's old place, new place and size in sectors, and the way to move it. With `tail`, its
    last block also changes."""

    old: int
    new: int
    size: int
    scheme: Scheme
    window: int
    table: str = "gpt"
    garbage: float = 0.3
    in_flight: int = 3
    tail: bool = False


DIRECT, LOGGED = Scheme.DIRECT, Scheme.LOGGED
CASES = (
    Case(63, 64, 200, LOGGED, 24, garbage=0),
    Case(63, 64, 200, LOGGED, 24),
    Case(63, 64, 203, LOGGED, 16, table="mbr"),
    Case(64, 63, 203, LOGGED, 16),
    Case(63, 128, 301, DIRECT, 16, garbage=0),
    Case(63, 128, 301, DIRECT, 16),
    Case(128, 63, 301, DIRECT, 16, table="mbr"),
    Case(34, 64, 250, LOGGED, 40),
    Case(64, 34, 250, LOGGED, 40, tail=True),
    Case(63, 65, 155, LOGGED, 32, table="logical"),
    Case(63, 400, 300, DIRECT, 64),
    Case(400, 63, 300, DIRECT, 64, tail=True),
    Case(67, 64, 260, LOGGED, 48, table="mbr"),
    Case(63, 96, 260, DIRECT, 8, table="logical"),
    Case(63, 128, 301, DIRECT, 64, in_flight=1),
    Case(128, 63, 301, DIRECT, 64, in_flight=1, tail=True),
    Case(63, 400, 303, DIRECT, 128, table="mbr", in_flight=1),
    Case(96, 63, 260, DIRECT, 8, tail=True),
    Case(63, 70, 6, LOGGED, 16, table="logical"),
    Case(40, 2048, 500, DIRECT, 400, tail=True),
)
"""Starts with and without a shared physical block at either end, of both schemes and directions, in every
kind of table."""


@dataclass
class Tally:
    """The number of states checked, and the errors."""

    states: int = 0
    wrong: list[str] = field(default_factory=list)
    ended_in: Counter[str] = field(default_factory=Counter)


class Layout:
    """A drive with such a partition: a real table, random sectors around it, and a journal after both
    places."""

    def __init__(self, case: Case, seed: int) -> None:
        self.case, random = case, Random(seed)
        self.size_bytes = case.size * SECTOR
        self.head_bytes = min(HEAD_SECTORS * SECTOR, self.size_bytes)
        lo, end = min(case.old, case.new) * SECTOR, (max(case.old, case.new) + case.size) * SECTOR
        self.lo, self.end = lo, end
        self.journal_at = (end // BLOCK + 6) * BLOCK
        room = journal_bytes(24 * BLOCK + 4 * self.head_bytes, case.scheme, case.window * SECTOR, BLOCK)
        self.journal_end = self.journal_at + -(-room // BLOCK) * BLOCK
        self.span = Extent(lo, self.journal_end - lo)
        image = Image(self.journal_end + 8 * BLOCK)
        first = (EXTENDED_AT + 1) * SECTOR if case.table == "logical" else 34 * SECTOR
        image.put(first, random.randbytes(self.journal_at - first))
        self._put_table(image)
        self.base = bytes(image.data)
        content = self.base[case.old * SECTOR : case.old * SECTOR + self.size_bytes]
        self.contents = {PartitionSide.OLD: content, PartitionSide.NEW: self._changed(content, random)}
        ends = [(case.size - 1, 1)] if case.tail else []
        near = [NEAR_COPY] if case.tail else []
        copies = [(HEAD_SECTORS + at, length) for at, length in (*near, *COPIES)]
        self.barred = tuple(
            Extent(at * SECTOR, length * SECTOR)
            for at, length in (*copies, *ends)
            if at >= HEAD_SECTORS and at + length <= case.size
        )
        self.images, self.course = self._images(image)
        # What the table holds in the end is told by a move that nothing interrupts.
        self.wanted: dict[PartitionSide, bytes] = {}

    def blocks_of(self, side: PartitionSide) -> tuple[Extent, ...]:
        """Return the physical blocks of the copies at this place, as ranges in the content."""
        start = (self.case.old if side is PartitionSide.OLD else self.case.new) * SECTOR
        return blocks_around(self.barred, start, self.head_bytes, self.size_bytes, BLOCK)

    def _put_table(self, image: Image) -> None:
        case = self.case
        if case.table == "gpt":
            image.protective()
            image.gpt((case.old, case.old + case.size - 1, "it"))
        elif case.table == "mbr":
            image.mbr((0x83, case.old, case.size))
        else:
            image.mbr((0x05, EXTENDED_AT, self.journal_end // SECTOR - EXTENDED_AT))
            image.mbr((0x83, case.old - EXTENDED_AT, case.size), at=EXTENDED_AT * SECTOR)

    def _changed(self, content: bytes, random: Random) -> bytes:
        """Return the content at the new place. A head sector, and maybe the last one, depend on its
        position."""
        changed = bytearray(content)
        changed[SECTOR : 2 * SECTOR] = random.randbytes(SECTOR)
        if self.case.tail:
            changed[-SECTOR:] = random.randbytes(SECTOR)
        return bytes(changed)

    def table_of(self, data: bytes | bytearray) -> str:
        """Return the table that a reader sees: "old", "moving", "new" or "none", or a description."""

        def read(offset: int, length: int) -> bytes:
            return bytes(data[offset : offset + length])

        gpt = read_gpt(read, len(data), SECTOR)
        if self.case.table == "gpt":
            entries = gpt.entries if gpt is not None and not gpt.problems else ()
        else:
            mbr = read_mbr(read, len(data), SECTOR)
            entries = mbr.entries if mbr else ()
        number = 5 if self.case.table == "logical" else 1
        mine = next((entry for entry in entries if entry.number == number), None)
        if mine is None:
            return "none"
        known = {
            (self.case.old * SECTOR, self.size_bytes): "old",
            (self.case.new * SECTOR, self.size_bytes): "new",
            (self.span.start_bytes, self.span.size_bytes): "moving",
        }
        return known.get((mine.start_bytes, mine.size_bytes), f"odd: {mine}")

    def _images(self, image: Image) -> tuple[bytes, Course]:
        case, images = self.case, bytearray()

        def kept(offset: int, data: bytes) -> ImagePiece:
            piece = ImagePiece(offset, len(data), len(images))
            images.extend(data)
            return piece

        def placed(side: PartitionSide) -> tuple[ImagePiece, ...]:
            content = self.contents[side]
            copies = (
                kept(place.start_bytes, content[place.start_bytes : place.end_bytes])
                for place in self.blocks_of(side)
            )
            return (kept(0, content[: self.head_bytes]), *copies)

        number = 5 if case.table == "logical" else 1
        after = Extent(case.new * SECTOR, self.size_bytes)
        geometry = Geometry(SECTOR, BLOCK, 0, 0, 0)
        tables = table_images(image.read, image.size_bytes, geometry, number, self.span, after)
        old, moving, new = (
            tuple(kept(piece.offset_bytes, piece.data) for piece in pieces)
            for pieces in (tables.old, tables.moving, tables.new)
        )
        placed_old, placed_new = (placed(side) for side in PartitionSide)
        document = kept(0, DOCUMENT)
        data = bytes(images)
        digest = hashlib.sha256(data).hexdigest()
        pieces = JournalImages(
            old, moving, new, placed_old, placed_new, self.barred, document, len(data), digest
        )
        return data, Course(
            run="a run",
            old_bytes=case.old * SECTOR,
            new_bytes=case.new * SECTOR,
            size_bytes=self.size_bytes,
            head_bytes=self.head_bytes,
            logical_bytes=SECTOR,
            physical_bytes=BLOCK,
            scheme=case.scheme,
            window_bytes=case.window * SECTOR,
            in_flight=case.in_flight,
            pieces=pieces,
        )

    def begun(self, drive: LossyDrive) -> "mover.Mover":
        """Return the move with its journal written."""
        boundary = self.head_bytes if self.case.new < self.case.old else self.size_bytes
        state = MoveState(self.course, MovePhase.PREPARED, PartitionSide.NEW, PartitionSide.OLD, boundary, 0)
        journal = MoveJournal(drive, self.journal_at, self.course.physical_bytes)
        journal.prepare(state, self.images)
        return mover.Mover(drive, journal, state, b"")

    def found(self, drive: LossyDrive, block: int = BLOCK) -> "mover.Mover | None":
        """Return the move recorded in the drive's journal, for this physical block size."""
        journal = MoveJournal(drive, self.journal_at, block)
        loaded = journal.load()
        return None if loaded is None else mover.Mover(drive, journal, *loaded)

    def half_mountable(self, drive: LossyDrive) -> str:
        """Describe partial content that a reader would accept; empty if none. While the entry covers both
        places, the content is expected at the lower one."""
        places = {
            "old": (PartitionSide.OLD, self.course.old_bytes),
            "new": (PartitionSide.NEW, self.course.new_bytes),
        }
        name = self.table_of(drive.view)
        if name.startswith("odd"):
            return name
        if name == "none":
            # Of these there is one copy, which a drive that turns a touched block into nonsense can lose.
            return "" if self.case.table != "gpt" and self.case.garbage else "no table is whole"
        tried = [places[name]] if name in places else [(side, self.lo) for side in PartitionSide]
        for side, place in tried:
            content = self.contents[side]
            mark = min(mover.MARK_BYTES, self.head_bytes)
            if drive.view[place : place + mark] == content[:mark]:
                whole = drive.view[place : place + self.size_bytes]
                if whole not in self.contents.values():
                    return f"mountable by the {name} table and not whole"
        return ""

    def half_repairable(self, drive: LossyDrive) -> str:
        """Describe partial content that a repair tool would accept because of a copy; empty if none.
        Ignores the head's signatures and the blocks of copies."""
        for side in PartitionSide:
            start = self.course.start(side)
            content, now = self.contents[side], drive.view[start : start + self.size_bytes]
            seen = [
                place
                for place in self.barred
                if now[place.start_bytes : place.end_bytes] == content[place.start_bytes : place.end_bytes]
            ]
            if seen and self._bare(now) not in map(self._bare, self.contents.values()):
                return f"a copy at the {side} place, and all else is not there"
        return ""

    def _bare(self, content: bytes | bytearray) -> bytes:
        """Return the content without the physical blocks of the head's signatures and the copies, at
        either place."""
        bare = bytearray(content)
        length = mover.MARK_BYTES
        marks = [Extent(at, length) for at in mover.MARKS if at + length <= self.head_bytes]
        if self.head_bytes < length:
            marks = [Extent(0, self.head_bytes)]
        for start in (self.course.old_bytes, self.course.new_bytes):
            around = blocks_around((*marks, *self.barred), start, 0, self.size_bytes, BLOCK)
            for place in around:
                bare[place.start_bytes : place.end_bytes] = bytes(place.size_bytes)
        return bytes(bare)

    def fault(self, drive: LossyDrive, side: PartitionSide) -> str:
        """Describe the first error with the partition at this place; empty if none."""
        place = self.course.start(side)
        if drive.view[place : place + self.size_bytes] != self.contents[side]:
            return "content"
        if self.table_of(drive.view) != side.value:
            return "table"
        around = self.around(drive)
        if around != self.wanted.setdefault(side, around):
            return "around"
        return ""

    def around(self, drive: LossyDrive) -> bytes:
        """Return all bytes outside both places and the journal, including the table."""
        view = drive.view
        return bytes(view[: self.lo] + view[self.end : self.journal_at] + view[self.journal_end :])


def cut_everywhere(
    case: Case,
    seed: int,
    policies: Sequence[str],
    *,
    step: int = 1,
    nested: int = 2,
    first: int = 0,
    until_wrong: bool = False,
) -> Tally:
    """Cut at every `step`th write and flush from `first` of a move and its undo, by every policy, then
    move to both places with up to `nested` more cuts. With `until_wrong`, stop at the first error."""
    layout, random, tally = Layout(case, seed), Random(seed), Tally()
    drive = RecordingDrive(layout.base)
    layout.wanted[PartitionSide.OLD] = layout.around(drive)
    layout.begun(drive).go(PartitionSide.NEW)
    assert not layout.fault(drive, PartitionSide.NEW), layout.fault(drive, PartitionSide.NEW)
    again = layout.found(drive)
    assert again is not None
    again.go(PartitionSide.OLD)
    assert not layout.fault(drive, PartitionSide.OLD), layout.fault(drive, PartitionSide.OLD)
    for number, at_cut in enumerate(drive.recorded.cuts()):
        if number % step != first % step:
            continue
        for policy in policies:
            for target in PartitionSide:
                _gone_on(layout, at_cut, policy, target, random, tally, nested, f"cut {number} {policy}")
                if until_wrong and tally.wrong:
                    return tally
    return tally


def _gone_on(
    layout: Layout,
    at_cut: LossyDrive,
    policy: str,
    target: PartitionSide,
    random: Random,
    tally: Tally,
    nested: int,
    told: str,
) -> None:
    drive = at_cut.after_cut(random, policy, layout.case.garbage)
    tally.states += 1
    for level in range(nested + 1):
        if half := layout.half_mountable(drive) or layout.half_repairable(drive):
            tally.wrong.append(f"{layout.case} {told} level {level}: {half}")
            return
        move = layout.found(drive)
        if move is None:
            if bytes(drive.view[: layout.journal_at]) != layout.base[: layout.journal_at]:
                tally.wrong.append(f"{layout.case} {told}: written before the journal was whole")
            return
        drive.events, drive.cut_at = 0, random.randrange(1, 60) if level < nested else None
        try:
            move.go(target if level == nested else random.choice([*PartitionSide]))
        except Cut:
            drive = drive.after_cut(random, random.choice(["none", "half", "all"]), layout.case.garbage)
            continue
        drive = LossyDrive(bytearray(drive.view))
    tally.ended_in[target] += 1
    if fault := layout.fault(drive, target):
        tally.wrong.append(f"{layout.case} {told} to {target}: {fault}")
