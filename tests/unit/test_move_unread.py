"""A move over sectors that cannot be read: it stops, with their places in the journal; whoever goes on has
them become zeros, and all else is to the bit what it was."""

from random import Random

import pytest

from tests.daily import one_in
from tests.unit.badsectors import BadDrive, bad_of, cut_over_bad_sectors
from tests.unit.lossy import BLOCK
from tests.unit.powercuts import CASES, Layout
from wizard.apply.move.mover.state import Side
from wizard.apply.move.unread import narrowing, reading
from wizard.apply.move.unread.narrowing import Unread, Unreadable, filled
from wizard.model.errors import Failed
from wizard.model.machine import Extent
from wizard.model.units import KIB, MIB


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
        with pytest.raises(Unreadable):
            move.go(Side.NEW)
        found = layout.found(drive)
        assert found is not None and found.state.unread and not found.state.zeros
        move = found
    move.go(Side.OLD)
    place = layout.course.old_bytes
    assert drive.view[place : place + layout.size_bytes] == layout.contents[Side.OLD]
    assert drive.bad == bad and layout.around(drive) == layout.around(BadDrive(layout.base, ()))


class Counted(BadDrive):
    """Has each read that fails counted, of a drive larger than the others."""

    def read_into(self, offset_bytes: int, buffer: memoryview) -> None:
        first, end = offset_bytes // BLOCK, -(-(offset_bytes + len(buffer)) // BLOCK)
        if any(first <= block < end for block in self.bad):
            self.failed += 1
            raise Unread("bad")
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
    with pytest.raises(Failed, match="dying"):
        filled(drive, 0, memoryview(bytearray(8 * MIB)), BLOCK)
    assert drive.failed == narrowing.MOST_FAILED + 1


def test_what_others_have_in_a_shared_block_is_not_given_up() -> None:
    layout = Layout(CASES[3], 1)
    end = layout.course.old_bytes + layout.size_bytes
    drive = BadDrive(layout.base, [end // BLOCK])
    state = layout.begun(drive).state
    buffer = memoryview(bytearray(BLOCK))
    with pytest.raises(Unread, match="lies beside"):
        reading.fill(drive, state, layout.head_bytes, end // BLOCK * BLOCK, buffer)
