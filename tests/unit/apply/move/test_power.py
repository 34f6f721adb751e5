"""Moves with power cuts and unreadable sectors: no loss, no half-visible content, and a way back."""

from collections.abc import Iterable
from ctypes import addressof, c_char
from dataclasses import dataclass, field
from mmap import PAGESIZE
from random import Random

import pytest
from msgspec.structs import replace

from tests.daily import one_in
from tests.unit.apply.lossy import BLOCK, POLICIES, SECTOR, LossyDrive, RecordingDrive
from tests.unit.apply.move.powercuts import CASES, Case, Layout, cut_everywhere
from wizard.apply.move.mover.journal import MoveJournal, MovePhase, PartitionSide, UnreadSector
from wizard.apply.move.mover.mover import Mover
from wizard.model.machine import Extent


@pytest.mark.parametrize("number", range(len(CASES)))
def test_power_cuts_lose_no_data(number: int) -> None:
    case: Case = CASES[number]
    tally = cut_everywhere(case, number + 1, POLICIES[:3], step=3, first=number)
    assert tally.states > 50
    assert not tally.wrong, tally.wrong[:3]


class MappedDrive(LossyDrive):
    """A drive that records the offset of each long write's buffer within its page."""

    def __init__(self, data: bytes) -> None:
        super().__init__(bytearray(data))
        self.behind: list[tuple[int, int]] = []

    def write(self, offset_bytes: int, data: memoryview) -> None:
        if len(data) > PAGESIZE:
            self.behind.append((offset_bytes, addressof(c_char.from_buffer(data)) % PAGESIZE))
        super().write(offset_bytes, data)


@pytest.mark.parametrize("number", [0, 4])
def test_windows_begin_with_a_page_on_small_physical_blocks(number: int) -> None:
    layout = Layout(CASES[number], 1)
    layout.course = replace(layout.course, physical_bytes=SECTOR)
    drive = MappedDrive(layout.base)
    layout.begun(drive).go(PartitionSide.NEW)
    assert not layout.fault(drive, PartitionSide.NEW)
    places = [behind for at, behind in drive.behind if layout.lo <= at < layout.end]
    assert len(places) > 5 and not any(places)


def test_move_continues_with_other_physical_blocks_behind_a_bridge() -> None:
    layout, random = Layout(CASES[1], 1), Random(1)
    drive = RecordingDrive(layout.base)
    layout.begun(drive).go(PartitionSide.NEW)
    assert not layout.fault(drive, PartitionSide.NEW)
    faults = []
    for number, at_cut in enumerate(drive.recorded.cuts()):
        left = at_cut.after_cut(random, "half", 0.3)
        move = layout.found(left, SECTOR)
        if move is not None:
            move.go(PartitionSide.NEW)
            faults.append((number, layout.fault(left, PartitionSide.NEW)))
    assert len(faults) > 50
    assert not [one for one in faults if one[1]]


