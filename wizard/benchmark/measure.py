"""Measuring loop: units of two pairs in opposite order, until a planned look has enough data, or timeout."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from math import exp, log
from random import Random
from statistics import median
from time import perf_counter_ns
from typing import Self

from msgspec import Struct

from wizard.benchmark.access import Clock
from wizard.model.machine import Extent
from wizard.model.said import KIB, MIB, tn
from wizard.model.verdict import Outcome, Pair, Ratio

Prepare = Callable[[Sequence[int]], None]
Access = Callable[[int], int]

NARROWEST_BYTES, WIDEST_BYTES = 64 * KIB, 32 * MIB
REGIONS_WANTED = 1024
BLOCKS_A_REGION = 16
MOST_REGIONS = 20_000


class Grid(Struct, frozen=True):
    """Aligned places: `offset_bytes` and multiples of `block_bytes`. Misaligned ones are `shift_bytes`
    further."""

    block_bytes: int
    shift_bytes: int
    offset_bytes: int


Places = tuple[int, int]
"""Starts of two accesses whose times are compared."""


def in_random_order(one: int, other: int, random: Random) -> Places:
    """Choose by chance which place serves which side."""
    return (one, other) if random.random() < 0.5 else (other, one)


def draw_places(extents: Sequence[Extent], grid: Grid, random: Random) -> Iterator[Places]:
    """Yield an aligned and a misaligned start without end, each pair in a region of its own until all are
    used. Yields none if no extent has room."""
    # So wide that read-ahead of one access rarely covers the other.
    share = sum(extent.size_bytes for extent in extents) // REGIONS_WANTED
    wide = min(max(share, NARROWEST_BYTES, BLOCKS_A_REGION * grid.block_bytes), WIDEST_BYTES)
    width = wide // (2 * grid.block_bytes) * 2 * grid.block_bytes
    regions = pieces_in(extents, width, grid.block_bytes, grid.offset_bytes)
    total = sum(map(len, regions))
    while total:
        for index in random.sample(range(total), min(total, MOST_REGIONS)):
            half = width // 2
            lower, upper = (
                nth(regions, index)
                + base
                + random.randrange(1, half // grid.block_bytes - 2) * grid.block_bytes
                for base in (0, half)
            )
            aligned, other = in_random_order(lower, upper, random)
            yield aligned, other + grid.shift_bytes


def align(position_bytes: int, block_bytes: int, offset_bytes: int) -> int:
    """Return the first block at or after a position."""
    return offset_bytes + max(0, -(-(position_bytes - offset_bytes) // block_bytes)) * block_bytes


def pieces_in(extents: Sequence[Extent], size_bytes: int, block_bytes: int, offset_bytes: int) -> list[range]:
    """Return the starts of adjacent pieces, the first in each extent aligned to blocks."""
    return [
        range(
            align(extent.start_bytes, block_bytes, offset_bytes),
            extent.end_bytes - size_bytes + 1,
            size_bytes,
        )
        for extent in extents
    ]


def nth(ranges: Sequence[range], index: int) -> int:
    """Return an element of several ranges. Raises IndexError."""
    for one in ranges:
        if index < len(one):
            return one[index]
        index -= len(one)
    raise IndexError(index)


CONFIDENCE = 0.95
BAND = (0.95, 1.05)
"""These count as no difference. To claim one, the whole interval must be above."""

CACHE_CLAIM = 1.5
"""For reads from the page cache. A misaligned block spans two pages, which alone costs up to a factor of
1.2."""

NARROW = 1.2
"""Ratio of an interval's ends that is enough."""

LEVELS = ((1 / 16, 0.002), (1 / 8, 0.004), (1 / 4, 0.008), (1 / 2, 0.012), (1.0, 0.024))
"""Share of the planned units, and the probability of error spent. The last look matters most."""

FEWEST_UNITS = 24
PAIRS_A_UNIT = 2


