"""Moves over sectors that cannot be read, cut at every write and flush: whoever goes on lets them become
zeros, turns, or stops again. In the end all else is to the bit what it was, and what is lost is known."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random

from tests.unit.apply.lossy import BLOCK, SECTOR, Cut, LossyDrive, RecordingDrive
from tests.unit.apply.move.powercuts import HEAD_SECTORS, Case, Layout, Tally
from wizard.apply.block.extents import without
from wizard.apply.move.bad_sectors import UnreadableBlocks, UnreadSector
from wizard.apply.move.mover import mover
from wizard.apply.move.mover.journal import MovePhase, PartitionSide
from wizard.model.machine import Extent

LEVELS = 2


@dataclass
class BadDrive(RecordingDrive):
    """Some physical blocks cannot be read until they were written whole."""

    bad: set[int] = field(default_factory=set)
    failed: int = 0

    def __init__(self, data: bytes, bad: Iterable[int]) -> None:
        super().__init__(data)
        self.bad, self.failed = {*bad}, 0

    def read_into(self, offset_bytes: int, buffer: memoryview) -> None:
        if self.bad & {*range(offset_bytes // BLOCK, -(-(offset_bytes + len(buffer)) // BLOCK))}:
            self.failed += 1
            raise UnreadSector("bad")
        super().read_into(offset_bytes, buffer)

    def take(self, offset_bytes: int, data: bytes) -> None:
        first, end = -(-offset_bytes // BLOCK), (offset_bytes + len(data)) // BLOCK
        self.bad -= {*range(first, end)}
        super().take(offset_bytes, data)


@dataclass
class Ends:
    """What the moves over one layout are held against: `bad` physical blocks of the drive, at the old
    place."""

    layout: Layout
    bad: frozenset[int]
    tally: Tally

    def places(self, start: int) -> tuple[Extent, ...]:
        """The bad blocks within the content behind its head, by their offsets in it."""
        size, head = self.layout.size_bytes, self.layout.head_bytes
        found = []
        for block in sorted(self.bad):
            low, high = max(block * BLOCK - start, head), min((block + 1) * BLOCK - start, size)
            if low < high:
                found.append(Extent(low, high - low))
        return tuple(found)

    def half(self, drive: LossyDrive) -> str:
        """What a reader or a repair would take for whole and is not, apart from what is lost."""
        found = [
            self.layout.half_mountable(one) or self.layout.half_repairable(one)
            for one in (self._healed(drive, side) for side in PartitionSide)
        ]
        return found[0] if all(found) else ""

    def _healed(self, drive: LossyDrive, side: PartitionSide) -> LossyDrive:
        """The drive as it would be, had all been read: zeros at this place are what was lost."""
        view = bytearray(drive.view)
        start, content = self.layout.course.start(side), self.layout.contents[side]
        for place in self.places(self.layout.course.old_bytes):
            for at in _sectors(place):
                if not any(view[start + at : start + at + SECTOR]):
                    view[start + at : start + at + SECTOR] = content[at : at + SECTOR]
        return LossyDrive(view)

    def fault(self, drive: LossyDrive, move: "mover.Mover", side: PartitionSide) -> str:
        """What is not as it has to be; empty where all is."""
        start, content = self.layout.course.start(side), self.layout.contents[side]
        now = drive.view[start : start + self.layout.size_bytes]
        lost = move.state.lost
        known = {at for one in self.places(self.layout.course.old_bytes) for at in _sectors(one)}
        for at in range(0, self.layout.size_bytes, SECTOR):
            is_lost = any(one.start_bytes <= at < one.end_bytes for one in lost)
            if is_lost and at not in known:
                return f"{at} is called lost"
            if not is_lost and now[at : at + SECTOR] != content[at : at + SECTOR]:
                return f"{at} is not what it was"
        for one in move.state.zeros:
            if any(now[at : at + SECTOR].strip(b"\0") for at in _sectors(one) if not self._comes_back(at)):
                return "what is called zeros is not"
        return ""

    def _comes_back(self, at: int) -> bool:
        """Whether it lies in a physical block that is written at the end."""
        return any(
            place.start_bytes <= at < place.end_bytes
            for side in PartitionSide
            for place in self.layout.blocks_of(side)
        )


def _sectors(place: Extent) -> range:
    return range(place.start_bytes, place.end_bytes, SECTOR)


def bad_of(layout: Layout, random: Random) -> frozenset[int]:
    """Physical blocks of the content at its old place, but for those that a head, a copy or an end shares
    with others at either place."""
    case = layout.case
    shared = {
        (start + at) // BLOCK
        for start in (layout.course.old_bytes, layout.course.new_bytes)
        for at in (0, layout.head_bytes, layout.size_bytes)
    }
    for place in layout.blocks_of(PartitionSide.OLD):
        first = (layout.course.old_bytes + place.start_bytes) // BLOCK
        shared |= {*range(first, -(-(layout.course.old_bytes + place.end_bytes) // BLOCK))}
    first, end = (case.old + HEAD_SECTORS) * SECTOR // BLOCK + 1, (case.old + case.size) * SECTOR // BLOCK
    possible = [block for block in range(first, end) if block not in shared]
    return frozenset(random.sample(possible, min(3, len(possible))))


def through(
    move: "mover.Mover | None", layout: Layout, drive: LossyDrive, target: PartitionSide, random: Random
) -> "mover.Mover":
    """Until it is there: what stops it is given up, sometimes only after another try, or a turn."""
    for _ in range(40):
        assert move is not None
        turned = random.random() < 0.1
        try:
            move.go(PartitionSide.OLD if turned else target)
        except UnreadableBlocks as unreadable:
            known = move.state.unread
            assert not [place for place in unreadable.places if without(place, known)]
            move = layout.found(drive)
            assert move is not None and move.state.unread == known
            if random.random() < 0.7:
                move.give_up(known)
            continue
        if not turned:
            return move
        move = layout.found(drive)
    raise AssertionError("it never ends")


def cut_over_bad_sectors(case: Case, seed: int, *, step: int = 1, first: int = 0) -> Tally:
    """Cut at every `step`th write and flush of a move over bad blocks and of its undo."""
    layout, random, tally = Layout(case, seed), Random(seed), Tally()
    ends = Ends(layout, bad_of(layout, random), tally)
    drive = BadDrive(layout.base, ends.bad)
    for target in (PartitionSide.NEW, PartitionSide.OLD):
        start = layout.begun(drive) if target is PartitionSide.NEW else layout.found(drive)
        move = through(start, layout, drive, target, random)
        if fault := ends.fault(drive, move, target):
            tally.wrong.append(f"{case} to {target}: {fault}")
    for number, at_cut in enumerate(drive.recorded.cuts()):
        if number % step != first % step:
            continue
        for policy in ("none", "half", "all"):
            for target in PartitionSide:
                _gone_on(ends, at_cut, policy, target, random, f"cut {number} {policy}")
    return tally


def _gone_on(
    ends: Ends, at_cut: LossyDrive, policy: str, target: PartitionSide, random: Random, told: str
) -> None:
    layout, tally = ends.layout, ends.tally
    drive = _with_bad(ends, at_cut.after_cut(random, policy, layout.case.garbage))
    tally.states += 1
    for level in range(LEVELS + 1):
        if half := ends.half(drive):
            tally.wrong.append(f"{layout.case} {told} level {level}: {half}")
            return
        move = layout.found(drive)
        if move is None:
            return
        drive.events, drive.cut_at = 0, random.randrange(1, 60) if level < LEVELS else None
        try:
            going = target if level == LEVELS else random.choice([*PartitionSide])
            done = through(move, layout, drive, going, random)
        except Cut:
            drive = _with_bad(ends, drive.after_cut(random, random.choice(["none", "half"]), 0.0))
            continue
        assert done.state.phase is MovePhase.DONE
        if level == LEVELS and (fault := ends.fault(drive, done, target)):
            tally.wrong.append(f"{layout.case} {told} to {target}: {fault}")
    tally.ended_in[target] += 1


def _with_bad(ends: Ends, drive: LossyDrive) -> BadDrive:
    """After a cut those are bad still that hold what they held: nothing has been written there."""
    base = ends.layout.base
    bad = {
        block
        for block in ends.bad
        if drive.view[block * BLOCK : (block + 1) * BLOCK] == base[block * BLOCK : (block + 1) * BLOCK]
    }
    return BadDrive(bytes(drive.view), bad)
