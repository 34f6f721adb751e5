"""The rule that finds a write cliff: random writing falls at once, by much and for good, while sequential
writing does not.

A drive-managed shingled drive takes random writes into a cache on its platters; once that is full, each costs
the rewriting of a whole band. Other things make writing slower too, and the rule leaves them out: a hiccup is
no lasting fall; other work, heat and the cache of a solid-state drive slow sequential writing as well; a
write-back cache before an ordinary hard disk falls to the pace of seeking, and not far below it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from statistics import median

from wizard.model.verdict import Cliff, CliffDoubt, CliffOutcome, Phase, Window

FALL = 5.0
"""How many times slower counts as fallen. Shingled drives fall by 20 and more; a hard disk's inner tracks are
half as fast as its outer."""

WINDOWS_BEFORE = 4
WINDOWS_AFTER = 8
MOSTLY = 0.8
"""The share of windows that must be fast before, and slow after: a drive that rewrites bands is fast now and
then."""

LASTING_SHARE = 0.25
LONGEST_LASTING_SECONDS = 60.0
"""A fall must have lasted for this share of the time before it, but no longer than this."""

LATE_WINDOWS = 2

SEEKING_SECONDS = 0.04
"""No write of an ordinary hard disk takes that long: a full seek (up to 25 ms) and a turn (11 ms at 5400 a
minute)."""

SEQUENTIAL_KEPT = 0.5
"""Sequential writing that keeps this share of its rate has not fallen."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What may be claimed, and why not more."""

    outcome: CliffOutcome
    doubt: CliffDoubt | None = None
    cliff: Cliff | None = None


def find_cliff(windows: Sequence[Window]) -> Cliff | None:
    """The lasting fall in a series of windows of random writing, if it has one up to now."""
    level = fast_rate(windows)
    if level is None:
        return None
    fallen = [window.bytes_per_second < level / FALL for window in windows]
    first = _split(fallen)
    before, after = windows[:first], windows[first:]
    if first < WINDOWS_BEFORE or len(after) < WINDOWS_AFTER:
        return None
    if sum(fallen[first:]) < MOSTLY * len(after) or sum(fallen[:first]) > (1 - MOSTLY) * len(before):
        return None
    if _seconds(after) < min(LONGEST_LASTING_SECONDS, LASTING_SHARE * _seconds(before)):
        return None
    # Before it, the typical window: a hiccup is none of the drive's. After it, all of the time counts: a few
    # windows may be fast.
    typical = median(window.bytes_per_second for window in before)
    cliff = Cliff(_bytes(before), _seconds(before), typical, _rate(after))
    return cliff if cliff.factor >= FALL else None


def fast_rate(windows: Sequence[Window]) -> float | None:
    """The highest rate that a few windows in a row all kept up; None where there are fewer."""
    rates = [window.bytes_per_second for window in windows]
    return max(
        (min(rates[index : index + WINDOWS_BEFORE]) for index in range(len(rates) - WINDOWS_BEFORE + 1)),
        default=None,
    )


def sequential_rate(windows: Sequence[Window], phase: Phase) -> float | None:
    """The typical rate of one of the sequential phases, None where it was not measured."""
    rates = [window.bytes_per_second for window in windows if window.phase is phase]
    return median(rates) if rates else None


@dataclass(frozen=True, slots=True)
class Kind:
    """What a drive says of itself, as far as it bears on a fall."""

    rotational: bool | None = True
    removable: bool | None = False
    bus: str | None = "sata"


def judge_cliff(windows: Sequence[Window], block_bytes: int, kind: Kind) -> Judgement:
    """What the windows of all phases show of a drive whose random writes were of `block_bytes` each."""
    random = [window for window in windows if window.phase is Phase.RANDOM]
    cliff = find_cliff(random)
    if cliff is not None:
        doubt = _doubt(windows, cliff, block_bytes, kind)
        return Judgement(CliffOutcome.INCONCLUSIVE if doubt else CliffOutcome.FOUND, doubt, cliff)
    level = fast_rate(random)
    if level is None or len(random) < WINDOWS_BEFORE + WINDOWS_AFTER:
        return Judgement(CliffOutcome.INCONCLUSIVE, CliffDoubt.TOO_LITTLE)
    if (
        kind.rotational is not False
        and kind.bus != "loop"
        and _seconds_a_write(_rate(random), block_bytes) > SEEKING_SECONDS
    ):
        return Judgement(CliffOutcome.INCONCLUSIVE, CliffDoubt.SLOW_FROM_THE_START)
    if all(window.bytes_per_second < level / FALL for window in random[-LATE_WINDOWS:]):
        return Judgement(CliffOutcome.INCONCLUSIVE, CliffDoubt.LATE)
    return Judgement(CliffOutcome.NONE_WITHIN)


def _doubt(windows: Sequence[Window], cliff: Cliff, block_bytes: int, kind: Kind) -> CliffDoubt | None:
    """What else than shingled recording explains the fall, the surest first."""
    if kind.bus == "loop":
        return CliffDoubt.NOT_A_DRIVE
    if kind.rotational is False:
        return CliffDoubt.SOLID_STATE
    if kind.removable or kind.bus == "mmc":
        return CliffDoubt.REMOVABLE
    before, after = (
        sequential_rate(windows, phase) for phase in (Phase.SEQUENTIAL_BEFORE, Phase.SEQUENTIAL_AFTER)
    )
    if before is None or after is None:
        return CliffDoubt.NO_COMPARISON
    if after < SEQUENTIAL_KEPT * before:
        return CliffDoubt.SEQUENTIAL_TOO
    if _seconds_a_write(cliff.bytes_per_second_after, block_bytes) < SEEKING_SECONDS:
        return CliffDoubt.AS_FAST_AS_SEEKING
    return None


def _split(fallen: Sequence[bool]) -> int:
    """The index that best parts the windows that are not fallen from those that are."""
    slow_before = [0, *accumulate(int(one) for one in fallen)]
    total = len(fallen)
    wrong = [slow + (total - index) - (slow_before[-1] - slow) for index, slow in enumerate(slow_before)]
    return wrong.index(min(wrong))


def _bytes(windows: Sequence[Window]) -> int:
    return sum(window.written_bytes for window in windows)


def _seconds(windows: Sequence[Window]) -> float:
    return sum(window.seconds for window in windows)


def _rate(windows: Sequence[Window]) -> float:
    return _bytes(windows) / max(_seconds(windows), 1e-9)


def _seconds_a_write(bytes_per_second: float, block_bytes: int) -> float:
    return block_bytes / max(bytes_per_second, 1e-9)
