"""Quick SMR probe: read blocks, write them back, read elsewhere, and compare their times with those of
neighbours. The comparison is repeated after idle time."""

from collections.abc import Callable, Iterator, Sequence
from random import Random

from msgspec import Struct
from msgspec.structs import replace

from wizard.benchmark import access, smr_judge
from wizard.benchmark.measure import align
from wizard.benchmark.scratch import Probe, refused, scratch_extents
from wizard.findings.geometry import Pattern, RecordingKind, fitting, load_patterns
from wizard.findings.smr_evidence import is_ata, is_emulated
from wizard.model.errors import printable, why_not
from wizard.model.machine import Drive, Extent
from wizard.model.said import MIB, Message, t
from wizard.model.verdict import Basis, DisplacedVerdict, ProbeComparison, Statistics, Timings
from wizard.probe.machine import probe_drive

SINGLES = 192
"""Pairs spread over free space."""

GROUPS, GROUP_PAIRS = 44, 6
"""Groups, and pairs per group, within `GROUP_BYTES` each."""

WRITES = SINGLES + GROUPS * GROUP_PAIRS
NEAREST_BYTES, FARTHEST_BYTES = 3 * MIB, 6 * MIB
"""Distance inside a single pair: beyond read-ahead, inside the same zone."""

GROUP_BYTES = 2 * GROUP_PAIRS * MIB
GROUP_BLOCKS = 64
"""Blocks of a group start within this many blocks of each MiB."""

LEAST_FREE_BYTES = 1024 * MIB
"""The drive's cache could hold much of a smaller range."""

STREAM_BYTES = 768 * MIB
"""Read elsewhere to clear the drive's cache. No drive has more than 512 MiB."""

STREAM_DRAWS = 32


class BlockPair(Struct, frozen=True):
    """Starts of a written block and an unwritten neighbour."""

    written: int
    unwritten: int


class Pairs(Struct, frozen=True):
    """Single pairs in random order, and groups in write order."""

    block_bytes: int
    singles: tuple[BlockPair, ...]
    groups: tuple[tuple[BlockPair, ...], ...]

    @property
    def all(self) -> Iterator[BlockPair]:
        """All pairs, single ones first."""
        yield from self.singles
        for group in self.groups:
            yield from group


def draw_pairs(extents: Sequence[Extent], block_bytes: int, offset_bytes: int, random: Random) -> Pairs:
    """Draw distinct pairs all over `extents`, which need `LEAST_FREE_BYTES` for groups."""
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

    def drawn(draw: Callable[[], list[int]]) -> list[BlockPair]:
        blocks = draw()
        while len(set(blocks)) < len(blocks) or taken.intersection(blocks):
            blocks = draw()
        taken.update(blocks)
        return [
            BlockPair(one, other) if random.random() < 0.5 else BlockPair(other, one)
            for one, other in zip(blocks[::2], blocks[1::2], strict=True)
        ]

    singles = tuple(pair for _ in range(SINGLES) for pair in drawn(single))
    groups: list[list[BlockPair]] = []
    for _ in range(GROUPS):
        groups.append(drawn(group))
        random.shuffle(groups[-1])
    return Pairs(block_bytes, singles, tuple(map(tuple, groups)))


