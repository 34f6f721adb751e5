"""The decision rule of the quick test on synthetic times: both sides of each limit, and inconclusive
cases."""

from random import Random

import pytest
from msgspec.structs import replace

from wizard.benchmark.smr_probe import (
    MILLISECOND,
    QUICKEST_READ_NS,
    after_writing,
    judge,
    mechanical,
    memory_share,
    outcome_of,
    see,
    usual_read_ns,
)
from wizard.model.verdict import Basis, Displaced, ProbeComparison

Batches = tuple[tuple[int, ...], ...]
READS = tuple(range(6 * MILLISECOND, 25 * MILLISECOND, 100_000))


def batches(count: int, size: int, low: float, high: float, seed: int = 1) -> Batches:
    """Return uniformly random times between two values in milliseconds."""
    random = Random(seed)
    return tuple(
        tuple(round(random.uniform(low, high) * MILLISECOND) for _ in range(size)) for _ in range(count)
    )


ALIKE = ProbeComparison(
    batches(12, 7, 5, 25), batches(12, 7, 5, 25, 2), batches(22, 5, 5, 18, 3), batches(22, 5, 5, 18, 4)
)
NEARER = replace(ALIKE, written_at_random=batches(12, 7, 2.5, 14))
IN_LOG = replace(ALIKE, written_in_order=batches(22, 5, 10.5, 11.5))
AT_ONCE = replace(ALIKE, written_in_order=batches(22, 5, 0.1, 0.3))


def judged(look: ProbeComparison, again: ProbeComparison, reads: tuple[int, ...] = READS) -> Basis:
    seen = see(look)
    basis = judge(reads, seen) or judge(reads, seen, see(again, seen))
    assert basis is not None
    return basis


def test_equal_reads_find_no_displacement() -> None:
    assert judged(ALIKE, ALIKE) == Basis.ALIKE
    assert {outcome.value for outcome in Displaced} == {"likely-shingled", "nothing-found", "cannot-tell"}


@pytest.mark.parametrize("look", [NEARER, IN_LOG, AT_ONCE], ids=["nearer", "another rhythm", "at once"])
def test_displacement_is_likely_only_if_it_remains(look: ProbeComparison) -> None:
    assert judged(look, look) == Basis.STAYS
    assert judged(look, ALIKE) == Basis.CAME_HOME


def test_second_look_must_confirm_the_first() -> None:
    assert judged(NEARER, IN_LOG) is Basis.CAME_HOME
    assert judged(IN_LOG, NEARER) is Basis.CAME_HOME


def test_random_slowness_is_no_sign() -> None:
    swapped = replace(
        NEARER, written_at_random=NEARER.unwritten_at_random, unwritten_at_random=NEARER.written_at_random
    )
    assert outcome_of(judged(swapped, swapped)) is Displaced.NOTHING_FOUND


def scaled(factor: float) -> ProbeComparison:
    """Return the same comparison with random written times multiplied by `factor`."""
    written = tuple(tuple(round(time * factor) for time in batch) for batch in ALIKE.unwritten_at_random)
    return replace(ALIKE, written_at_random=written)


def test_difference_must_be_significant_and_large() -> None:
    near, far = see(scaled(0.85)), see(scaled(0.6))
    assert near.statistics.t is not None and -4.5 < near.statistics.t < -1 and not near.at_random
    assert far.statistics.t is not None and far.statistics.t < -4.5 and far.at_random
    large = see(scaled(0.8))
    assert large.statistics.ratio is not None and large.statistics.ratio < 0.85
    assert large.statistics.t is not None and large.statistics.t > -4.5 and not large.at_random
    # Hardly spread times are sure at once; a difference of a tenth is none of a place.
    steady = ProbeComparison(batches(12, 7, 9, 9.1), batches(12, 7, 10, 10.1))
    seen = see(steady)
    assert seen.statistics.t is not None and seen.statistics.t < -100 and not seen.at_random


