"""Quick SMR probe: read blocks, write them back, read elsewhere, and compare their times with those of
neighbours. The comparison is repeated after idle time. Judging is pure, so timings can be judged again. On
a conventional drive, a written block and an unwritten neighbour read alike, regardless of speed, cache or
other load; which one is written is random. A drive-managed shingled drive reads written blocks from a log
instead."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import chain
from math import exp, log, sqrt
from random import Random
from statistics import fmean, median, variance

from msgspec import Struct

from wizard.benchmark import access
from wizard.benchmark.measure import Places, align, in_random_order, nth
from wizard.benchmark.scratch import refused, scratch_extents
from wizard.findings import geometry
from wizard.findings.smr_evidence import is_ata, is_emulated
from wizard.model.errors import printable, why_not
from wizard.model.machine import Drive, Extent
from wizard.model.said import MIB, Message, t
from wizard.model.verdict import Basis, Displaced, DisplacedVerdict, ProbeComparison, Statistics, Timings

Batches = Sequence[Sequence[float]]


MILLISECOND = 1_000_000

MEMORY_NS = 2 * MILLISECOND
"""Shorter reads may come from a cache."""

MOST_MEDIANS = 4
"""For stalls of the machine."""

T_MOST, RATIO_MOST = -4.5, 0.85
"""Limits at random places. Both values must be below."""

DISTANCE_LEAST = 2.6
"""In the order of writing, in either direction. Chance exceeds it once in 400,000 times. Adjacent entries of
a log take almost no time, or almost a turn."""

SWAPS, SWAPS_MOST = 400, 0.005
QUICKER_LEAST, QUICKER_ERRORS = 0.25, 4.5
"""More reads without platters, in the order of writing. Requires few such reads at random places."""

MEMORY_MOST = 0.12
T_STILL, DISTANCE_STILL, ERRORS_STILL = -3.0, 1.8, 3.0
"""For the second look, which only confirms the first."""

TURN_SPREAD_NS = 4 * MILLISECOND
"""Rotation spreads reads from platters. Reads from flash vary less."""

FEWEST_AT_RANDOM, FEWEST_IN_ORDER, FEWEST_FIRST = 40, 30, 15
FEWEST_SWAPPED = 20
USUAL_READ_NS = 12 * MILLISECOND
QUICKEST_READ_NS = 4 * MILLISECOND

EARLY_WRITES, LAST_EARLY_WRITES = 20, 25
BAND_NS, BAND_READS = 80 * MILLISECOND, 5
"""A write that takes this long, and this many reads, rewrites a band."""

UNWRITTEN_LEAST, UNWRITTEN_ERRORS = 0.10, 4.5
"""Least share, in case read-ahead makes some reads fast on a nearly full drive."""
NEARLY_ALL = 0.9


def outcome_of(basis: Basis) -> Displaced:
    """Return the result."""
    if basis in (Basis.STAYS, Basis.REWRITES, Basis.UNWRITTEN):
        return Displaced.LIKELY
    return Displaced.NOTHING_FOUND if basis is Basis.ALIKE else Displaced.CANNOT_TELL


def mechanical(times: Sequence[float]) -> list[float]:
    """Return the reads from platters, with stalls limited."""
    slow = [time for time in times if time > MEMORY_NS]
    most = MOST_MEDIANS * median(slow) if slow else 0.0
    return [min(time, most) for time in slow]


def memory_share(times: Sequence[float]) -> float:
    """Return the share of reads from a cache."""
    return sum(time <= MEMORY_NS for time in times) / max(1, len(times))


def usual_read_ns(first_reads: Sequence[float]) -> float:
    """Return the typical time of a read from platters."""
    slow = mechanical(first_reads)
    return median(slow) if len(slow) >= FEWEST_FIRST else USUAL_READ_NS


def after_writing(writes: Sequence[float], read_ns: float) -> Basis | None:
    """Return an early basis if every small write rewrites a band."""
    if not EARLY_WRITES <= len(writes) <= LAST_EARLY_WRITES:
        return None
    usual = median(writes)
    return Basis.REWRITES if usual > BAND_NS and usual > BAND_READS * read_ns else None


class Seen(Struct, frozen=True):
    """Relocation seen at random offsets, and in write order. `from_platters`: of written blocks.
    `unwritten_at_once`: many unwritten neighbours were answered without the platters."""

    at_random: bool
    in_order: bool
    from_platters: bool
    unwritten_at_once: bool
    statistics: Statistics


def see(look: ProbeComparison, first: Seen | None = None) -> Seen:
    """Compare the times. Weaker limits confirm the `first` look."""
    written, unwritten = _flat(look.written_at_random), _flat(look.unwritten_at_random)
    slow, slow_unwritten = mechanical(written), mechanical(unwritten)
    enough = len(slow) >= FEWEST_AT_RANDOM
    welch_t = ratio = None
    if enough and len(slow_unwritten) >= FEWEST_AT_RANDOM:
        welch_t, ratio = welch(slow, slow_unwritten)
    from_memory = first.statistics.from_memory or 0.0 if first else memory_share(written)
    in_turn, unwritten_in_turn = _flat(look.written_in_order), _flat(look.unwritten_in_order)
    distance = _distance(in_turn, unwritten_in_turn)
    # Random swaps of batches must rarely reach the distance. A fixed seed makes equal timings give equal
    # verdicts.
    is_distinct = (
        distance is not None
        and distance > (DISTANCE_STILL if first else DISTANCE_LEAST)
        and share_of_swaps(look.written_in_order, look.unwritten_in_order, distance, Random(0)) <= SWAPS_MOST
    )
    quicker = errors = 0.0
    if in_turn and unwritten_in_turn:
        share, other = memory_share(in_turn), max(memory_share(unwritten_in_turn), from_memory)
        quicker, errors = share - other, share_error(share, len(in_turn), other, len(unwritten_in_turn))
    at_random = (
        welch_t is not None
        and ratio is not None
        and ratio < RATIO_MOST
        and (welch_t < T_STILL if first else welch_t < T_MOST and _spread(slow))
    )
    in_order = is_distinct or (
        errors > (ERRORS_STILL if first else QUICKER_ERRORS)
        and quicker > QUICKER_LEAST
        and from_memory < MEMORY_MOST
    )
    figures = Statistics(
        None if welch_t is None else round(welch_t, 3),
        None if ratio is None else round(ratio, 4),
        None if distance is None else round(distance, 3),
        round(quicker, 3),
        round(from_memory, 3),
    )
    from_platters = enough and _spread(slow) and median(slow) > QUICKEST_READ_NS
    share = memory_share(unwritten)
    unwritten_at_once = (
        from_platters
        and share > UNWRITTEN_LEAST
        and share_error(share, len(unwritten), round(from_memory, 3), len(unwritten)) > UNWRITTEN_ERRORS
    )
    return Seen(at_random, in_order, from_platters, unwritten_at_once, figures)


def judge(
    first_reads: Sequence[float], seen: Seen, again: Seen | None = None, *, whole: bool = True
) -> Basis | None:
    """Return the basis after one look or two, or None if a second look is necessary. `whole`: the second look
    was complete."""
    quick = memory_share(first_reads)
    if again is None:
        if quick > NEARLY_ALL and not seen.from_platters:
            return Basis.NO_PLATTERS
        if seen.at_random or seen.in_order:
            return None
    elif (seen.at_random and again.at_random) or (seen.in_order and again.in_order):
        return Basis.STAYS
    if quick > UNWRITTEN_LEAST and seen.unwritten_at_once:
        # The drive has a map of written blocks, which only TRIM can clear.
        return Basis.UNWRITTEN
    if again is not None:
        return Basis.CAME_HOME if whole else Basis.TOO_SLOW
    return Basis.FROM_MEMORY if seen.statistics.t is None else Basis.ALIKE


def _flat(batches: Sequence[Sequence[int]]) -> list[float]:
    return [float(time) for batch in batches for time in batch]


def _spread(slow: Sequence[float]) -> bool:
    ordered = sorted(slow)
    tenth = len(ordered) // 10
    return ordered[len(ordered) * 9 // 10] - ordered[tenth] > TURN_SPREAD_NS


def _distance(
    written: Sequence[float], unwritten: Sequence[float], fewest: int = FEWEST_IN_ORDER
) -> float | None:
    one, other = mechanical(written), mechanical(unwritten)
    return kolmogorov(one, other) if min(len(one), len(other)) >= fewest else None


def welch(one: Sequence[float], other: Sequence[float]) -> tuple[float, float]:
    """Return Welch's t of the logarithms, and the ratio of the geometric means."""
    logs, other_logs = [log(value) for value in one], [log(value) for value in other]
    difference = fmean(logs) - fmean(other_logs)
    error = sqrt(variance(logs) / len(logs) + variance(other_logs) / len(other_logs))
    return difference / max(error, 1e-9), exp(difference)


