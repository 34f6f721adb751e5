"""The quick test on populations of simulated drives: a few per class each day, all of them with --full."""

import os
from random import Random

import pytest

from tests.simulator.populations import conventional, shingled
from tests.simulator.populations.census import DriveTime, Simulated, count, probed
from tests.simulator.populations.mechanics import Plain
from tests.simulator.populations.table import DRIVES, kept, kinds, one
from wizard.benchmark.smr_probe import SINGLES, WRITES, SmrProbe, draw_pairs
from wizard.model.machine import Extent
from wizard.model.said import GIB, MIB
from wizard.model.verdict import Basis

FULL = bool(os.environ.get("DISKWRIGHT_EVERY_FILESYSTEM"))
A_DAY = DRIVES if FULL else 6
MOST_FALSE = 0.01

POWER: dict[type[Plain], float] = {
    shingled.OneLog: 1.0,
    shingled.KeepsLog: 1.0,
    shingled.MiddleLog: 1.0,
    shingled.SeveralLogs: 0.8,
    shingled.RoomInBands: 0.6,
    shingled.InPlace: 1.0,
    shingled.New: 1.0,
    shingled.BehindBridge: 1.0,
    shingled.BusyLog: 0.6,
    shingled.QuickCleaner: 0.8,
    shingled.Full: 1.0,
}
"""The least share that is to be found, in six drives."""


@pytest.mark.parametrize("kind", conventional.KINDS, ids=lambda kind: kind.__name__)
def test_conventional_drives_are_not_claimed(kind: type[Plain]) -> None:
    found = count(kind, A_DAY)
    assert found.share < MOST_FALSE, found.grounds
    assert max(result.seconds for result in found.results) < 60


@pytest.mark.parametrize("kind", shingled.KINDS, ids=lambda kind: kind.__name__)
def test_shingled_drives_are_found(kind: type[Plain]) -> None:
    found = count(kind, A_DAY)
    print(f"{kind.name}: {found.claimed} of {len(found.results)}")
    assert found.share >= POWER.get(kind, 0.0), found.grounds
    assert max(result.seconds for result in found.results) < 60
    assert max(result.written_bytes for result in found.results) <= WRITES * 4096 < 4_000_000


def test_flash_cache_of_a_hard_disk_is_inconclusive() -> None:
    assert set(count(shingled.FlashBefore, 3).grounds) == {Basis.FROM_MEMORY}


def test_listed_class_is_mistaken_for_shingled() -> None:
    assert count(conventional.LateMediaCache, 3).share == 1.0


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: kind.__name__)
def test_saved_census_matches_the_current_probe(kind: type[Plain]) -> None:
    row = next(row for row in kept().rows if (row.kind, row.free) == (kind.__name__, "all"))
    assert len(row.bases) == DRIVES
    assert [one(kind, "all", number).basis for number in range(2)] == list(row.bases[:2])


def test_saved_census_has_under_one_percent_false_claims_per_class() -> None:
    names = {kind.__name__ for kind in conventional.KINDS}
    rows = [row for row in kept().rows if row.kind in names]
    assert {row.kind for row in rows} == names
    assert all(row.claimed < MOST_FALSE * len(row.bases) for row in rows)
    assert max(row.most_seconds for row in kept().rows) < 60


@pytest.mark.parametrize("seed", range(6))
def test_busy_drive_with_little_free_space_is_not_claimed(seed: int) -> None:
    """Read-ahead once made unwritten places respond immediately, by chance."""
    drive = conventional.Busy(seed)
    extents = (Extent(drive.size_bytes - GIB - MIB, GIB),)
    assert not probed(drive, seed, extents)[1].is_claimed


def test_coin_is_fair_and_pairs_are_adjacent_and_unique_in_free_space() -> None:
    extents = (Extent(10 * MIB, 600 * MIB), Extent(5 * GIB + 512, 700 * MIB), Extent(20 * GIB, 8 * MIB))
    pairs = draw_pairs(extents, 8192, 512, Random(4))
    every = [pair for unit in pairs for pair in unit]
    assert len(every) == WRITES == 456
    lower = sum(written < unwritten for written, unwritten in every)
    assert 0.4 < lower / len(every) < 0.6
    places = [start for pair in every for start in pair]
    assert len(set(places)) == len(places) and all((start - 512) % 8192 == 0 for start in places)
    inside = [
        any(e.start_bytes <= start and start + 8192 <= e.end_bytes for e in extents) for start in places
    ]
    assert all(inside)
    assert all(3 * MIB <= abs(one - other) <= 6 * MIB + 8192 for ((one, other),) in pairs[:SINGLES])
    assert all(abs(one - other) < 2 * MIB for group in pairs[SINGLES:] for one, other in group)
    assert {start > GIB for start in places} == {True, False}


def test_coin_decides_the_first_side_of_a_batch() -> None:
    class Recorded(Simulated):
        """A drive that records reads and writes."""

        def __init__(self, drive: Plain) -> None:
            super().__init__(drive)
            self.reads: list[int] = []
            self.writes: set[int] = set()

        def read(self, start_bytes: int) -> int:
            self.reads.append(start_bytes)
            return super().read(start_bytes)

        def write(self, start_bytes: int, offset_bytes: int = 0, size_bytes: int | None = None) -> int:
            self.writes.add(start_bytes)
            return super().write(start_bytes)

    drive, random = Plain(2), Random(2)
    subject = Recorded(drive)
    pairs = draw_pairs((Extent(MIB, drive.size_bytes - 2 * MIB),), 4096, 0, random)
    SmrProbe(subject, DriveTime(subject), pairs, (0, MIB), random).run()
    sides = subject.reads[WRITES:]
    at_random, in_order = sides[: 12 * 16], sides[12 * 16 :]
    firsts = [*at_random[::16], *in_order[::12]]
    assert len(firsts) == 12 + 22
    assert 8 < sum(start in subject.writes for start in firsts) < 26


def test_first_read_of_a_batch_is_not_counted() -> None:
    probe, _ = probed(Plain(1), 1)
    look = probe.timings.look
    assert look is not None and {len(batch) for batch in look.written_at_random} == {7}
    assert {len(batch) for batch in look.written_in_order} == {5}
    assert probe.timings.look_after_idle is None, "nothing shows: no second look"
    assert len(probe.timings.writes) == WRITES and len(probe.timings.first_reads) == 192
