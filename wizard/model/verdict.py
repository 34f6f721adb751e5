"""Results of benchmarks on a drive."""

from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """ALIGNED_FASTER and NO_DIFFERENCE are claims about what was measured; NOT_POSSIBLE where no misaligned
    access exists."""

    ALIGNED_FASTER = "aligned-faster"
    NO_DIFFERENCE = "no-measurable-difference"
    INCONCLUSIVE = "inconclusive"
    NOT_POSSIBLE = "not-possible"


@dataclass(frozen=True, slots=True)
class Ratio:
    """Misaligned over aligned time: above 1, aligned is faster. `low` and `high` bound it with `confidence`
    (0.95)."""

    estimate: float
    low: float
    high: float
    confidence: float
    pairs: int


@dataclass(frozen=True, slots=True)
class Pair:
    """One aligned and one misaligned access, one right after the other, at neighbouring places.
    Nanoseconds."""

    aligned_ns: int
    misaligned_ns: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a paired alignment probe. `access` is read or write; `sentence` never claims more than
    was measured."""

    drive: str
    access: str
    outcome: Outcome
    ratio: Ratio | None
    sentence: str
    caveats: tuple[str, ...]
    block_bytes: int
    shift_bytes: int
    seconds: float
    pairs: tuple[Pair, ...]


class WritePhase(StrEnum):
    """What a write probe for shingled recording did in a window of time."""

    SEQUENTIAL_BEFORE = "sequential-before"
    RANDOM = "random"
    SEQUENTIAL_AFTER = "sequential-after"


@dataclass(frozen=True, slots=True)
class WriteWindow:
    """What was written in a stretch of time, with the flush at its end. `seconds` are those spent writing,
    not those spent reading."""

    phase: WritePhase
    written_bytes: int
    seconds: float

    @property
    def bytes_per_second(self) -> float:
        """The rate, finite also where the clock did not move."""
        return self.written_bytes / max(self.seconds, 1e-9)


class CliffOutcome(StrEnum):
    """NONE_WITHIN is about the bytes that were written and no more: a larger cache would not have shown."""

    FOUND = "cliff-found"
    NONE_WITHIN = "none-within-what-was-written"
    INCONCLUSIVE = "inconclusive"


class CliffDoubt(StrEnum):
    """Why a write probe is inconclusive."""

    TOO_LITTLE = "too-little-was-written"
    LATE = "slower-only-at-the-end"
    NO_COMPARISON = "sequential-writing-was-not-measured-again"
    SEQUENTIAL_TOO = "sequential-writing-became-slower-too"
    AS_FAST_AS_SEEKING = "not-slower-than-a-hard-disk-that-seeks"
    SLOW_FROM_THE_START = "slow-from-the-start"
    SOLID_STATE = "solid-state"
    REMOVABLE = "removable"
    NOT_A_DRIVE = "not-a-drive"


@dataclass(frozen=True, slots=True)
class Cliff:
    """Where random writing fell, in bytes and seconds of random writing since the probe began, and its rates
    before and after."""

    after_bytes: int
    after_seconds: float
    bytes_per_second_before: float
    bytes_per_second_after: float

    @property
    def factor(self) -> float:
        """How many times slower it became."""
        return self.bytes_per_second_before / max(self.bytes_per_second_after, 1e-9)


@dataclass(frozen=True, slots=True)
class CliffVerdict:
    """The result of a write probe for shingled recording. A `cliff` may be given without FOUND: `doubt` then
    says what else explains it.

    `random_bytes` were written in pieces of `block_bytes` at random places; the two sequential rates are
    bytes a second.
    """

    drive: str
    outcome: CliffOutcome
    doubt: CliffDoubt | None
    cliff: Cliff | None
    sequential_before: float | None
    sequential_after: float | None
    sentence: str
    caveats: tuple[str, ...]
    block_bytes: int
    random_bytes: int
    seconds: float
    windows: tuple[WriteWindow, ...]


USUAL_SECONDS = 40
"""What the quick probe takes on most drives."""


class Displaced(StrEnum):
    """What may be said. There is no `not shingled`: what was not found proves nothing."""

    LIKELY = "likely-shingled"
    NOTHING_FOUND = "nothing-found"
    CANNOT_TELL = "cannot-tell"


class Basis(StrEnum):
    """What the outcome rests on: three that make it likely, one for nothing found, and why it cannot be
    told."""

    STAYS = "written-blocks-stay-in-another-place"
    REWRITES = "small-writes-rewrite-whole-bands"
    UNWRITTEN = "places-never-written-answer-at-once"
    ALIKE = "written-and-unwritten-are-read-alike"
    CAME_HOME = "written-blocks-came-home-when-idle"
    FROM_MEMORY = "too-much-was-read-from-a-memory"
    NO_PLATTERS = "it-answers-as-nothing-that-turns"
    MEDIA_CACHE = "the-model-has-a-media-cache"
    TOO_SLOW = "the-time-was-over"
    ENDED = "ended-by-the-person"


@dataclass(frozen=True, slots=True)
class ProbeComparison:
    """One comparison of blocks that were written with neighbours that were not. Nanoseconds, batch by batch,
    in the order of reading within each: first at random places, then in the order of writing."""

    written_at_random: tuple[tuple[int, ...], ...] = ()
    unwritten_at_random: tuple[tuple[int, ...], ...] = ()
    written_in_order: tuple[tuple[int, ...], ...] = ()
    unwritten_in_order: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Timings:
    """All that was timed, in nanoseconds: the first reads, the writes, and the looks before and after the
    drive was left alone."""

    first_reads: tuple[int, ...] = ()
    writes: tuple[int, ...] = ()
    look: ProbeComparison | None = None
    look_after_idle: ProbeComparison | None = None


@dataclass(frozen=True, slots=True)
class Statistics:
    """What a look comes to; None where too few reads came from platters.

    `t` is Welch's of the log times at random places and `ratio` that of their geometric means, written over
    unwritten. `distance` is Kolmogorov's and Smirnov's, scaled, in the order of writing. `quicker` is the
    part of reads that needed no platter there, beyond the part among the unwritten. `from_memory` is that
    part at random places.
    """

    t: float | None = None
    ratio: float | None = None
    distance: float | None = None
    quicker: float | None = None
    from_memory: float | None = None


@dataclass(frozen=True, slots=True)
class DisplacedVerdict:
    """The result of the quick probe. `sentence` never claims more than was measured.

    What the drive calls itself is there for whoever hands the timings on; its serial number is not.
    """

    drive: str
    model: str
    size_bytes: int
    rotation_rate: int | None
    bus: str
    outcome: Displaced
    basis: Basis
    sentence: str
    caveats: tuple[str, ...]
    block_bytes: int
    written_bytes: int
    read_bytes: int
    seconds: float
    statistics: Statistics | None
    statistics_after_idle: Statistics | None
    timings: Timings
