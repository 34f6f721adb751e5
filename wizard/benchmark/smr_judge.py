"""Judge the times of the quick SMR probe, and describe the result. Pure, so timings from any drive can be
judged again.

On a conventional drive, a written block and an unwritten neighbour read alike, regardless of speed, cache or
other load. A random choice decides which one is written. A drive-managed shingled drive reads written blocks
from a log instead.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import partial
from math import exp, log, sqrt
from random import Random
from statistics import fmean, median, variance

from msgspec import Struct

from wizard.model.said import Message, Sentence, t
from wizard.model.verdict import Basis, Displaced, ProbeComparison, Statistics, Timings

Batches = Sequence[Sequence[float]]


MILLISECOND = 1_000_000

MEMORY_NS = 2 * MILLISECOND
"""Shorter reads may come from a cache. Platters are rarely that fast."""

MOST_MEDIANS = 4
"""Limit for stalls of the machine, in medians."""

T_MOST, RATIO_MOST = -4.5, 0.85
"""Limits at random places. Both values must be below."""

DISTANCE_LEAST = 2.6
"""Limit for reads in the order of writing, in either direction. Chance exceeds it once in 400,000 times.
Adjacent entries of a log take almost no time, or almost a turn."""

SWAPS, SWAPS_MOST = 400, 0.005
QUICKER_LEAST, QUICKER_ERRORS = 0.25, 4.5
"""Increase in reads without platters, in the order of writing. Requires few such reads at random places."""

MEMORY_MOST = 0.12
T_STILL, DISTANCE_STILL, ERRORS_STILL = -3.0, 1.8, 3.0
"""Weaker limits for the second look, which only confirms the first."""

TURN_SPREAD_NS = 4 * MILLISECOND
"""Least spread of reads from platters, due to rotation. Reads from flash vary less."""

FEWEST_AT_RANDOM, FEWEST_IN_ORDER, FEWEST_FIRST = 40, 30, 15
FEWEST_SWAPPED = 20
USUAL_READ_NS = 12 * MILLISECOND
QUICKEST_READ_NS = 4 * MILLISECOND

EARLY_WRITES, LAST_EARLY_WRITES = 20, 25
BAND_NS, BAND_READS = 80 * MILLISECOND, 5
"""A write that takes this long, and this many times a read, rewrites a band."""

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


def after_reading(first_reads: Sequence[float]) -> Basis | None:
    """Return an early basis if reads are too fast for platters."""
    return Basis.NO_PLATTERS if usual_read_ns(first_reads) < QUICKEST_READ_NS else None


def after_writing(writes: Sequence[float], read_ns: float) -> Basis | None:
    """Return an early basis if every small write rewrites a band."""
    if not EARLY_WRITES <= len(writes) <= LAST_EARLY_WRITES:
        return None
    usual = median(writes)
    return Basis.REWRITES if usual > BAND_NS and usual > BAND_READS * read_ns else None


class Seen(Struct, frozen=True):
    """Relocation seen at random offsets, and in write order."""

    at_random: bool
    in_order: bool
    statistics: Statistics


def see(look: ProbeComparison, *, again: bool = False, memory: float | None = None) -> Seen:
    """Evaluate a look. `again`: weaker limits after idle time. `memory`: share of cached reads in the earlier
    look."""
    written, unwritten = _flat(look.written_at_random), _flat(look.unwritten_at_random)
    slow, slow_unwritten = mechanical(written), mechanical(unwritten)
    welch_t = ratio = None
    if min(len(slow), len(slow_unwritten)) >= FEWEST_AT_RANDOM:
        welch_t, ratio = welch(slow, slow_unwritten)
    from_memory = memory_share(written) if memory is None else memory
    distance = _distance(_flat(look.written_in_order), _flat(look.unwritten_in_order))
    quicker, errors = _quicker(look, from_memory)
    at_random = (
        welch_t is not None
        and ratio is not None
        and ratio < RATIO_MOST
        and (welch_t < T_STILL if again else welch_t < T_MOST and _spread(slow))
    )
    in_order = _is_distinct(look, distance, DISTANCE_STILL if again else DISTANCE_LEAST) or (
        errors > (ERRORS_STILL if again else QUICKER_ERRORS)
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
    return Seen(at_random, in_order, figures)


def after_looking(timings: Timings, seen: Seen) -> Basis | None:
    """Return the basis after the first look, or None if a second one is necessary."""
    assert timings.look is not None
    if memory_share(timings.first_reads) > NEARLY_ALL and not _from_platters(timings.look):
        return Basis.NO_PLATTERS
    if seen.at_random or seen.in_order:
        return None
    if _unwritten_answer(timings, seen):
        return Basis.UNWRITTEN
    if seen.statistics.t is None:
        return Basis.FROM_MEMORY
    return Basis.ALIKE


def after_idling(timings: Timings, seen: Seen, seen_again: Seen, *, whole: bool) -> Basis:
    """Return the basis after both looks. `whole`: the second one was complete."""
    if (seen.at_random and seen_again.at_random) or (seen.in_order and seen_again.in_order):
        return Basis.STAYS
    if _unwritten_answer(timings, seen):
        return Basis.UNWRITTEN
    return Basis.CAME_HOME if whole else Basis.TOO_SLOW


def _unwritten_answer(timings: Timings, seen: Seen) -> bool:
    """The drive then has a map of written blocks, which only TRIM can clear."""
    look = timings.look
    if look is None or seen.statistics.from_memory is None:
        return False
    unwritten, from_memory = _flat(look.unwritten_at_random), seen.statistics.from_memory
    share = memory_share(unwritten)
    return (
        memory_share(timings.first_reads) > UNWRITTEN_LEAST
        and share > UNWRITTEN_LEAST
        and share_error(share, len(unwritten), from_memory, len(unwritten)) > UNWRITTEN_ERRORS
        and _from_platters(look)
    )


def _flat(batches: Sequence[Sequence[int]]) -> list[float]:
    return [float(time) for batch in batches for time in batch]


def _spread(slow: Sequence[float]) -> bool:
    ordered = sorted(slow)
    tenth = len(ordered) // 10
    return ordered[len(ordered) * 9 // 10] - ordered[tenth] > TURN_SPREAD_NS


def _from_platters(look: ProbeComparison) -> bool:
    slow = mechanical(_flat(look.written_at_random))
    return len(slow) >= FEWEST_AT_RANDOM and _spread(slow) and median(slow) > QUICKEST_READ_NS


def _distance(
    written: Sequence[float], unwritten: Sequence[float], fewest: int = FEWEST_IN_ORDER
) -> float | None:
    one, other = mechanical(written), mechanical(unwritten)
    return kolmogorov(one, other) if min(len(one), len(other)) >= fewest else None


def _is_distinct(look: ProbeComparison, distance: float | None, least: float) -> bool:
    """Random swaps of batches must rarely reach the distance."""
    if distance is None or distance <= least:
        return False
    statistic = partial(_distance, fewest=FEWEST_SWAPPED)
    # A fixed seed, so that equal timings give equal verdicts.
    share = share_of_swaps(look.written_in_order, look.unwritten_in_order, statistic, distance, Random(0))
    return share <= SWAPS_MOST


def _quicker(look: ProbeComparison, from_memory: float) -> tuple[float, float]:
    """Return the excess of fast reads in write order, and its standard errors."""
    written, unwritten = _flat(look.written_in_order), _flat(look.unwritten_in_order)
    if not written or not unwritten:
        return 0.0, 0.0
    share, other = memory_share(written), max(memory_share(unwritten), from_memory)
    return share - other, share_error(share, len(written), other, len(unwritten))


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


def share_of_swaps(
    one: Batches,
    other: Batches,
    statistic: Callable[[Sequence[float], Sequence[float]], float | None],
    seen: float,
    random: Random,
) -> float:
    """Return the share of random swaps whose statistic reaches `seen`. Whole batches are swapped, because
    bursts of other programs affect whole batches."""
    reached = 0
    for _ in range(SWAPS):
        left: list[float] = []
        right: list[float] = []
        for mine, theirs in zip(one, other, strict=True):
            heads = random.random() < 0.5
            left += mine if heads else theirs
            right += theirs if heads else mine
        value = statistic(left, right)
        reached += value is not None and value >= seen
    return reached / SWAPS


def share_error(one: float, count: int, other: float, other_count: int) -> float:
    """Return the difference of two shares in standard errors, with a least variance."""
    least = 0.02
    error = sqrt(max(least, one * (1 - one)) / count + max(least, other * (1 - other)) / other_count)
    return (one - other) / error


UNCONFIRMED = t("This test is unconfirmed on real drives. It was tested on simulated drives only.")

CANNOT_TELL = Sentence("{drive}: inconclusive; {why}.")

_REASONS = {
    Basis.STAYS: t(
        "written blocks are read from a different place than their neighbours, even after idle time"
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
    Basis.ENDED: t("you stopped the test too early for a result"),
}


def sentence_for(path: str, basis: Basis, timings: Timings, seconds: float) -> str:
    """Describe the verdict, claiming no more than was measured. `seconds`: the limit."""
    match outcome_of(basis):
        case Displaced.NOTHING_FOUND:
            said = t(
                "{drive}: no sign of shingling; written blocks were read like their "
                "neighbours. This does not prove that the drive is conventional.",
                drive=path,
            )
        case Displaced.LIKELY:
            said = t("{drive} is likely shingled: {why}.", drive=path, why=_why(basis, timings, seconds))
        case _:
            said = CANNOT_TELL(drive=path, why=_why(basis, timings, seconds))
    return str(said)


def known_sentence(path: str, family: str) -> str:
    """Describe a listed model, which is not tested."""
    why = t(
        "this model ({family}) may have a media cache, which looks the same. Nothing was written",
        family=family,
    )
    return str(CANNOT_TELL(drive=path, why=why))


def caveats_for(path: str, basis: Basis) -> tuple[str, ...]:
    """Return the caveats."""
    caveats = [UNCONFIRMED]
    if basis is Basis.STAYS:
        caveats.append(
            t(
                "A conventional drive with a late-emptied media cache looks the same. This "
                "model is not in the list."
            )
        )
    if basis is not Basis.ENDED:
        caveats.append(
            t(
                "For a more reliable test, look for the write cliff: `diskwright bench "
                "{drive} --scratch --shingled`, for half an hour.",
                drive=path,
            )
        )
    if basis not in (Basis.ENDED, Basis.MEDIA_CACHE):
        caveats.append(
            t(
                "If you know the drive's recording method, send the report to the project. "
                "All measured times are included."
            )
        )
    return tuple(map(str, caveats))


def _why(basis: Basis, timings: Timings, seconds: float) -> Message:
    if basis is Basis.REWRITES:
        return t(
            "each small write takes {milliseconds} ms, as if rewriting a whole band",
            milliseconds=round(median(timings.writes) / MILLISECOND),
        )
    if basis is Basis.TOO_SLOW:
        return t(
            "the limit of {seconds} s was too short. Leave the drive idle, then try again",
            seconds=round(seconds),
        )
    return _REASONS[basis]
