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


def test_later_write_can_survive_without_an_earlier_one() -> None:
    assert {found[:3] for found in states(write(0, "a"), write(1, "b"), write(2, "c"))} >= {
        "a..",
        "ab.",
        "abc",
        ".bc",
        "a.c",
        "..c",
        ".b.",
    }


def test_flushed_writes_always_survive() -> None:
    found = states(write(0, "a"), write(1, "b"), write(2, "c", flushes=1), write(3, "d", flushes=1))
    later = [state for state in found if "c" in state or "d" in state]
    assert "ab.d" in {state[:4] for state in later}
    assert all(state.startswith("ab") for state in later)


def test_long_write_can_survive_in_part() -> None:
    long = TORN_BYTES // SECTOR_BYTES
    found = states(write(0, "a", 2 * long))
    assert "a" * long + "." * (16 - long) in found
    assert any(".a" in state for state in found)


def test_every_state_is_a_change_and_appears_once() -> None:
    found = states(
        write(0, "a"), write(0, "a"), write(1, "."), write(0, "b"), write(0, "."), write(2, "c", flushes=1)
    )
    assert len(found) == len(set(found))
    assert "." * 16 not in found


def test_last_state_contains_all_writes() -> None:
    content = Content(bytearray(BYTES))
    writes = [write(0, "a", 3), write(1, "b", flushes=1), write(5, "c", 9, flushes=1)]
    begun = [number for number, _ in power_cuts(content, writes, Random(7))]
    assert (begun[0], begun[-1]) == (1, 3)
    assert content.drive[::SECTOR_BYTES] == b"aba\0\0ccccccccc\0\0"