@dataclass
class BadDrive(RecordingDrive):
    """Some physical blocks cannot be read until they were written whole."""

    bad: set[int] = field(default_factory=set)

    def __init__(self, data: bytes, bad: Iterable[int] = ()) -> None:
        super().__init__(data)
        self.bad = {*bad}

    def read_into(self, offset_bytes: int, buffer: memoryview) -> None:
        read = range(offset_bytes // BLOCK, -(-(offset_bytes + len(buffer)) // BLOCK))
        if failing := self.bad & {*read}:
            raise UnreadSector("bad", max(min(failing) * BLOCK, offset_bytes))
        super().read_into(offset_bytes, buffer)

    def take(self, offset_bytes: int, data: bytes) -> None:
        first, end = -(-offset_bytes // BLOCK), (offset_bytes + len(data)) // BLOCK
        self.bad -= {*range(first, end)}
        super().take(offset_bytes, data)


def bad_block(layout: Layout, number: int) -> int:
    """Draw a physical block of the old content, after the head. Logical blocks may share it."""
    start = layout.course.old_bytes
    first, last = (start + layout.head_bytes) // BLOCK, (start + layout.size_bytes - 1) // BLOCK
    return Random(number).randint(first, last)


def found(layout: Layout, drive: LossyDrive) -> Mover:
    move = layout.found(drive)
    assert move is not None
    return move


def is_back(layout: Layout, drive: LossyDrive) -> bool:
    return not layout.fault(drive, PartitionSide.OLD)


@pytest.mark.parametrize("number", one_in(4, range(3 * len(CASES))))
def test_move_stops_and_is_undone_or_continued_bit_for_bit(number: int) -> None:
    layout = Layout(CASES[number % len(CASES)], number)
    layout.wanted[PartitionSide.OLD] = layout.around(BadDrive(layout.base))
    drive, bad = BadDrive(layout.base), bad_block(layout, number)
    move = layout.begun(drive)
    drive.bad = {bad}
    for _ in range(2):
        with pytest.raises(UnreadSector) as stopped:
            move.go(PartitionSide.NEW)
        assert stopped.value.at_bytes // BLOCK == bad
        move = found(layout, drive)
    back = BadDrive(bytes(drive.view), {bad})
    found(layout, back).go(PartitionSide.OLD)
    assert is_back(layout, back) and back.bad == {bad}
    # The same process may turn, too.
    with pytest.raises(UnreadSector):
        move.go(PartitionSide.NEW)
    turned = BadDrive(bytes(drive.view), {bad})
    drive.bad = set()
    move.go(PartitionSide.NEW)
    assert not layout.fault(drive, PartitionSide.NEW)
    move.go(PartitionSide.OLD)
    assert is_back(layout, drive)
    found(layout, turned).go(PartitionSide.OLD)
    assert is_back(layout, turned)


@pytest.mark.parametrize("number", one_in(4, range(len(CASES))))
def test_power_cut_around_the_stop_loses_no_bit(number: int) -> None:
    layout, random = Layout(CASES[number], number), Random(number)
    layout.wanted[PartitionSide.OLD] = layout.around(BadDrive(layout.base))
    drive, bad = BadDrive(layout.base), bad_block(layout, number)
    move = layout.begun(drive)
    drive.bad = {bad}
    with pytest.raises(UnreadSector):
        move.go(PartitionSide.NEW)
    move.go(PartitionSide.OLD)
    assert is_back(layout, drive)
    for event, at_cut in enumerate(drive.recorded.cuts()):
        for policy in ("none", "half", "all") if event % 7 == number % 7 else ():
            cut = at_cut.after_cut(random, policy, layout.case.garbage)
            at = bad * BLOCK
            is_bad = cut.view[at : at + BLOCK] == layout.base[at : at + BLOCK]
            after = BadDrive(bytes(cut.view), {bad} if is_bad else ())
            assert not layout.half_mountable(after) and not layout.half_repairable(after), (event, policy)
            if (again := layout.found(after)) is not None:
                again.go(PartitionSide.OLD)
                assert is_back(layout, after), (event, policy)


@pytest.mark.parametrize("number", [2, 5, 9])
def test_unreadable_header_is_unchanged(number: int) -> None:
    layout = Layout(CASES[number], number)
    layout.wanted[PartitionSide.OLD] = layout.around(BadDrive(layout.base))
    drive = BadDrive(layout.base)
    first = layout.begun(drive)
    drive.bad = {layout.course.old_bytes // BLOCK + 1}
    for _ in range(2):
        with pytest.raises(UnreadSector):
            first.go(PartitionSide.NEW)
    move = found(layout, drive)
    assert move.state.phase is MovePhase.UNTABLING and move.is_whole
    move.go(PartitionSide.OLD)
    assert drive.bad and is_back(layout, drive)


@pytest.mark.parametrize("number", [1, 2, 9])
def test_unreadable_table_is_rewritten(number: int) -> None:
    layout = Layout(CASES[number], number)
    drive = BadDrive(layout.base)
    move = layout.begun(drive)
    drive.bad = {piece.offset_bytes // BLOCK for piece in layout.course.pieces.table_old}
    move.go(PartitionSide.NEW)
    assert not layout.fault(drive, PartitionSide.NEW)
    assert move.has_table(PartitionSide.NEW) and not drive.bad


@pytest.mark.parametrize("number", [1, 5])
def test_old_journal_with_skipped_sectors_continues_or_undoes(number: int) -> None:
    layout = Layout(CASES[number], number)
    drive = BadDrive(layout.base)
    move = layout.begun(drive)
    drive.bad = {bad_block(layout, number)}
    with pytest.raises(UnreadSector):
        move.go(PartitionSide.NEW)
    drive.bad = set()
    journal = MoveJournal(drive, layout.journal_at, BLOCK)
    loaded = journal.load()
    assert loaded is not None
    state, edges = loaded
    place = (Extent(layout.head_bytes, SECTOR),)
    journal.save(replace(state, unread=place, given_up=place, zeros=place), edges)
    for side in PartitionSide:
        move = found(layout, drive)
        move.go(side)
        assert not layout.fault(drive, side)
        assert move.state.given_up == move.state.zeros == place