def kolmogorov(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the Kolmogorov-Smirnov distance, times sqrt(nm/(n+m)). Chance exceeds 1.36 once in 20 times."""
    left, right = sorted(one), sorted(other)
    greatest = max(
        abs(bisect_right(left, value) / len(left) - bisect_right(right, value) / len(right))
        for value in (*left, *right)
    )
    return greatest * sqrt(len(left) * len(right) / (len(left) + len(right)))


def share_of_swaps(one: Batches, other: Batches, seen: float, random: Random) -> float:
    """Return the share of random swaps whose distance reaches `seen`. Whole batches are swapped, because
    bursts of other programs affect whole batches."""
    reached = 0
    for _ in range(SWAPS):
        left: list[float] = []
        right: list[float] = []
        for mine, theirs in zip(one, other, strict=True):
            heads = random.random() < 0.5
            left += mine if heads else theirs
            right += theirs if heads else mine
        distance = _distance(left, right, FEWEST_SWAPPED)
        reached += distance is not None and distance >= seen
    return reached / SWAPS


def share_error(one: float, count: int, other: float, other_count: int) -> float:
    """Return the difference of two shares in standard errors, with a least variance."""
    least = 0.02
    error = sqrt(max(least, one * (1 - one)) / count + max(least, other * (1 - other)) / other_count)
    return (one - other) / error


UNCONFIRMED = t("This test is unconfirmed on real drives. It was tested on simulated drives only.")


def sentence_for(path: str, basis: Basis, timings: Timings, seconds: float) -> str:
    """Describe what was measured. `seconds`: the limit."""
    if basis is Basis.ALIKE:
        said = t(
            "{drive}: no sign of shingling; written blocks were read like their "
            "neighbours. This does not prove that the drive is conventional.",
            drive=path,
        )
        return str(said)
    why = {
        Basis.STAYS: t(
            "written blocks are read from a different place than their neighbours, even after idle time"
        ),
        Basis.REWRITES: t(
            "each small write takes {milliseconds} ms, as if rewriting a whole band",
            milliseconds=round(median(timings.writes or (0,)) / MILLISECOND),
        ),
        Basis.UNWRITTEN: t("unwritten blocks are answered without the platters, as on drives with TRIM"),
        Basis.CAME_HOME: t(
            "written blocks were read from a different place, but moved back during idle "
            "time. Conventional drives with a media cache do this"
        ),
        Basis.FROM_MEMORY: t(
            "too many written blocks came from a cache: the drive's own, a controller's, or flash"
        ),
        Basis.NO_PLATTERS: t("response times do not match a rotating drive"),
        Basis.TOO_SLOW: t(
            "the limit of {seconds} s was too short. Leave the drive idle, then try again",
            seconds=round(seconds),
        ),
        Basis.ENDED: t("you stopped the test too early for a result"),
    }[basis]
    if outcome_of(basis) is Displaced.LIKELY:
        return str(t("{drive} is likely shingled: {why}.", drive=path, why=why))
    return str(access.INCONCLUSIVE(drive=path, why=why))


def caveats_for(path: str, basis: Basis) -> tuple[str, ...]:
    """Return the caveats."""
    return access.those_that_apply(
        (True, UNCONFIRMED),
        (
            basis is Basis.STAYS,
            t(
                "A conventional drive with a late-emptied media cache looks the same. This "
                "model is not in the list."
            ),
        ),
        (
            basis is not Basis.ENDED,
            t(
                "For a more reliable test, look for the write cliff: `diskwright bench "
                "{drive} --scratch --shingled`, for half an hour.",
                drive=path,
            ),
        ),
        (
            basis not in (Basis.ENDED, Basis.MEDIA_CACHE),
            t(
                "If you know the drive's recording method, send the report to the project. "
                "All measured times are included."
            ),
        ),
    )


SINGLES = 192
"""Pairs spread over free space."""

GROUPS, GROUP_PAIRS = 44, 6
"""Within `GROUP_BYTES` each."""

WRITES = SINGLES + GROUPS * GROUP_PAIRS
NEAREST_BYTES, FARTHEST_BYTES = 3 * MIB, 6 * MIB
"""Inside a single pair: beyond read-ahead, inside the same zone."""

GROUP_BYTES = 2 * GROUP_PAIRS * MIB
GROUP_BLOCKS = 64
"""Blocks of a group start among the first of each MiB."""

LEAST_FREE_BYTES = 1024 * MIB
"""The drive's cache could hold much of a smaller range."""

STREAM_BYTES = 768 * MIB
"""To clear the drive's cache. No drive has more than 512 MiB."""

STREAM_DRAWS = 32


Units = list[list[Places]]
"""Single pairs in random order, then groups in write order: a written block and an unwritten neighbour."""


def draw_pairs(extents: Sequence[Extent], block_bytes: int, offset_bytes: int, random: Random) -> Units:
    """Draw distinct pairs all over `extents`."""
    wide = _wide(extents)
    taken: set[int] = set()

    def aligned(place: int) -> int:
        return align(place, block_bytes, offset_bytes)

    def single() -> list[int]:
        one = aligned(_place(wide, FARTHEST_BYTES + 2 * block_bytes, random))
        return [one, aligned(one + random.randrange(NEAREST_BYTES, FARTHEST_BYTES))]

    def group() -> list[int]:
        base = _place(wide, GROUP_BYTES + GROUP_BLOCKS * block_bytes, random)
        return [
            aligned(base + slot * MIB + random.randrange(GROUP_BLOCKS) * block_bytes)
            for slot in range(2 * GROUP_PAIRS)
        ]

    def drawn(draw: Callable[[], list[int]]) -> list[Places]:
        blocks = draw()
        while len(set(blocks)) < len(blocks) or taken.intersection(blocks):
            blocks = draw()
        taken.update(blocks)
        return [
            in_random_order(one, other, random) for one, other in zip(blocks[::2], blocks[1::2], strict=True)
        ]

    units = [drawn(single) for _ in range(SINGLES)]
    for _ in range(GROUPS):
        units.append(drawn(group))
        random.shuffle(units[-1])
    return units


def stream_start(size_bytes: int, units: Units, random: Random) -> tuple[int, int]:
    """Return start and length of the long read, with few pairs inside."""
    length = min(STREAM_BYTES, size_bytes // 2) // MIB * MIB
    places = [start for unit in units for pair in unit for start in pair]
    drawn = [random.randrange(max(1, (size_bytes - length) // MIB)) * MIB for _ in range(STREAM_DRAWS)]
    return min(drawn, key=lambda start: sum(start <= place < start + length for place in places)), length


def _wide(extents: Sequence[Extent]) -> list[Extent]:
    return [extent for extent in extents if extent.size_bytes >= 2 * GROUP_BYTES]


def _place(wide: Sequence[Extent], needed_bytes: int, random: Random) -> int:
    rooms = [range(extent.start_bytes, extent.end_bytes - needed_bytes) for extent in wide]
    return nth(rooms, random.randrange(sum(map(len, rooms))))


BATCH = 8
"""All written or all unwritten. The first read only positions the head."""

IDLE_SECONDS = 10.0
"""Enough for a conventional drive to empty its media cache, at milliseconds per block."""

IDLE_PIECE_SECONDS = 0.25


IDLING = t("Signs found. Leaving the drive idle for ten seconds.")


class OverError(Exception):
    """The time limit was reached or the person stopped the test."""


class SmrProbe:
    """The lists keep all times, even after an early end."""

    def __init__(
        self,
        drive: access.TimedDrive,
        clock: access.Clock,
        units: Units,
        stream: tuple[int, int],
        random: Random,
    ) -> None:
        self.first_reads: list[int] = []
        self.writes: list[int] = []
        self.looks: list[ProbeComparison] = []
        self.seen: list[Seen] = []
        self._drive, self._clock, self._units = drive, clock, units
        self._stream, self._random = stream, random

    @property
    def timings(self) -> Timings:
        """All times so far."""
        return Timings(tuple(self.first_reads), tuple(self.writes), *self.looks)

    def run(self) -> Basis:
        """Steps after the first look only follow if it found something."""
        basis = Basis.TOO_SLOW
        with suppress(OverError):
            basis = self._judged()
        return Basis.ENDED if basis is Basis.TOO_SLOW and self._clock.ended_by_person else basis

    def _judged(self) -> Basis:
        for done, (written, _) in enumerate(chain.from_iterable(self._units)):
            self._check(t("Reading the test blocks."))
            took = self._drive.keep(written)
            if done < SINGLES:
                self.first_reads.append(took)
        read_ns = usual_read_ns(self.first_reads)
        if read_ns < QUICKEST_READ_NS:
            return Basis.NO_PLATTERS
        shuffled = [*self._units]
        self._random.shuffle(shuffled)
        for written, _ in chain.from_iterable(shuffled):
            self._check(t("Writing the same bytes back."))
            self.writes.append(self._drive.write(written))
            if early := after_writing(self.writes, read_ns):
                return early
        self._check(t("Reading elsewhere to flush the drive's cache."))
        if not self._drive.stream(*self._stream, self._clock.is_over):
            raise OverError
        singles = [pair for (pair,) in self._units[:SINGLES]]
        groups = self._units[SINGLES:]
        self._random.shuffle(singles)
        if not self._look(singles[: SINGLES // 2], groups[: GROUPS // 2]):
            raise OverError
        seen = see(self.looks[0])
        self.seen.append(seen)
        if judged := judge(self.first_reads, seen):
            return judged
        left = IDLE_SECONDS
        while left > 0:
            self._check(IDLING)
            self._clock.idle(min(IDLE_PIECE_SECONDS, left))
            left -= IDLE_PIECE_SECONDS
        whole = self._look(singles[SINGLES // 2 :], groups[GROUPS // 2 :])
        self.seen.append(see(self.looks[1], seen))
        return judge(self.first_reads, *self.seen, whole=whole) or Basis.TOO_SLOW

    def _look(self, singles: Sequence[Places], groups: Sequence[Sequence[Places]]) -> bool:
        """Compare batches of written and unwritten blocks. Returns False if the time was over."""
        batches = [singles[first : first + BATCH] for first in range(0, len(singles) - BATCH + 1, BATCH)]
        pending = [*batches, *groups]
        found: list[list[tuple[int, ...]]] = []
        for batch in pending:
            if self._clock.is_over():
                break
            self._clock.report(t("Comparing."))
            times: list[tuple[int, ...]] = [(), ()]
            for side in in_random_order(0, 1, self._random):
                first, *others = (pair[side] for pair in batch)
                self._drive.read(first)
                times[side] = tuple(map(self._drive.read, others))
            found.append(times)
        kinds = (found[: len(batches)], found[len(batches) :])
        self.looks.append(
            ProbeComparison(*(tuple(pair[side] for pair in pairs) for pairs in kinds for side in (0, 1)))
        )
        return len(found) == len(pending)

    def _check(self, doing: Message) -> None:
        if self._clock.is_over():
            raise OverError
        self._clock.report(doing)


BUSES = ("ata", "sata", "sas", "usb")
LEAST_BLOCK_BYTES = 4096


def probe_extents(drive: Drive) -> tuple[Extent, ...]:
    """Return the extents for the probe. Raises Refused."""
    if is_emulated(drive):
        raise refused(t("{drive} is emulated. The test would not measure a drive's platters.", drive=drive))
    if not (drive.bus in BUSES or is_ata(drive)) or drive.rotational is False:
        raise refused(
            t(
                "The quick test is for rotating SATA, SAS and USB hard disks, not {drive} ({bus}).",
                drive=drive,
                bus=drive.bus or "?",
            )
        )
    if drive.rotational is None:
        raise refused(
            t(
                "{drive} does not report rotation. Some USB bridges reveal rotation only to smartctl.",
                drive=drive,
            )
        )
    if drive.geometry is not None and block_bytes(drive) > access.LARGEST_BLOCK_BYTES:
        raise refused(access.IMPLAUSIBLE(drive=drive, size=drive.geometry.physical_block_bytes))
    extents = scratch_extents(drive)
    if sum(extent.size_bytes for extent in _wide(extents)) < LEAST_FREE_BYTES:
        raise refused(
            t(
                "The quick test needs {least:exact} of free space on {drive}.",
                drive=drive,
                least=LEAST_FREE_BYTES,
            )
        )
    return extents


def quick_test_obstacle(drive: Drive, patterns: Sequence[geometry.Pattern]) -> str:
    """Return why the probe is impossible or inconclusive."""
    return why_not(probe_extents, drive) or media_cache_sentence(drive, patterns)


def media_cache_sentence(drive: Drive, patterns: Sequence[geometry.Pattern]) -> str:
    """Describe a model with a known media cache, which makes the probe inconclusive."""
    for found in geometry.fitting(drive, patterns):
        if found.kind is geometry.RecordingKind.MEDIA_CACHE:
            why = t(
                "this model ({family}) may have a media cache, which looks the same. Nothing was written",
                family=str(found.family) or drive.model or "",
            )
            return str(access.INCONCLUSIVE(drive=drive, why=why))
    return ""


def block_bytes(drive: Drive) -> int:
    """Return the size of an access: at least 4 KiB."""
    assert drive.geometry is not None
    return max(LEAST_BLOCK_BYTES, drive.geometry.physical_block_bytes)


SECONDS = 58.0
"""The current read ends shortly after, within a minute in all."""


def run_smr_probe(
    drive: Drive,
    *,
    on_progress: access.OnProgress,
    stop: access.Stopped,
    seconds: float = SECONDS,
    patterns: tuple[geometry.Pattern, ...] | None = None,
    random: Random | None = None,
) -> DisplacedVerdict:
    """Detect whether written blocks are read from another place, within `seconds` or until `stop`. The caller
    has confirmed the drive. Models with a media cache are not tested. Raises Refused, or Failed if the drive
    does not answer."""
    probe_extents(drive)
    assert drive.geometry is not None and drive.size_bytes is not None
    generator, size = random or Random(), block_bytes(drive)
    basis, statistics, read_bytes, elapsed = Basis.MEDIA_CACHE, list[Statistics](), 0, 0.0
    timings = Timings()
    sentence = media_cache_sentence(drive, geometry.load_patterns() if patterns is None else patterns)
    if not sentence:
        with access.claimed(drive, size, synchronous=True) as timed:
            units = draw_pairs(timed.extents, size, drive.geometry.first_block_bytes, generator)
            clock = access.Clock(seconds, stop, on_progress)
            long = stream_start(drive.size_bytes, units, generator)
            run = SmrProbe(timed, clock, units, long, generator)
            basis = run.run()
        timings, read_bytes, elapsed = run.timings, timed.read_bytes, clock.elapsed
        statistics = [one.statistics for one in run.seen]
        sentence = sentence_for(drive.path, basis, timings, seconds)
    return DisplacedVerdict(
        drive=drive.path,
        model=printable(drive.model or "", 80),
        size_bytes=drive.size_bytes,
        rotation_rate=drive.rotation_rate,
        bus=drive.bus or "",
        outcome=outcome_of(basis),
        basis=basis,
        sentence=sentence,
        caveats=caveats_for(drive.path, basis),
        block_bytes=size,
        written_bytes=len(timings.writes) * size,
        read_bytes=read_bytes,
        seconds=round(elapsed, 3),
        statistics=statistics[0] if statistics else None,
        statistics_after_idle=statistics[1] if len(statistics) > 1 else None,
        timings=timings,
    )
