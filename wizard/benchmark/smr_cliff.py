"""Judge a write probe for shingled recording, and describe the verdict with caveats."""

from collections.abc import Sequence
from itertools import accumulate
from statistics import median

from msgspec import Struct

from wizard.benchmark.access import ENDED, LOOP
from wizard.model.machine import Drive
from wizard.model.said import format_capacity, format_duration, join, t
from wizard.model.verdict import Cliff, CliffDoubt, CliffOutcome, WritePhase, WriteWindow

FALL = 5.0
"""Slowdown that counts as a cliff. Shingled drives slow down at least 20 times, inner tracks of hard disks 2
times."""

WINDOWS_BEFORE = 4
WINDOWS_AFTER = 8
MOSTLY = 0.8
"""Share of windows that must be fast before and slow after. A drive that rewrites bands is sometimes fast."""

LASTING_SHARE = 0.25
LONGEST_LASTING_SECONDS = 60.0
"""A cliff must last this share of the time before it, at most this many seconds."""

LATE_WINDOWS = 2

SEEKING_SECONDS = 0.04
"""Longer than any write on a conventional hard disk: a full seek (25 ms) and a turn (11 ms at 5400 rpm)."""

SEQUENTIAL_KEPT = 0.5
"""Sequential writing at this share of its rate has not slowed down."""


class CliffJudgement(Struct, frozen=True):
    """A cliff, and the doubt that limits the result."""

    doubt: CliffDoubt | None = None
    cliff: Cliff | None = None

    @property
    def outcome(self) -> CliffOutcome:
        """The result."""
        if self.doubt is not None:
            return CliffOutcome.INCONCLUSIVE
        return CliffOutcome.NONE_WITHIN if self.cliff is None else CliffOutcome.FOUND


def find_cliff(windows: Sequence[WriteWindow]) -> Cliff | None:
    """Return the lasting fall of random writing so far."""
    level = _fast_rate(windows)
    if level is None:
        return None
    fallen = [window.bytes_per_second < level / FALL for window in windows]
    # Split where fast windows are best separated from slow ones.
    wrong = list(accumulate((1 if slow else -1 for slow in fallen), initial=0))
    first = wrong.index(min(wrong))
    before, after = windows[:first], windows[first:]
    if first < WINDOWS_BEFORE or len(after) < WINDOWS_AFTER:
        return None
    if sum(fallen[first:]) < MOSTLY * len(after) or sum(fallen[:first]) > (1 - MOSTLY) * len(before):
        return None
    if _seconds(after) < min(LONGEST_LASTING_SECONDS, LASTING_SHARE * _seconds(before)):
        return None
    # Before the cliff, use the typical window, since stalls have other causes. After it, use the total time,
    # since a few windows may be fast.
    typical = median(window.bytes_per_second for window in before)
    cliff = Cliff(_bytes(before), _seconds(before), typical, _cliff_rate(after))
    return cliff if cliff.factor >= FALL else None


def _fast_rate(windows: Sequence[WriteWindow]) -> float | None:
    """Return the highest rate sustained over a few windows."""
    rates = [window.bytes_per_second for window in windows]
    return max(
        (min(rates[index : index + WINDOWS_BEFORE]) for index in range(len(rates) - WINDOWS_BEFORE + 1)),
        default=None,
    )


def sequential_rates(windows: Sequence[WriteWindow]) -> tuple[float | None, float | None]:
    """Return the typical sequential rates before and after, if measured."""
    before, after = (
        [window.bytes_per_second for window in windows if window.phase is phase]
        for phase in (WritePhase.SEQUENTIAL_BEFORE, WritePhase.SEQUENTIAL_AFTER)
    )
    return median(before) if before else None, median(after) if after else None


def judge_cliff(windows: Sequence[WriteWindow], block_bytes: int, drive: Drive) -> CliffJudgement:
    """Judge the windows of all phases."""
    random = [window for window in windows if window.phase is WritePhase.RANDOM]
    cliff = find_cliff(random)
    if cliff is not None:
        return CliffJudgement(_doubt(windows, cliff, block_bytes, drive), cliff)
    level = _fast_rate(random)
    if level is None or len(random) < WINDOWS_BEFORE + WINDOWS_AFTER:
        return CliffJudgement(CliffDoubt.TOO_LITTLE)
    if (
        drive.rotational is not False
        and drive.bus != "loop"
        and _seconds_a_write(_cliff_rate(random), block_bytes) > SEEKING_SECONDS
    ):
        return CliffJudgement(CliffDoubt.SLOW_FROM_THE_START)
    if all(window.bytes_per_second < level / FALL for window in random[-LATE_WINDOWS:]):
        return CliffJudgement(CliffDoubt.LATE)
    return CliffJudgement()


def _doubt(windows: Sequence[WriteWindow], cliff: Cliff, block_bytes: int, drive: Drive) -> CliffDoubt | None:
    """Return another explanation for the fall, the most certain first."""
    if drive.bus == "loop":
        return CliffDoubt.NOT_A_DRIVE
    if drive.rotational is False:
        return CliffDoubt.SOLID_STATE
    if drive.removable or drive.bus == "mmc":
        return CliffDoubt.REMOVABLE
    before, after = sequential_rates(windows)
    if before is None or after is None:
        return CliffDoubt.NO_COMPARISON
    if after < SEQUENTIAL_KEPT * before:
        return CliffDoubt.SEQUENTIAL_TOO
    if _seconds_a_write(cliff.bytes_per_second_after, block_bytes) < SEEKING_SECONDS:
        return CliffDoubt.AS_FAST_AS_SEEKING
    return None


