"""Write test for shingled recording: random write-backs until throughput collapses or a limit.

Sequential writing is measured before and after. All data written was read at the same place just before.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from math import inf
from random import Random
from statistics import median

from msgspec import Struct
from msgspec.structs import replace

from wizard.benchmark import access
from wizard.benchmark.measure import nth, pieces_in
from wizard.benchmark.scratch import refused, scratch_extents
from wizard.model.machine import Drive, Extent
from wizard.model.said import KIB, MIB, format_capacity, format_duration, join, t
from wizard.model.verdict import Cliff, CliffDoubt, CliffOutcome, CliffVerdict, WritePhase, WriteWindow

FALL = 5.0
"""Shingled drives slow down at least 20 times, inner tracks of hard disks 2 times."""

WINDOWS_BEFORE = 4
WINDOWS_AFTER = 8
MOSTLY = 0.8
"""Windows that must be fast before and slow after. A drive that rewrites bands is sometimes fast."""

LASTING_SHARE = 0.25
LONGEST_LASTING_SECONDS = 60.0
"""Of the time before the cliff, at most this many seconds."""

LATE_WINDOWS = 2

SEEKING_SECONDS = 0.04
"""More than a full seek (25 ms) and a turn (11 ms at 5400 rpm)."""

SEQUENTIAL_KEPT = 0.5
"""At this share of its rate, sequential writing has not slowed down."""


def find_cliff(windows: Sequence[WriteWindow]) -> Cliff | None:
    """Return the lasting fall of random writing so far."""
    level = _fast_rate(windows)
    if level is None:
        return None
    fallen = [window.bytes_per_second < level / FALL for window in windows]
    # Split where fast windows are best separated from slow ones.
    wrong = list(accumulate((1 if slow else -1 for slow in fallen), initial=0))
    first = wrong.index(min(wrong))
    last = len(windows) - first
    if first < WINDOWS_BEFORE or last < WINDOWS_AFTER:
        return None
    if sum(fallen[first:]) < MOSTLY * last or sum(fallen[:first]) > (1 - MOSTLY) * first:
        return None
    before, after = total(windows[:first]), total(windows[first:])
    if after.seconds < min(LONGEST_LASTING_SECONDS, LASTING_SHARE * before.seconds):
        return None
    # Before the cliff, use the typical window, since stalls have other causes. After it, use the total time,
    # since a few windows may be fast.
    typical = median(window.bytes_per_second for window in windows[:first])
    cliff = Cliff(before.written_bytes, before.seconds, typical, after.bytes_per_second)
    return cliff if cliff.factor >= FALL else None


def total(windows: Sequence[WriteWindow], phase: WritePhase = WritePhase.RANDOM) -> WriteWindow:
    """Return the windows of a phase as one."""
    mine = windows_of(windows, phase)
    written = sum(window.written_bytes for window in mine)
    return WriteWindow(phase, written, sum(window.seconds for window in mine))


def _fast_rate(windows: Sequence[WriteWindow]) -> float | None:
    rates = [window.bytes_per_second for window in windows]
    return max(
        (min(rates[index : index + WINDOWS_BEFORE]) for index in range(len(rates) - WINDOWS_BEFORE + 1)),
        default=None,
    )


def windows_of(windows: Sequence[WriteWindow], phase: WritePhase = WritePhase.RANDOM) -> list[WriteWindow]:
    """Return the windows of a phase."""
    return [window for window in windows if window.phase is phase]


def _sequential_rates(windows: Sequence[WriteWindow]) -> tuple[float | None, float | None]:
    """Return the typical sequential rates, if measured."""
    before, after = (
        [window.bytes_per_second for window in windows_of(windows, phase)]
        for phase in (WritePhase.SEQUENTIAL_BEFORE, WritePhase.SEQUENTIAL_AFTER)
    )
    return median(before) if before else None, median(after) if after else None


def judge_cliff(windows: Sequence[WriteWindow], drive: Drive) -> tuple[CliffDoubt | None, Cliff | None]:
    """Return a cliff in the windows of all phases, and the doubt that limits the result."""
    random = windows_of(windows)
    if cliff := find_cliff(random):
        return _doubt(windows, cliff, drive), cliff
    level = _fast_rate(random)
    if level is None or len(random) < WINDOWS_BEFORE + WINDOWS_AFTER:
        return CliffDoubt.TOO_LITTLE, None
    if (
        drive.rotational is not False
        and drive.bus != "loop"
        and total(random).bytes_per_second < PIECE_BYTES / SEEKING_SECONDS
    ):
        return CliffDoubt.SLOW_FROM_THE_START, None
    if all(window.bytes_per_second < level / FALL for window in random[-LATE_WINDOWS:]):
        return CliffDoubt.LATE, None
    return None, None


def _doubt(windows: Sequence[WriteWindow], cliff: Cliff, drive: Drive) -> CliffDoubt | None:
    """The most certain first."""
    if drive.bus == "loop":
        return CliffDoubt.NOT_A_DRIVE
    if drive.rotational is False:
        return CliffDoubt.SOLID_STATE
    if drive.removable or drive.bus == "mmc":
        return CliffDoubt.REMOVABLE
    before, after = _sequential_rates(windows)
    if before is None or after is None:
        return CliffDoubt.NO_COMPARISON
    if after < SEQUENTIAL_KEPT * before:
        return CliffDoubt.SEQUENTIAL_TOO
    if cliff.bytes_per_second_after > PIECE_BYTES / SEEKING_SECONDS:
        return CliffDoubt.AS_FAST_AS_SEEKING
    return None


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
    CliffDoubt.NOT_A_DRIVE: access.LOOP,
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


def sentence_for(verdict: CliffVerdict) -> str:
    """Describe what was measured."""
    path, doubt, cliff = verdict.drive, verdict.doubt, verdict.cliff
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
        said = join(access.INCONCLUSIVE(drive=path, why=fall), DOUBTS[doubt])
    elif doubt is not None:
        said = join(t("{drive}: inconclusive.", drive=path), DOUBTS[doubt])
    elif fall:
        said = t(
            "{drive}: write cliff found; {fall}. But sequential writing stayed at "
            "{after} ({before} before). Drive-managed shingled drives write this way "
            "when the cache is full. This drive is likely shingled.",
            drive=path,
            fall=fall,
            after=rate_in_words(verdict.sequential_after),
            before=rate_in_words(verdict.sequential_before),
        )
    else:
        said = t(
            "{drive}: no write cliff within {written:size} of random writes. The drive "
            "may still be shingled with a larger cache.",
            drive=path,
            written=verdict.random_bytes,
        )
    return str(said)


def caveats_for(
    drive: Drive, outcome: CliffOutcome, *, saw_data: bool, all_used: bool, ended: bool
) -> tuple[str, ...]:
    """Return the caveats."""
    found = outcome is CliffOutcome.FOUND
    return access.those_that_apply(
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
        (drive.bus == "loop", access.LOOP),
        (ended, access.ENDED),
    )


def rate_in_words(bytes_per_second: float | None) -> str:
    """Format a rate, such as `6.4 MB/s`."""
    if bytes_per_second is None:
        return str(t("unknown rate"))
    return f"{format_capacity(round(bytes_per_second))}/s"


PIECE_BYTES = 64 * KIB
"""Smaller than a band, but large enough to fill a cache of tens of GB in time."""

STRETCH_BYTES = MIB
"""Size of a read. Single pieces would take several times as long to read as to write. Longer stretches would
put many pieces in one band, which the drive then rewrites only once."""

STRETCHES_HELD = 64
PIECES_A_PASS = STRETCH_BYTES // PIECE_BYTES // 2
"""Every second piece, so that no cache can merge them into one long write."""

STRETCHES_ORDERED_SHARE = 4
"""Of the largest free extent, at most one part in this many is written sequentially."""


Batch = Sequence[tuple[int, int]]
"""Pieces to write: start of a stretch, and offset inside. All stretches are held."""


class WriteRanges(Struct, frozen=True):
    """Starts of whole stretches."""

    ordered: range
    random: tuple[range, ...]

    @property
    def random_bytes(self) -> int:
        """As far as none is written twice."""
        return sum(map(len, self.random)) * STRETCH_BYTES


def lay_ground(extents: Sequence[Extent], offset_bytes: int, ordered_bytes: int) -> WriteRanges | None:
    """Split free space, or return None if too small."""
    whole = pieces_in(extents, STRETCH_BYTES, MIB, offset_bytes)
    largest = max(whole, key=len, default=range(0))
    count = min(max(1, ordered_bytes // STRETCH_BYTES), len(largest) // STRETCHES_ORDERED_SHARE)
    rest = tuple(stretches[count:] if stretches is largest else stretches for stretches in whole)
    if not count or sum(map(len, rest)) < STRETCHES_HELD:
        return None
    return WriteRanges(largest[:count], rest)


def draw_batches(ground: WriteRanges, most_bytes: int, random: Random) -> Iterator[Batch]:
    """Yield each random piece once, at least `most_bytes` if available: all even ones, then all odd ones."""
    total = sum(map(len, ground.random))
    wanted = -(-most_bytes // (PIECES_A_PASS * PIECE_BYTES))
    for parity in (0, 1):
        drawn = random.sample(range(total), min(total, wanted))
        wanted -= len(drawn)
        for first in range(0, len(drawn), STRETCHES_HELD):
            pieces = [
                (nth(ground.random, index), (2 * piece + parity) * PIECE_BYTES)
                for index in drawn[first : first + STRETCHES_HELD]
                for piece in range(PIECES_A_PASS)
            ]
            random.shuffle(pieces)
            yield pieces


def _in_order(starts: Sequence[int]) -> Iterator[Batch]:
    for first in range(0, len(starts), STRETCHES_HELD):
        yield [(start, 0) for start in starts[first : first + STRETCHES_HELD]]


ORDERED_SHARE = 16
MOST_ORDERED_BYTES = 512 * MIB
ORDERED_SECONDS = 10.0
"""Of each sequential phase, and at most a tenth of the total."""

WINDOWS_WANTED = 600
SHORTEST_WINDOW, LONGEST_WINDOW = 0.25, 4.0
"""Enough seconds to average single writes, few enough to locate the cliff."""

WINDOWS_OF_BYTES = 64
"""A window also ends after this fraction, so that a fast drive has a series too."""

NANO = 1e-9


PHASES = {
    WritePhase.SEQUENTIAL_BEFORE: t("sequential, before"),
    WritePhase.RANDOM: t("random"),
    WritePhase.SEQUENTIAL_AFTER: t("sequential, after"),
}


def run_shingled_trial(
    drive: Drive,
    *,
    seconds: float,
    most_bytes: int,
    on_progress: access.OnProgress,
    stop: access.Stopped,
) -> CliffVerdict:
    """Write until a cliff shows, `most_bytes` are written, `seconds` have passed, or `stop` returns True. The
    caller has confirmed the drive. Raises Refused, or Failed if the drive does not answer."""
    scratch_extents(drive)
    assert drive.geometry is not None
    clock = access.Clock(seconds, stop, on_progress)
    with access.claimed(drive, STRETCH_BYTES, synchronous=False) as pieces:
        ordered_bytes = min(MOST_ORDERED_BYTES, most_bytes // ORDERED_SHARE)
        ranges = lay_ground(pieces.extents, drive.geometry.first_block_bytes, ordered_bytes)
        if ranges is None:
            raise refused(
                t(
                    "The test needs at least {least:exact} of contiguous free space on {drive}.",
                    drive=drive,
                    least=(STRETCHES_HELD + 8) * STRETCH_BYTES,
                )
            )
        run = WriteProbe(pieces, ranges, clock, most_bytes)
        run.write_all(Random())
    windows = tuple(run.windows)
    random_bytes = total(windows).written_bytes
    before, after = _sequential_rates(windows)
    doubt, cliff = judge_cliff(windows, drive)
    found = CliffOutcome.FOUND if cliff else CliffOutcome.NONE_WITHIN
    outcome = CliffOutcome.INCONCLUSIVE if doubt else found
    verdict = CliffVerdict(
        drive=drive.path,
        outcome=outcome,
        doubt=doubt,
        cliff=cliff,
        sequential_before=before,
        sequential_after=after,
        sentence="",
        caveats=caveats_for(
            drive,
            outcome,
            saw_data=pieces.saw_data,
            all_used=random_bytes >= ranges.random_bytes,
            ended=clock.ended_by_person,
        ),
        block_bytes=PIECE_BYTES,
        random_bytes=random_bytes,
        seconds=round(clock.elapsed, 3),
        windows=windows,
    )
    return replace(verdict, sentence=sentence_for(verdict))


class WriteProbe:
    """Writes the three phases and records the windows."""

    def __init__(
        self, pieces: access.TimedDrive, ground: WriteRanges, clock: access.Clock, most_bytes: int
    ) -> None:
        self.pieces, self.ground = pieces, ground
        self.windows: list[WriteWindow] = []
        self.written_bytes = 0
        self._clock, self._most_bytes = clock, most_bytes
        self._window_seconds = min(max(clock.seconds / WINDOWS_WANTED, SHORTEST_WINDOW), LONGEST_WINDOW)
        self._window_bytes = most_bytes // WINDOWS_OF_BYTES
        self._ordered_seconds = min(ORDERED_SECONDS, clock.seconds / 10)
        self._phase = WritePhase.SEQUENTIAL_BEFORE
        self._open_bytes = 0
        self._open_ns = 0

    def write_all(self, random: Random) -> None:
        """Run all phases."""
        self._report()
        ordered = list(self.ground.ordered)
        self._write_phase(WritePhase.SEQUENTIAL_BEFORE, _in_order(ordered), self._ordered_seconds)
        # Reserve bytes and time for the sequential phase afterwards, which writes no more than before.
        before, seconds = self.written_bytes, self._clock.left - 2 * self._clock.elapsed
        most = self._most_bytes - 2 * before
        self._write_phase(WritePhase.RANDOM, draw_batches(self.ground, most, random), seconds, before + most)
        again = _in_order(ordered[: before // STRETCH_BYTES])
        self._write_phase(WritePhase.SEQUENTIAL_AFTER, again, self._ordered_seconds)

    def _write_phase(
        self, phase: WritePhase, batches: Iterable[Batch], seconds: float, most_bytes: float = inf
    ) -> None:
        self._phase = phase
        until = self._clock.elapsed + seconds
        is_random = phase is WritePhase.RANDOM
        size = PIECE_BYTES if is_random else STRETCH_BYTES
        for start, offset in self._held(batches, until):
            late = is_random and self._clock.elapsed > until
            if self.written_bytes + size > most_bytes or late or self._clock.is_over():
                break
            self._open_ns += self.pieces.write(start, offset, size)
            self._open_bytes += size
            self.written_bytes += size
            if self._open_ns * NANO >= self._window_seconds or self._open_bytes >= self._window_bytes:
                self._close_window()
            if self._clock.is_progress_due():
                self._report()
            random = windows_of(self.windows)
            if not is_random or self._open_bytes or not random:
                continue
            highest = max(window.bytes_per_second for window in random)
            # Only search if the last window was slow.
            if random[-1].bytes_per_second * FALL <= highest and find_cliff(random):
                break
        self._close_window()

    def _held(self, batches: Iterable[Batch], until: float) -> Iterator[tuple[int, int]]:
        """Read the stretches of each batch, then yield the pieces."""
        for batch in batches:
            if self._clock.is_over() or self._clock.elapsed > until:
                break
            self.pieces.hold([*dict.fromkeys(start for start, _ in batch)])
            yield from batch
            # The drive can catch up during the next reads, which no window counts.
            self._close_window(self._window_seconds / 2)

    def _close_window(self, at_least_seconds: float = 0.0) -> None:
        """The flush counts as part of the writes. Shorter windows stay open."""
        if not self._open_bytes:
            return
        self._open_ns += self.pieces.flush()
        if self._open_ns * NANO >= at_least_seconds:
            self.windows.append(WriteWindow(self._phase, self._open_bytes, self._open_ns * NANO))
            self._open_bytes = self._open_ns = 0

    def _report(self) -> None:
        self._clock.report(
            t(
                "Wrote {written:size} of at most {most:size} ({phase}, {rate}).",
                written=self.written_bytes,
                most=self._most_bytes,
                phase=PHASES[self._phase],
                rate=rate_in_words(self.windows[-1].bytes_per_second if self.windows else None),
            )
        )
