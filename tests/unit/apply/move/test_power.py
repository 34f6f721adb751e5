"""Moves with a power cut at any write or flush, and their recovery: no loss, no half-visible content."""

from ctypes import addressof, c_char
from mmap import PAGESIZE
from random import Random

import pytest
from msgspec.structs import replace

from tests.unit.apply.lossy import POLICIES, SECTOR, LossyDrive, RecordingDrive
from tests.unit.apply.move.powercuts import CASES, Case, Layout, cut_everywhere
from wizard.apply.move.mover.journal import PartitionSide


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
