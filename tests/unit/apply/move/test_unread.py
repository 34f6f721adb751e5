"""A move over sectors that cannot be read: it stops, with their places in the journal; whoever goes on has
them become zeros, and all else is to the bit what it was."""

from random import Random

import pytest

from tests.daily import one_in
from tests.unit.apply.lossy import BLOCK, SECTOR
from tests.unit.apply.move.badsectors import BadDrive, bad_of, cut_over_bad_sectors
from tests.unit.apply.move.powercuts import CASES, Layout
from wizard.apply.move import bad_sectors
from wizard.apply.move.bad_sectors import UnreadableBlocks, UnreadSector, filled
from wizard.apply.move.mover.journal import MovePhase, PartitionSide
from wizard.model.errors import Failed
from wizard.model.machine import Extent
from wizard.model.said import KIB, MIB


@pytest.mark.parametrize("number", one_in(4, range(len(CASES))))
def test_no_power_cut_costs_more_than_what_could_not_be_read(number: int) -> None:
    tally = cut_over_bad_sectors(CASES[number], number + 1, step=11, first=number)
    assert tally.states > 20 and not tally.wrong, tally.wrong[:3]


@pytest.mark.parametrize("number", [1, 5])
def test_it_stops_at_every_try_and_goes_back_without_them(number: int) -> None:
    layout = Layout(CASES[number], number)
    bad = bad_of(layout, Random(3))
    drive = BadDrive(layout.base, bad)
    move = layout.begun(drive)
    for _ in range(2):
        with pytest.raises(UnreadableBlocks):
            move.go(PartitionSide.NEW)
        found = layout.found(drive)
        assert found is not None and found.state.unread and not found.state.zeros
        move = found
    move.go(PartitionSide.OLD)
    place = layout.course.old_bytes
    assert drive.view[place : place + layout.size_bytes] == layout.contents[PartitionSide.OLD]
    assert drive.bad == bad and layout.around(drive) == layout.around(BadDrive(layout.base, ()))


class Counted(BadDrive):
    """Has each read that fails counted, of a drive larger than the others."""

    def read_into(self, offset_bytes: int, buffer: memoryview) -> None:
        first, end = offset_bytes // BLOCK, -(-(offset_bytes + len(buffer)) // BLOCK)
        if any(first <= block < end for block in self.bad):
            self.failed += 1
            raise UnreadSector("bad")
        buffer[:] = self.view[offset_bytes : offset_bytes + len(buffer)]


def test_one_bad_block_is_found_in_few_reads_and_all_else_is_read() -> None:
    data = Random(1).randbytes(8 * MIB)
    drive, buffer = Counted(data, [700]), memoryview(bytearray(7 * MIB))
    found = filled(drive, 512, buffer, BLOCK)
    assert found == (Extent(700 * BLOCK, BLOCK),) and drive.failed == 4
    wanted = bytearray(data[512 : 512 + 7 * MIB])
    wanted[700 * BLOCK - 512 : 701 * BLOCK - 512] = bytes(BLOCK)
    assert buffer == wanted


def test_what_is_passed_over_is_not_tried() -> None:
    drive, buffer = Counted(bytes(MIB), [7, 9]), memoryview(bytearray(b"x" * 64 * KIB))
    assert filled(drive, 0, buffer, BLOCK, (Extent(7 * BLOCK, BLOCK), Extent(9 * BLOCK, BLOCK))) == ()
    assert drive.failed == 0 and not any(buffer)


def test_a_dying_drive_is_not_tried_without_end() -> None:
    drive = Counted(bytes(8 * MIB), range(2048))
    with pytest.raises(Failed, match="More than 256 reads failed"):
        filled(drive, 0, memoryview(bytearray(8 * MIB)), BLOCK)
    assert drive.failed == bad_sectors.MOST_FAILED + 1


def test_what_others_have_in_a_shared_block_is_not_given_up() -> None:
    layout = Layout(CASES[3], 1)
    end = layout.course.old_bytes + layout.size_bytes
    drive = BadDrive(layout.base, [end // BLOCK])
    state = layout.begun(drive).state
    buffer = memoryview(bytearray(BLOCK))
    with pytest.raises(UnreadSector, match="shared by the partition and its neighbour"):
        bad_sectors.fill(drive, state, layout.head_bytes, end // BLOCK * BLOCK, buffer)


def _is_behind_head(layout: Layout, start: int, block: int) -> bool:
    """Whether a physical block is all the content's, and none of the head's."""
    low, high = block * BLOCK - start, (block + 1) * BLOCK - start
    return low >= layout.head_bytes and high <= layout.size_bytes


def stands_everywhere(layout: Layout, drive: BadDrive, side: PartitionSide) -> bool:
    start = layout.course.start(side)
    return drive.view[start : start + layout.size_bytes] == layout.contents[side]


@pytest.mark.parametrize("number", [2, 5, 9])
def test_copies_that_cannot_be_read_come_from_the_journal(number: int) -> None:
    layout = Layout(CASES[number], number)
    for side, other in ((PartitionSide.NEW, PartitionSide.OLD), (PartitionSide.OLD, PartitionSide.NEW)):
        drive = BadDrive(layout.base, ())
        move = layout.begun(drive)
        if side is PartitionSide.OLD:
            move.go(PartitionSide.NEW)
        start, blocks = layout.course.start(other), layout.blocks_of(other)
        ends = (range(start + place.start_bytes, start + place.end_bytes, SECTOR) for place in blocks)
        own = {at // BLOCK for places in ends for at in places}
        drive.bad = {block for block in own if _is_behind_head(layout, start, block)}
        assert drive.bad
        move.go(side)
        assert stands_everywhere(layout, drive, side) and not move.state.lost


@pytest.mark.parametrize("number", [2, 5, 9])
def test_a_head_that_cannot_be_read_is_asked_about_or_left(number: int) -> None:
    layout = Layout(CASES[number], number)
    drive = BadDrive(layout.base, ())
    first = layout.begun(drive)
    drive.bad = {layout.course.old_bytes // BLOCK + 1}
    for _ in range(2):
        with pytest.raises(UnreadableBlocks):
            first.go(PartitionSide.NEW)
    move = layout.found(drive)
    assert move is not None and move.state.phase is MovePhase.UNTABLING and move.is_whole
    back = BadDrive(bytes(drive.view), drive.bad)
    turned = layout.found(back)
    assert turned is not None
    turned.go(PartitionSide.OLD)
    assert (
        back.bad
        and layout.table_of(back.view) == "old"
        and stands_everywhere(layout, back, PartitionSide.OLD)
    )
    move.give_up(move.state.unread)
    move.go(PartitionSide.NEW)
    assert stands_everywhere(layout, drive, PartitionSide.NEW) and not move.state.lost and not drive.bad


@pytest.mark.parametrize("number", [1, 2, 9])
def test_a_table_that_cannot_be_read_is_written_anew(number: int) -> None:
    layout = Layout(CASES[number], number)
    drive = BadDrive(layout.base, ())
    move = layout.begun(drive)
    drive.bad = {piece.offset_bytes // BLOCK for piece in layout.course.pieces.table_old}
    move.go(PartitionSide.NEW)
    assert not layout.fault(drive, PartitionSide.NEW)
    assert move.has_table(PartitionSide.NEW) and not drive.bad
