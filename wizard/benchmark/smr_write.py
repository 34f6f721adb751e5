"""Write probe for shingled recording: random write-backs until throughput collapses or a limit.

Sequential writing is measured before and after. All data written was read at the same place just before.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Protocol

from wizard.benchmark.access import HeldPieces
from wizard.benchmark.measure import Clock
from wizard.benchmark.scratch import claimed, scratch_extents
from wizard.benchmark.smr_cliff import (
    FALL,
    DriveKind,
    caveats_for,
    find_cliff,
    judge_cliff,
    sentence_for,
    sequential_rate,
)
from wizard.model.errors import Failed, Refused
from wizard.model.machine import Drive, Extent
from wizard.model.said import KIB, MIB, t
from wizard.model.verdict import CliffVerdict, WritePhase, WriteWindow
from wizard.probe.machine import probe_drive

PIECE_BYTES = 64 * KIB
"""Of a random write: small against a band, and large enough to fill a cache of tens of GB before patience
ends."""

STRETCH_BYTES = MIB
"""Read at once, since reading each piece by itself would take several times as long as writing it. Longer
ones would put many pieces into one band, whose rewriting then serves them all."""

STRETCHES_HELD = 64
PIECES_A_PASS = STRETCH_BYTES // PIECE_BYTES // 2
"""Every second piece of a stretch, so that no cache can put them together to one long write."""

STRETCHES_ORDERED_SHARE = 4
"""At most this part of the largest free extent is written in order."""

FEWEST_STRETCHES = STRETCHES_HELD


@dataclass(frozen=True, slots=True)
class Batch:
    """The stretches to hold, and the pieces of them to write: (start of the stretch, offset in it), in random
    order."""

    starts_bytes: tuple[int, ...]
    pieces: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class WriteRanges:
    """The starts of whole stretches in free space: those written in order, one after the other, and as ranges
    those written at random."""

    ordered: range
    random: tuple[range, ...]

    @property
    def random_bytes(self) -> int:
        """All that can be written at random without writing any byte twice."""
        return sum(map(len, self.random)) * STRETCH_BYTES


def lay_ground(extents: Sequence[Extent], offset_bytes: int, ordered_bytes: int) -> WriteRanges | None:
    """Part free space, for at most `ordered_bytes` in order; None where it is too small. `offset_bytes` is
    where aligned blocks begin."""
    whole = [_stretches(extent, offset_bytes) for extent in extents]
    largest = max(whole, key=len, default=range(0))
    count = min(max(1, ordered_bytes // STRETCH_BYTES), len(largest) // STRETCHES_ORDERED_SHARE)
    rest = tuple(stretches[count:] if stretches is largest else stretches for stretches in whole)
    if not count or sum(map(len, rest)) < FEWEST_STRETCHES:
        return None
    return WriteRanges(largest[:count], rest)


def draw_batches(ground: WriteRanges, most_bytes: int, random: Random) -> Iterator[Batch]:
    """Random pieces all over the ground, at least `most_bytes` if it has them, every one once: first all even
    ones, then all odd ones."""
    total = sum(map(len, ground.random))
    wanted = -(-most_bytes // (PIECES_A_PASS * PIECE_BYTES))
    for parity in (0, 1):
        drawn = random.sample(range(total), min(total, wanted))
        wanted -= len(drawn)
        for first in range(0, len(drawn), STRETCHES_HELD):
            starts = tuple(_start(ground.random, index) for index in drawn[first : first + STRETCHES_HELD])
            pieces = [
                (start, (2 * piece + parity) * PIECE_BYTES)
                for start in starts
                for piece in range(PIECES_A_PASS)
            ]
            random.shuffle(pieces)
            yield Batch(starts, tuple(pieces))


def _stretches(extent: Extent, offset_bytes: int) -> range:
    """Aligned to whole MiB behind the drive's alignment offset, as partitions are."""
    first = offset_bytes + max(0, -(-(extent.start_bytes - offset_bytes) // MIB)) * MIB
    count = max(0, (extent.end_bytes - first) // STRETCH_BYTES)
    return range(first, first + count * STRETCH_BYTES, STRETCH_BYTES)


def _start(ranges: Sequence[range], index: int) -> int:
    for one in ranges:
        if index < len(one):
            return one[index]
        index -= len(one)
    raise IndexError(index)


ORDERED_PIECE_BYTES = MIB
ORDERED_SHARE = 16
MOST_ORDERED_BYTES = 512 * MIB
ORDERED_SECONDS = 10.0
"""Of writing in order, before and after, at most, and no more than a tenth of the time."""

WINDOWS_WANTED = 600
SHORTEST_WINDOW, LONGEST_WINDOW = 0.25, 4.0
"""Seconds of writing that make a window: long enough to even out single writes, short enough to see where the
fall is."""

WINDOWS_OF_BYTES = 64
"""A window ends as well when it has this part of all bytes: a fast drive that reaches that limit shows a
series, too."""

NANO = 1e-9


@dataclass(frozen=True, slots=True)
class WriteProbeProgress:
    """Where a running probe stands. `bytes_per_second` is that of the last window, None before there is
    one."""

    phase: WritePhase
    written_bytes: int
    most_bytes: int
    seconds_left: float
    bytes_per_second: float | None


class ReadPieces(Protocol):
    """What is read, and written back in parts (`HeldPieces`)."""

    saw_data: bool

    def hold(self, starts_bytes: Sequence[int]) -> None:
        """Read the stretches that begin there."""
        ...

    def write(self, start_bytes: int, offset_bytes: int, size_bytes: int) -> int:
        """Write back a part of one; nanoseconds."""
        ...

    def flush(self) -> int:
        """Empty the drive's write cache; nanoseconds."""
        ...


def run_shingled_trial(
    drive: Drive,
    *,
    seconds: float,
    most_bytes: int,
    on_progress: Callable[[WriteProbeProgress], None],
    stop: Callable[[], bool],
    probe: Callable[[str], Drive] = probe_drive,
    random: Random | None = None,
) -> CliffVerdict:
    """Write until a cliff shows, `most_bytes` are written, `seconds` are over but for a write under way, or
    `stop` says so.

    The face has had the drive's token typed (`confirm_scratch`). Raises Refused where writing is not safe or
    there is too little free space, Failed where the drive does not answer.
    """
    scratch_extents(drive)
    if drive.geometry is None:
        raise Failed(
            str(t("{drive}: cannot read the block sizes. Measuring is impossible.", drive=drive.path))
        )
    clock = Clock(seconds, stop)
    with claimed(drive, probe, synchronous=False) as claim:
        ordered_bytes = min(MOST_ORDERED_BYTES, most_bytes // ORDERED_SHARE)
        ground = lay_ground(claim.extents, max(drive.geometry.alignment_offset_bytes, 0), ordered_bytes)
        if ground is None:
            least = (FEWEST_STRETCHES + 8) * STRETCH_BYTES
            raise Refused(
                str(
                    t(
                        "The test needs at least {least:exact} of contiguous free space on {drive}. "
                        "Nothing was written.",
                        drive=drive.path,
                        least=least,
                    )
                )
            )
        pieces = HeldPieces(drive.path, claim.descriptor, claim.extents, claim.watch, STRETCH_BYTES)
        run = WriteProbe(pieces, ground, clock, seconds, most_bytes, on_progress)
        run.write_all(random or Random())
    return _verdict(drive, run, clock)


class WriteProbe:
    """The three phases, and the windows they give."""

    def __init__(
        self,
        pieces: ReadPieces,
        ground: WriteRanges,
        clock: Clock,
        seconds: float,
        most_bytes: int,
        on_progress: Callable[[WriteProbeProgress], None],
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
        """All phases; a piece is the smallest step between looks at the clock."""
        self._say()
        self._write_in_order(WritePhase.SEQUENTIAL_BEFORE)
        self._write_at_random(random)
        self._write_in_order(WritePhase.SEQUENTIAL_AFTER)

    def _write_in_order(self, phase: WritePhase) -> None:
        self._phase = phase
        until = self._clock.elapsed + self._ordered_seconds
        starts = list(self.ground.ordered)
        if phase is WritePhase.SEQUENTIAL_AFTER:
            # No more than before, for which room was kept.
            starts = starts[
                : sum(
                    window.written_bytes for window in self.windows if window.phase is not WritePhase.RANDOM
                )
                // STRETCH_BYTES
            ]
        for first in range(0, len(starts), STRETCHES_HELD):
            if self._clock.is_over() or self._clock.elapsed > until:
                break
            held = starts[first : first + STRETCHES_HELD]
            self.pieces.hold(held)
            for start in held:
                for offset in range(0, STRETCH_BYTES, ORDERED_PIECE_BYTES):
                    if not self._write(start, offset, ORDERED_PIECE_BYTES):
                        break
        self._close_window(at_least_seconds=0.0)

    def _write_at_random(self, random: Random) -> None:
        self._phase = WritePhase.RANDOM
        # What is left for the sequential writing afterwards, in bytes and in time.
        most = self._most_bytes - 2 * self.written_bytes
        until = self._clock.elapsed + self._clock.left - 2 * self._clock.elapsed
        begun = self.written_bytes
        for batch in draw_batches(self.ground, most, random):
            if self._clock.is_over() or self._clock.elapsed > until:
                break
            self.pieces.hold(batch.starts_bytes)
            for start, offset in batch.pieces:
                done = self.written_bytes - begun + PIECE_BYTES > most or self._clock.elapsed > until
                if done or not self._write(start, offset, PIECE_BYTES) or self._has_fallen():
                    self._close_window(at_least_seconds=0.0)
                    return
            # Reading the next stretches gives the drive time that no window counts.
            self._close_window(at_least_seconds=self._window_seconds / 2)
        self._close_window(at_least_seconds=0.0)

    def _write(self, start: int, offset: int, size: int) -> bool:
        """Write one piece; false where the time is over."""
        if self._clock.is_over():
            return False
        self._open_ns += self.pieces.write(start, offset, size)
        self._open_bytes += size
        self.written_bytes += size
        if self._open_ns * NANO >= self._window_seconds or self._open_bytes >= self._window_bytes:
            self._close_window(at_least_seconds=0.0)
        if self._clock.wants_word():
            self._say()
        return True

    def _close_window(self, *, at_least_seconds: float) -> None:
        """Flush, which belongs to the price of what was written, and end the window unless it is shorter than
        that."""
        if not self._open_bytes:
            return
        self._open_ns += self.pieces.flush()
        if self._open_ns * NANO >= at_least_seconds:
            self.windows.append(WriteWindow(self._phase, self._open_bytes, self._open_ns * NANO))
            self._open_bytes = self._open_ns = 0

    def _has_fallen(self) -> bool:
        """Whether the series shows a lasting fall; looked at only where the last window was slow."""
        if self._open_bytes or len(self.windows) < 2 or self.windows[-1].phase is not WritePhase.RANDOM:
            return False
        random = [window for window in self.windows if window.phase is WritePhase.RANDOM]
        if random[-1].bytes_per_second * FALL > max(window.bytes_per_second for window in random):
            return False
        return find_cliff(random) is not None

    def _say(self) -> None:
        rate = self.windows[-1].bytes_per_second if self.windows else None
        self._on_progress(
            WriteProbeProgress(self._phase, self.written_bytes, self._most_bytes, self._clock.left, rate)
        )


def _verdict(drive: Drive, run: WriteProbe, clock: Clock) -> CliffVerdict:
    windows = tuple(run.windows)
    random_bytes = sum(window.written_bytes for window in windows if window.phase is WritePhase.RANDOM)
    before, after = (
        sequential_rate(windows, phase)
        for phase in (WritePhase.SEQUENTIAL_BEFORE, WritePhase.SEQUENTIAL_AFTER)
    )
    judgement = judge_cliff(windows, PIECE_BYTES, DriveKind(drive.rotational, drive.removable, drive.bus))
    return CliffVerdict(
        drive=drive.path,
        outcome=judgement.outcome,
        doubt=judgement.doubt,
        cliff=judgement.cliff,
        sequential_before=before,
        sequential_after=after,
        sentence=sentence_for(drive.path, judgement, before, after, random_bytes),
        caveats=caveats_for(
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