def stream_start(size_bytes: int, pairs: Pairs, random: Random) -> tuple[int, int]:
    """Return start and length of the long read, with few pairs inside."""
    length = min(STREAM_BYTES, size_bytes // 2) // MIB * MIB
    places = sorted(start for pair in pairs.all for start in (pair.written, pair.unwritten))
    drawn = [random.randrange(max(1, (size_bytes - length) // MIB)) * MIB for _ in range(STREAM_DRAWS)]
    return min(drawn, key=lambda start: sum(start <= place < start + length for place in places)), length


def _wide(extents: Sequence[Extent]) -> list[Extent]:
    return [extent for extent in extents if extent.size_bytes >= 2 * GROUP_BYTES]


def _place(wide: Sequence[Extent], needed_bytes: int, random: Random) -> int:
    """Return a random offset with `needed_bytes` after it."""
    rooms = [extent.size_bytes - needed_bytes for extent in wide]
    drawn = random.randrange(sum(rooms))
    for extent, room in zip(wide, rooms, strict=True):
        if drawn < room:
            return extent.start_bytes + drawn
        drawn -= room
    raise IndexError(drawn)


BATCH = 8
"""Single pairs in a batch, all written or all unwritten. The first read only positions the head."""

IDLE_SECONDS = 10.0
"""Enough for a conventional drive to empty its media cache, at milliseconds per block."""

IDLE_PIECE_SECONDS = 0.25


READING, WRITING, STREAMING, LOOKING, IDLING, LOOKING_AGAIN = range(6)
STEPS = (
    (t("Reading the test blocks."), 0.15),
    (t("Writing the same bytes back."), 0.15),
    (t("Reading elsewhere to flush the drive's cache."), 0.2),
    (t("Comparing."), 0.1),
    (t("Signs found. Leaving the drive idle for ten seconds."), 0.3),
    (t("Comparing again."), 0.1),
)
"""Each step, with the share of the time on a typical drive."""


class OverError(Exception):
    """The time limit was reached or the person stopped the test."""


class SmrProbe:
    """One run. `timings` keeps all times, even after an early end."""

    def __init__(
        self,
        drive: access.TimedDrive,
        clock: access.Clock,
        pairs: Pairs,
        stream: tuple[int, int],
        random: Random,
        on_progress: access.OnProgress = lambda _: None,
    ) -> None:
        self.timings = Timings()
        self.statistics: Statistics | None = None
        self.statistics_after_idle: Statistics | None = None
        self.written_bytes = 0
        self._drive, self._clock, self._pairs = drive, clock, pairs
        self._stream, self._random = stream, random
        self._on_progress = on_progress

    def run(self) -> Basis:
        """Do all steps, those after the first look only if it found something."""
        try:
            return self._judged()
        except OverError:
            return Basis.TOO_SLOW

    def _judged(self) -> Basis:
        reads = self._read_first()
        self.timings = replace(self.timings, first_reads=tuple(reads))
        if early := smr_judge.after_reading(reads):
            return early
        if early := self._write_back(smr_judge.usual_read_ns(reads)):
            return early
        self._report(STREAMING, 0.0)
        if not self._drive.stream(*self._stream, self._clock.is_over):
            raise OverError
        singles = list(self._pairs.singles)
        self._random.shuffle(singles)
        look, whole = self._look(LOOKING, singles[: SINGLES // 2], self._pairs.groups[: GROUPS // 2])
        self.timings = replace(self.timings, look=look)
        if not whole:
            raise OverError
        seen = smr_judge.see(look)
        self.statistics = seen.statistics
        if judged := smr_judge.after_looking(self.timings, seen):
            return judged
        self._idle()
        again, whole = self._look(LOOKING_AGAIN, singles[SINGLES // 2 :], self._pairs.groups[GROUPS // 2 :])
        self.timings = replace(self.timings, look_after_idle=again)
        seen_again = smr_judge.see(again, again=True, memory=seen.statistics.from_memory)
        self.statistics_after_idle = seen_again.statistics
        return smr_judge.after_idling(self.timings, seen, seen_again, whole=whole)

    def _read_first(self) -> list[int]:
        """Return the times of single blocks, which are spread over free space."""
        times = []
        for done, pair in enumerate(self._pairs.all):
            self._check(READING, done / WRITES)
            took = self._drive.keep(pair.written)
            if done < SINGLES:
                times.append(took)
        return times

    def _write_back(self, read_ns: float) -> Basis | None:
        units: list[tuple[BlockPair, ...]] = [(pair,) for pair in self._pairs.singles]
        units += self._pairs.groups
        self._random.shuffle(units)
        times: list[int] = []
        try:
            for pair in (pair for unit in units for pair in unit):
                self._check(WRITING, len(times) / WRITES)
                times.append(self._drive.write(pair.written))
                self.written_bytes += self._pairs.block_bytes
                if early := smr_judge.after_writing(times, read_ns):
                    return early
        finally:
            self.timings = replace(self.timings, writes=tuple(times))
        return None

    def _look(
        self, step: int, singles: Sequence[BlockPair], groups: Sequence[Sequence[BlockPair]]
    ) -> tuple[ProbeComparison, bool]:
        """The flag is False if time ran out."""
        batches = [singles[first : first + BATCH] for first in range(0, len(singles) - BATCH + 1, BATCH)]
        found: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
        pending = [*batches, *groups]
        for batch in pending:
            if self._clock.is_over():
                break
            self._report(step, len(found) / len(pending))
            found.append(self._compare(batch))
        at_random, in_order = found[: len(batches)], found[len(batches) :]
        sides = (tuple(pair[side] for pair in found) for found in (at_random, in_order) for side in (0, 1))
        return ProbeComparison(*sides), len(found) == len(pending)

    def _compare(self, batch: Sequence[BlockPair]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        sides = [[pair.written for pair in batch], [pair.unwritten for pair in batch]]
        written_first = self._random.random() < 0.5
        times = []
        for starts in sides if written_first else reversed(sides):
            self._drive.read(starts[0])
            times.append(tuple(self._drive.read(start) for start in starts[1:]))
        return (times[0], times[1]) if written_first else (times[1], times[0])

    def _idle(self) -> None:
        left = IDLE_SECONDS
        while left > 0:
            self._check(IDLING, 1 - left / IDLE_SECONDS)
            self._clock.idle(min(IDLE_PIECE_SECONDS, left))
            left -= IDLE_PIECE_SECONDS

    def _check(self, step: int, share: float) -> None:
        if self._clock.is_over():
            raise OverError
        self._report(step, share)

    def _report(self, step: int, share: float) -> None:
        said, weight = STEPS[step]
        done = sum(before for _, before in STEPS[:step]) + weight * share
        self._on_progress(access.MeasureProgress(done, self._clock.left, (said,)))


BUSES = ("ata", "sata", "sas", "usb")
LARGEST_BLOCK_BYTES = 64 * 1024
LEAST_BLOCK_BYTES = 4096


def probe_extents(drive: Drive) -> tuple[Extent, ...]:
    """Return the extents for the probe. Raises Refused."""
    if reason := _unsuitable(drive):
        raise refused(reason)
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


def quick_test_obstacle(drive: Drive, patterns: Sequence[Pattern]) -> str:
    """Return why the probe is impossible or inconclusive."""
    if why := why_not(probe_extents, drive):
        return why
    family = media_cache_family(drive, patterns)
    return "" if family is None else smr_judge.known_sentence(drive.path, family)


def media_cache_family(drive: Drive, patterns: Sequence[Pattern]) -> str | None:
    """Return the family of a model with a known media cache, which makes the probe inconclusive."""
    found = next((one for one in fitting(drive, patterns) if one.kind is RecordingKind.MEDIA_CACHE), None)
    return None if found is None else str(found.family) or drive.model or ""


def block_bytes(drive: Drive) -> int:
    """Return the size of an access: at least 4 KiB."""
    assert drive.geometry is not None
    return max(LEAST_BLOCK_BYTES, drive.geometry.physical_block_bytes)


def _unsuitable(drive: Drive) -> Message | None:
    if drive.bus not in BUSES and not is_ata(drive):
        return t(
            "The quick test is for SATA, SAS and USB hard disks, not {drive} ({bus}), "
            "which may relocate writes.",
            drive=drive,
            bus=drive.bus or "?",
        )
    if is_emulated(drive):
        return t("{drive} is emulated. The test would not measure a drive's platters.", drive=drive)
    if drive.rotational is False:
        return t("{drive} has no platters, so tracks cannot overlap.", drive=drive)
    if drive.rotational is None:
        return t(
            "{drive} does not report rotation. Some USB bridges reveal rotation only to smartctl.",
            drive=drive,
        )
    if drive.geometry is not None and block_bytes(drive) > LARGEST_BLOCK_BYTES:
        return access.IMPLAUSIBLE(drive=drive, size=drive.geometry.physical_block_bytes)
    return None


SECONDS = 58.0
"""Time limit. The current read ends shortly after, within a minute in all."""


def run_smr_probe(
    drive: Drive,
    *,
    on_progress: access.OnProgress,
    stop: access.Stopped,
    seconds: float = SECONDS,
    probe: Probe = probe_drive,
    patterns: tuple[Pattern, ...] | None = None,
    random: Random | None = None,
) -> DisplacedVerdict:
    """Detect whether written blocks are read from another place, within `seconds` or until `stop`. The caller
    has confirmed the drive. Models with a media cache are not tested. Raises Refused if impossible or unsafe,
    Failed if the drive does not answer."""
    probe_extents(drive)
    known = load_patterns() if patterns is None else patterns
    if (family := media_cache_family(drive, known)) is not None:
        return _verdict(drive, Basis.MEDIA_CACHE, smr_judge.known_sentence(drive.path, family))
    assert drive.geometry is not None and drive.size_bytes is not None
    generator, size = random or Random(), block_bytes(drive)
    with access.claimed(drive, probe, size, synchronous=True) as timed:
        pairs = draw_pairs(timed.extents, size, max(drive.geometry.alignment_offset_bytes, 0), generator)
        clock, long = access.Clock(seconds, stop), stream_start(drive.size_bytes, pairs, generator)
        run = SmrProbe(timed, clock, pairs, long, generator, on_progress)
        basis = run.run()
        if basis is Basis.TOO_SLOW and clock.ended_by_person:
            basis = Basis.ENDED
    return replace(
        _verdict(drive, basis, smr_judge.sentence_for(drive.path, basis, run.timings, seconds)),
        written_bytes=run.written_bytes,
        read_bytes=timed.read_bytes,
        seconds=round(clock.elapsed, 3),
        statistics=run.statistics,
        statistics_after_idle=run.statistics_after_idle,
        timings=run.timings,
    )


def _verdict(drive: Drive, basis: Basis, sentence: str) -> DisplacedVerdict:
    return DisplacedVerdict(
        drive=drive.path,
        model=printable(drive.model or "", 80),
        size_bytes=drive.size_bytes or 0,
        rotation_rate=drive.rotation_rate,
        bus=drive.bus or "",
        outcome=smr_judge.outcome_of(basis),
        basis=basis,
        sentence=sentence,
        caveats=smr_judge.caveats_for(drive.path, basis),
        block_bytes=block_bytes(drive),
        written_bytes=0,
        read_bytes=0,
        seconds=0.0,
        statistics=None,
        statistics_after_idle=None,
        timings=Timings(),
    )