def _bytes(windows: Sequence[WriteWindow]) -> int:
    return sum(window.written_bytes for window in windows)


def _seconds(windows: Sequence[WriteWindow]) -> float:
    return sum(window.seconds for window in windows)


def _cliff_rate(windows: Sequence[WriteWindow]) -> float:
    return _bytes(windows) / max(_seconds(windows), 1e-9)


def _seconds_a_write(bytes_per_second: float, block_bytes: int) -> float:
    return block_bytes / max(bytes_per_second, 1e-9)


DOUBTS = {
    CliffDoubt.NO_COMPARISON: t(
        "Sequential writing was not measured afterwards, so other activity on the drive may be the cause."
    ),
    CliffDoubt.SEQUENTIAL_TOO: t(
        "But sequential writing slowed down too. Other activity, heat or a cache "
        "above the drive can explain this."
    ),
    CliffDoubt.AS_FAST_AS_SEEKING: t(
        "But writing is still as fast as on any seeking hard disk. A full write "
        "cache in a controller or enclosure can also explain this."
    ),
    CliffDoubt.SOLID_STATE: t(
        "The solid-state drive's own fast cache filled up. This is unrelated to shingled recording."
    ),
    CliffDoubt.REMOVABLE: t(
        "But the drive is removable. Memory sticks and cards normally write at random like this."
    ),
    CliffDoubt.NOT_A_DRIVE: LOOP,
    CliffDoubt.TOO_LITTLE: t("Too few writes for a result. Allow more time and more bytes."),
    CliffDoubt.LATE: t(
        "Random writing slowed down only at the very end, too late to find the "
        "cause. Allow more time and more bytes."
    ),
    CliffDoubt.SLOW_FROM_THE_START: t(
        "Every random write took longer than {most} ms, from the first on. A "
        "shingled drive with a full cache behaves like this. So does a busy or "
        "failing drive, or any memory stick. Leave the drive idle for an hour, then "
        "try again.",
        most=round(SEEKING_SECONDS * 1000),
    ),
}


def sentence_for(
    path: str, judgement: CliffJudgement, before: float | None, after: float | None, random_bytes: int
) -> str:
    """Describe the verdict, claiming no more than was measured."""
    doubt, cliff = judgement.doubt, judgement.cliff
    fall = cliff and t(
        "after {written:size} of random writes ({duration} of writing) the rate fell "
        "from {before} to {after}, to 1/{factor}",
        written=cliff.after_bytes,
        duration=format_duration(cliff.after_seconds),
        before=rate_in_words(cliff.bytes_per_second_before),
        after=rate_in_words(cliff.bytes_per_second_after),
        factor=f"{cliff.factor:.0f}",
    )
    if doubt is not None and fall:
        said = join(t("{drive}: inconclusive; {fall}.", drive=path, fall=fall), DOUBTS[doubt])
    elif doubt is not None:
        said = join(t("{drive}: inconclusive.", drive=path), DOUBTS[doubt])
    elif fall:
        said = t(
            "{drive}: write cliff found; {fall}. But sequential writing stayed at "
            "{after} ({before} before). Drive-managed shingled drives write this way "
            "when the cache is full. This drive is likely shingled.",
            drive=path,
            fall=fall,
            after=rate_in_words(after),
            before=rate_in_words(before),
        )
    else:
        said = t(
            "{drive}: no write cliff within {written:size} of random writes. The drive "
            "may still be shingled with a larger cache.",
            drive=path,
            written=random_bytes,
        )
    return str(said)


def caveats_for(
    drive: Drive, outcome: CliffOutcome, *, saw_data: bool, all_used: bool, ended: bool
) -> tuple[str, ...]:
    """Return the caveats."""
    found = outcome is CliffOutcome.FOUND
    caveats = (
        (
            found,
            t(
                "The cache empties while the drive is idle. Until then, perhaps an hour, the "
                "drive is slow. The drive is not faulty."
            ),
        ),
        (not found and not saw_data, t("All blocks read were zeros, perhaps never written or discarded.")),
        (
            not found,
            t(
                "In discarded or unwritten free space, a shingled drive may bypass the cache "
                "and show no cliff. Previously used space gives a better test."
            ),
        ),
        (
            outcome is CliffOutcome.NONE_WITHIN and all_used,
            t("The test wrote all free space. A drive with more free space allows a longer test."),
        ),
        (
            found and drive.bus == "usb",
            t(
                "USB devices are often reported as hard disks when they are not. This result "
                "does not apply to memory sticks."
            ),
        ),
        (
            drive.rotational is False and drive.bus != "loop",
            t("Only rotating drives can be shingled, and this drive reports no rotation."),
        ),
        (drive.bus == "loop", LOOP),
        (ended, ENDED),
    )
    return tuple(str(caveat) for applies, caveat in caveats if applies)


def rate_in_words(bytes_per_second: float | None) -> str:
    """Format a rate, such as `6.4 MB/s`."""
    if bytes_per_second is None:
        return str(t("unknown rate"))
    return f"{format_capacity(round(bytes_per_second))}/s"