def plan_looks(units: int) -> Iterator[tuple[int, float]]:
    """Yield the units of each look in a run, and how likely the look's interval misses at most."""
    looks = ((int(units * share), alpha) for share, alpha in LEVELS)
    return (look for look in looks if look[0] >= FEWEST_UNITS)


def unit_ratios(pairs: Sequence[Pair]) -> list[float]:
    """Return the log of misaligned over aligned time per unit."""
    logs = [log(max(pair.misaligned_ns, 1) / max(pair.aligned_ns, 1)) for pair in pairs]
    return [(one + other) / PAIRS_A_UNIT for one, other in zip(logs[::2], logs[1::2], strict=False)]


def look_at(pairs: Sequence[Pair], units: int, alpha: float) -> Ratio | None:
    """Return the ratio after these units, None if there are fewer."""
    ordered = sorted(unit_ratios(pairs[: units * PAIRS_A_UNIT]))
    rank = interval_rank(units, alpha)
    if len(ordered) < units or rank < 1:
        return None
    return Ratio(
        exp(median(ordered)),
        exp(ordered[rank - 1]),
        exp(ordered[-rank]),
        CONFIDENCE,
        units * PAIRS_A_UNIT,
    )


def interval_rank(count: int, alpha: float) -> int:
    """Return the largest k so that the k-th smallest and largest of `count` values enclose the median, except
    with probability `alpha`, or 0."""
    below, ways, rank = 0, 1, 0
    while rank < count // 2:
        below += ways
        if 2 * below / 2**count > alpha:
            break
        ways = ways * (count - rank) // (rank + 1)
        rank += 1
    return rank


def judge(ratio: Ratio | None, claim_above: float = BAND[1]) -> Outcome:
    """Return the outcome."""
    if ratio is None:
        return Outcome.INCONCLUSIVE
    if BAND[0] <= ratio.low and ratio.high <= BAND[1]:
        return Outcome.NO_DIFFERENCE
    return Outcome.ALIGNED_FASTER if ratio.low > claim_above else Outcome.INCONCLUSIVE


def is_enough(ratio: Ratio | None, claim_above: float = BAND[1]) -> bool:
    """Return True if more data would not help."""
    if ratio is None:
        return False
    outcome = judge(ratio, claim_above)
    narrow = ratio.high / ratio.low <= NARROW
    return outcome is Outcome.NO_DIFFERENCE or (outcome is Outcome.ALIGNED_FASTER and narrow)


MOST_UNITS = 4096
WARM_UP_UNITS = 8
MOST_BATCH_UNITS = 64
BATCH_SECONDS = 2.0
"""Longest time to read ahead of write-backs."""

SHARE_PLANNED = 0.85
"""Of the remaining time. The rest allows for a drive that slows down."""

PAUSED_PAIRS = 16
FEWEST_SLOPES = 4
FREE_SHARE = 0.1
PAUSED_SHARE = 0.5
LONGEST_PAUSE_NS = 20_000_000
WORKED_OFF_SHARE = 0.6
"""Share of a pause by which an access must get shorter. Chance rarely reaches half."""

PAIRS_ESTIMATED = 500