def test_times_not_spread_over_a_turn_are_no_platters() -> None:
    flash = ProbeComparison(batches(12, 7, 3, 3.5), batches(12, 7, 5, 25))
    assert not see(flash).at_random


def test_distance_between_the_limits_counts_only_the_second_time() -> None:
    looks = [replace(ALIKE, written_in_order=batches(22, 5, 5, high / 20, 3)) for high in range(360, 520)]
    (middle, *_) = [look for look in looks if 2.3 < (see(look).statistics.distance or 0) < 2.6]
    assert not see(middle).in_order and see(middle, see(middle)).in_order


def test_stalls_of_whole_batches_are_no_displacement() -> None:
    """Six of ten batches on one side, by chance. One in 32 permutations repeats that."""
    stalled = (*batches(6, 5, 40, 60), *batches(4, 5, 5, 18, 3))
    look = replace(ALIKE, written_in_order=stalled, unwritten_in_order=batches(10, 5, 5, 18, 4))
    seen = see(look)
    assert seen.statistics.distance is not None and seen.statistics.distance > 2.6 and not seen.in_order


def test_cached_reads_do_not_count_and_too_many_are_inconclusive() -> None:
    assert mechanical([1, 2 * MILLISECOND, 3 * MILLISECOND]) == [3 * MILLISECOND]
    assert mechanical([5e6, 5e6, 5e6, 900e6]) == [5e6, 5e6, 5e6, 20e6]
    assert memory_share([1, 3 * MILLISECOND]) == 0.5 and memory_share([]) == 0
    cached = replace(ALIKE, written_at_random=batches(12, 7, 0.05, 0.1))
    assert judged(cached, cached) == Basis.FROM_MEMORY
    half = replace(AT_ONCE, written_at_random=(*batches(6, 7, 0.05, 0.1), *batches(6, 7, 5, 25)))
    assert not see(half).in_order, "a memory that holds half of all may hold what is read in order too"


def test_fast_reads_of_unwritten_places_are_likely_unless_by_chance() -> None:
    quick = tuple([100_000] * 60 + list(READS[:132]))
    empty = replace(ALIKE, unwritten_at_random=(*batches(6, 7, 0.05, 0.1), *batches(6, 7, 5, 25)))
    assert judged(empty, empty, quick) == Basis.UNWRITTEN
    few = replace(
        ALIKE,
        unwritten_at_random=(*batches(2, 7, 0.05, 0.1), *batches(10, 7, 5, 25)),
        written_at_random=(*batches(1, 7, 0.05, 0.1), *batches(11, 7, 5, 25)),
    )
    assert outcome_of(judged(few, few, quick)) is Displaced.NOTHING_FOUND


def test_non_rotating_drive_ends_the_test_before_any_write() -> None:
    assert usual_read_ns([3 * MILLISECOND] * 192) < QUICKEST_READ_NS
    assert usual_read_ns([100_000] * 192) > QUICKEST_READ_NS, "a new drive with TRIM answers so, too"
    assert usual_read_ns(READS) > QUICKEST_READ_NS
    solid = ProbeComparison(*[batches(12, 7, 0.05, 0.1)] * 4)
    assert judged(solid, solid, (100_000,) * 192) is Basis.NO_PLATTERS


@pytest.mark.parametrize(
    ("write", "count", "found"),
    [(81, 20, True), (79, 20, False), (81, 19, False), (81, 26, False), (81, 25, True)],
)
def test_writes_as_slow_as_rewriting_a_band_end_it_early(write: int, count: int, found: bool) -> None:
    ended = after_writing([write * MILLISECOND] * count, 12 * MILLISECOND)
    assert (ended == Basis.REWRITES) is found
    assert after_writing([81 * MILLISECOND] * 20, 17 * MILLISECOND) is None, (
        "an ailing drive's reads take long"
    )


def test_shortened_second_look_does_not_report_the_return() -> None:
    seen = see(NEARER)
    assert judge(READS, seen, see(ProbeComparison(), seen), whole=False) == Basis.TOO_SLOW
