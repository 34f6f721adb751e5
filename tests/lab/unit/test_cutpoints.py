"""States after a power cut: every relevant one, each once, and none that a flush excludes."""

from random import Random

from tests.lab.power.blocklog import Write
from tests.lab.power.cutpoints import SECTOR_BYTES, TORN_BYTES, Content, power_cuts

BYTES = 16 * SECTOR_BYTES


def write(sector: int, letter: str, sectors: int = 1, flushes: int = 0) -> Write:
    """Write sectors filled with one letter."""
    return Write(sector * SECTOR_BYTES, letter.encode() * SECTOR_BYTES * sectors, flushes)


def states(*writes: Write) -> list[str]:
    """Return each state with a letter per sector, a dot for unwritten ones."""
    content = Content(bytearray(b"." * BYTES))
    return [content.drive[::SECTOR_BYTES].decode() for _ in power_cuts(content, writes, Random(7))]


def test_a_later_write_can_be_there_without_an_earlier_one() -> None:
    assert {found[:3] for found in states(write(0, "a"), write(1, "b"), write(2, "c"))} >= {
        "a..",
        "ab.",
        "abc",
        ".bc",
        "a.c",
        "..c",
        ".b.",
    }


def test_what_was_flushed_is_there() -> None:
    found = states(write(0, "a"), write(1, "b"), write(2, "c", flushes=1), write(3, "d", flushes=1))
    later = [state for state in found if "c" in state or "d" in state]
    assert "ab.d" in {state[:4] for state in later}
    assert all(state.startswith("ab") for state in later)


def test_a_long_write_can_have_arrived_in_part_from_its_begin_and_sector_by_sector() -> None:
    long = TORN_BYTES // SECTOR_BYTES
    found = states(write(0, "a", 2 * long))
    assert "a" * long + "." * (16 - long) in found
    assert any(".a" in state for state in found)


def test_no_state_is_looked_at_twice_and_none_without_a_change() -> None:
    found = states(
        write(0, "a"), write(0, "a"), write(1, "."), write(0, "b"), write(0, "."), write(2, "c", flushes=1)
    )
    assert len(found) == len(set(found))
    assert "." * 16 not in found


def test_the_last_state_of_all_is_what_was_written() -> None:
    content = Content(bytearray(BYTES))
    writes = [write(0, "a", 3), write(1, "b", flushes=1), write(5, "c", 9, flushes=1)]
    begun = [number for number, _ in power_cuts(content, writes, Random(7))]
    assert (begun[0], begun[-1]) == (1, 3)
    assert content.drive[::SECTOR_BYTES] == b"aba\0\0ccccccccc\0\0"