class PairedMeasurement:
    """Draws places and times them, until a look has enough data. `prepare` is not timed, `access` returns
    nanoseconds. `pairs` are all counted ones, `ratio` is that of the last look. With `counts_pauses`, times
    include the pause since the previous access."""

    def __init__(
        self,
        prepare: Prepare,
        access: Access,
        extents: Sequence[Extent],
        grid: Grid,
        random: Random | None = None,
    ) -> None:
        self.pairs: list[Pair] = []
        self.ratio: Ratio | None = None
        self.counts_pauses = False
        self._prepare_starts, self._access, self._random = prepare, access, random or Random()
        self._places = draw_places(extents, grid, self._random)
        self._shift_bytes = grid.shift_bytes
        self._ready: list[Places] = []
        self._ended_ns = 0
        self._batch_units = 1

    def run(self, clock: Clock, claim_above: float = BAND[1]) -> Self:
        """Time pairs until a look has enough data, the plan is done, or time is over. The first units only
        set the plan."""
        clock.report()
        warm_up = clock.elapsed
        warm: list[Pair] = []
        for _ in range(WARM_UP_UNITS):
            if clock.is_over():
                return self
            warm += self._next_unit()
        unit_seconds = max((clock.elapsed - warm_up) / WARM_UP_UNITS, 1e-6)
        planned = min(MOST_UNITS, int(clock.left * SHARE_PLANNED / unit_seconds))
        self._batch_units = max(1, min(MOST_BATCH_UNITS, int(BATCH_SECONDS / unit_seconds)))
        self.counts_pauses = self._works_off_later(median(pair.aligned_ns for pair in warm))
        for units, alpha in plan_looks(planned):
            while len(self.pairs) < units * PAIRS_A_UNIT:
                if clock.is_over():
                    return self
                self.pairs += self._next_unit()
                if clock.is_progress_due():
                    left = (planned - len(self.pairs) / PAIRS_A_UNIT) * unit_seconds
                    recent = self.pairs[-PAIRS_ESTIMATED:]
                    said = tn(
                        "{count} pair so far: {estimate:.2f} times as long misaligned.",
                        "{count} pairs so far: {estimate:.2f} times as long misaligned.",
                        count=len(self.pairs),
                        estimate=median(pair.factor for pair in recent),
                    )
                    clock.report(said, seconds_left=left)
            self.ratio = look_at(self.pairs, units, alpha)
            if is_enough(self.ratio, claim_above):
                break
        return self

    def _next_unit(self) -> tuple[Pair, Pair]:
        """Return two pairs, one with the aligned access first, in random order."""
        if not self._ready:
            self._ready = self._prepare(self._batch_units * PAIRS_A_UNIT)
        aligned_first = self._random.random() < 0.5
        return self._pair(self._ready.pop(), aligned_first), self._pair(self._ready.pop(), not aligned_first)

    def _works_off_later(self, typical_ns: float) -> bool:
        """Return True if a pause makes the next access shorter, as with a request quota or write buffer. Then
        pauses must count, or an access of twice the cost would seem even longer."""
        pause_ns = min(PAUSED_SHARE * typical_ns, LONGEST_PAUSE_NS)
        self._ready, slopes = [], []
        for place, paused_place in self._prepare(PAUSED_PAIRS, self._shift_bytes):
            plain, plain_from_end = self._time(place)
            until = perf_counter_ns() + pause_ns
            while perf_counter_ns() < until:
                pass
            paused, paused_from_end = self._time(paused_place)
            longer_pause = (paused_from_end - paused) - (plain_from_end - plain)
            # After a long stall, such a drive accepts several requests at once. Ignore them.
            if min(plain, paused) > FREE_SHARE * typical_ns and longer_pause > pause_ns / 2:
                slopes.append((plain - paused) / longer_pause)
        return len(slopes) >= FEWEST_SLOPES and median(slopes) > WORKED_OFF_SHARE

    def _prepare(self, count: int, back_bytes: int = 0) -> list[Places]:
        pairs = [(aligned, other - back_bytes) for aligned, other in islice(self._places, count)]
        self._prepare_starts([start for pair in pairs for start in pair])
        self._ended_ns = perf_counter_ns()
        return pairs

    def _time(self, start_bytes: int) -> tuple[int, int]:
        """Also returns the nanoseconds since the previous access ended."""
        took = self._access(start_bytes)
        ended_before, self._ended_ns = self._ended_ns, perf_counter_ns()
        return took, self._ended_ns - ended_before

    def _pair(self, places: Places, aligned_first: bool) -> Pair:
        starts = places if aligned_first else places[::-1]
        times = [self._time(start)[self.counts_pauses] for start in starts]
        return Pair(*times if aligned_first else times[::-1])
