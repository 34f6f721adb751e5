"""Write probe for shingled recording: random write-backs until throughput collapses or a limit.

Sequential writing is measured before and after. All data written was read at the same place just before.
"""

from collections.abc import Iterable, Iterator, Sequence
from random import Random

from msgspec import Struct

from wizard.benchmark import access, smr_cliff
from wizard.benchmark.measure import align, nth
from wizard.benchmark.scratch import refused, scratch_extents
from wizard.model.errors import Failed
from wizard.model.machine import Drive, Extent
from wizard.model.said import KIB, MIB, t
from wizard.model.verdict import CliffVerdict, WritePhase, WriteWindow
from wizard.probe.machine import probe_drive

PIECE_BYTES = 64 * KIB
"""Size of a random write: smaller than a band, but large enough to fill a cache of tens of GB in time."""

STRETCH_BYTES = MIB
"""Size of a read. Reading single pieces would take several times as long as writing them. Longer stretches
would put many pieces in one band, which the drive then rewrites only once."""

STRETCHES_HELD = 64
PIECES_A_PASS = STRETCH_BYTES // PIECE_BYTES // 2
"""Every second piece of a stretch, so that no cache can merge them into one long write."""

STRETCHES_ORDERED_SHARE = 4
"""At most one part in this many of the largest free extent is written sequentially."""

FEWEST_STRETCHES = STRETCHES_HELD


class Batch(Struct, frozen=True):
    """Stretches to hold, and pieces to write: (start of stretch, offset inside)."""

    starts_bytes: tuple[int, ...]
    pieces: tuple[tuple[int, int], ...]


class WriteRanges(Struct, frozen=True):
    """Starts of whole stretches, for sequential and random writing."""

    ordered: range
    random: tuple[range, ...]

    @property
    def random_bytes(self) -> int:
        """Most bytes to write without writing any twice."""
        return sum(map(len, self.random)) * STRETCH_BYTES


def lay_ground(extents: Sequence[Extent], offset_bytes: int, ordered_bytes: int) -> WriteRanges | None:
    """Split free space. Returns None if it is too small."""
    whole = [_stretches(extent, offset_bytes) for extent in extents]
    largest = max(whole, key=len, default=range(0))
    count = min(max(1, ordered_bytes // STRETCH_BYTES), len(largest) // STRETCHES_ORDERED_SHARE)
    rest = tuple(stretches[count:] if stretches is largest else stretches for stretches in whole)
    if not count or sum(map(len, rest)) < FEWEST_STRETCHES:
        return None
    return WriteRanges(largest[:count], rest)


def draw_batches(ground: WriteRanges, most_bytes: int, random: Random) -> Iterator[Batch]:
    """Yield each random piece once, at least `most_bytes` if available: all even pieces, then all odd
    ones."""
    total = sum(map(len, ground.random))
    wanted = -(-most_bytes // (PIECES_A_PASS * PIECE_BYTES))
    for parity in (0, 1):
        drawn = random.sample(range(total), min(total, wanted))
        wanted -= len(drawn)
        for first in range(0, len(drawn), STRETCHES_HELD):
            starts = tuple(nth(ground.random, index) for index in drawn[first : first + STRETCHES_HELD])
            pieces = [
                (start, (2 * piece + parity) * PIECE_BYTES)
                for start in starts
                for piece in range(PIECES_A_PASS)
            ]
            random.shuffle(pieces)
            yield Batch(starts, tuple(pieces))


def _stretches(extent: Extent, offset_bytes: int) -> range:
    first = align(extent.start_bytes, MIB, offset_bytes)
    count = max(0, (extent.end_bytes - first) // STRETCH_BYTES)
    return range(first, first + count * STRETCH_BYTES, STRETCH_BYTES)


def _in_order(starts: Sequence[int]) -> Iterator[Batch]:
    for first in range(0, len(starts), STRETCHES_HELD):
        held = tuple(starts[first : first + STRETCHES_HELD])
        yield Batch(held, tuple((start, 0) for start in held))


ORDERED_SHARE = 16
MOST_ORDERED_BYTES = 512 * MIB
ORDERED_SECONDS = 10.0
"""Longest time for each sequential phase, which is also at most a tenth of the total."""

WINDOWS_WANTED = 600
SHORTEST_WINDOW, LONGEST_WINDOW = 0.25, 4.0
"""Seconds of writing in a window: enough to average single writes, short enough to locate the cliff."""

WINDOWS_OF_BYTES = 64
"""A window also ends after this fraction of all bytes, so that a fast drive has a series too."""

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
    caller has confirmed the drive. Raises Refused if writing is unsafe or free space too small, Failed if the
    drive does not answer."""
    scratch_extents(drive)
    if drive.geometry is None:
        raise Failed(t("{drive}: cannot read the block sizes. Measuring is impossible.", drive=drive))
    clock = access.Clock(seconds, stop)
    with access.claimed(drive, probe_drive, STRETCH_BYTES, synchronous=False) as pieces:
        ordered_bytes = min(MOST_ORDERED_BYTES, most_bytes // ORDERED_SHARE)
        ranges = lay_ground(pieces.extents, max(drive.geometry.alignment_offset_bytes, 0), ordered_bytes)
        if ranges is None:
            raise refused(
                t(
                    "The test needs at least {least:exact} of contiguous free space on {drive}.",
                    drive=drive,
                    least=(FEWEST_STRETCHES + 8) * STRETCH_BYTES,
                )
            )
        run = WriteProbe(pieces, ranges, clock, seconds, most_bytes, on_progress)
        run.write_all(Random())
    return _verdict(drive, run, clock)


class WriteProbe:
    """Writes the three phases and records the windows."""

    def __init__(
        self,
        pieces: access.TimedDrive,
        ground: WriteRanges,
        clock: access.Clock,
        seconds: float,
        most_bytes: int,
        on_progress: access.OnProgress,
    ) -> None:
        self.pieces, self.ground = pieces, ground
        self.windows: list[WriteWindow] = []
        self.written_bytes = 0
        self._clock, self._most_bytes, self._on_progress = clock, most_bytes, on_progress
        self._window_seconds = min(max(seconds / WINDOWS_WANTED, SHORTEST_WINDOW), LONGEST_WINDOW)
        self._window_bytes = most_bytes // WINDOWS_OF_BYTES
        self._ordered_seconds = min(ORDERED_SECONDS, seconds / 10)
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
        self, phase: WritePhase, batches: Iterable[Batch], seconds: float, most_bytes: int | None = None
    ) -> None:
        self._phase = phase
        until = self._clock.elapsed + seconds
        size = PIECE_BYTES if phase is WritePhase.RANDOM else STRETCH_BYTES
        for batch in batches:
            if self._clock.is_over() or self._clock.elapsed > until:
                break
            self.pieces.hold(batch.starts_bytes)
            for start, offset in batch.pieces:
                full = most_bytes is not None and self.written_bytes + size > most_bytes
                late = phase is WritePhase.RANDOM and self._clock.elapsed > until
                if full or late or self._clock.is_over():
                    break
                self._write(start, offset, size)
                if self._has_fallen():
                    break
            else:
                # The drive can catch up during the next reads, which no window counts.
                self._close_window(at_least_seconds=self._window_seconds / 2)
                continue
            break
        self._close_window(at_least_seconds=0.0)

    def _write(self, start: int, offset: int, size: int) -> None:
        self._open_ns += self.pieces.write(start, offset, size)
        self._open_bytes += size
        self.written_bytes += size
        if self._open_ns * NANO >= self._window_seconds or self._open_bytes >= self._window_bytes:
            self._close_window(at_least_seconds=0.0)
        if self._clock.is_progress_due():
            self._report()

    def _close_window(self, *, at_least_seconds: float) -> None:
        """The flush counts as part of the writes. Shorter windows stay open."""
        if not self._open_bytes:
            return
        self._open_ns += self.pieces.flush()
        if self._open_ns * NANO >= at_least_seconds:
            self.windows.append(WriteWindow(self._phase, self._open_bytes, self._open_ns * NANO))
            self._open_bytes = self._open_ns = 0

    def _has_fallen(self) -> bool:
        """Only evaluate if the last window was slow."""
        random = [window for window in self.windows if window.phase is WritePhase.RANDOM]
        if self._open_bytes or self._phase is not WritePhase.RANDOM or not random:
            return False
        highest = max(window.bytes_per_second for window in random)
        is_slow = random[-1].bytes_per_second * smr_cliff.FALL <= highest
        return is_slow and smr_cliff.find_cliff(random) is not None

    def _report(self) -> None:
        said = t(
            "Wrote {written:size} of at most {most:size} ({phase}, {rate}).",
            written=self.written_bytes,
            most=self._most_bytes,
            phase=PHASES[self._phase],
            rate=smr_cliff.rate_in_words(self.windows[-1].bytes_per_second if self.windows else None),
        )
        self._on_progress(self._clock.progress(said))


def _verdict(drive: Drive, run: WriteProbe, clock: access.Clock) -> CliffVerdict:
    windows = tuple(run.windows)
    random_bytes = sum(window.written_bytes for window in windows if window.phase is WritePhase.RANDOM)
    before, after = smr_cliff.sequential_rates(windows)
    judgement = smr_cliff.judge_cliff(windows, PIECE_BYTES, drive)
    return CliffVerdict(
        drive=drive.path,
        outcome=judgement.outcome,
        doubt=judgement.doubt,
        cliff=judgement.cliff,
        sequential_before=before,
        sequential_after=after,
        sentence=smr_cliff.sentence_for(drive.path, judgement, before, after, random_bytes),
        caveats=smr_cliff.caveats_for(
            drive,
            judgement.outcome,
            saw_data=run.pieces.saw_data,
            all_used=random_bytes >= run.ground.random_bytes,
            ended=clock.ended_by_person,
        ),
        block_bytes=PIECE_BYTES,
        random_bytes=random_bytes,
        seconds=round(clock.elapsed, 3),
        windows=windows,
    )
