"""Results of benchmarks on a drive."""

from enum import StrEnum

from wizard.model.errors import FrozenStruct


class Outcome(StrEnum):
    """Result of an alignment benchmark. ALIGNED_FASTER and NO_DIFFERENCE state what was measured.
    NOT_POSSIBLE: no misaligned access exists."""

    ALIGNED_FASTER = "aligned-faster"
    NO_DIFFERENCE = "no-measurable-difference"
    INCONCLUSIVE = "inconclusive"
    NOT_POSSIBLE = "not-possible"


class Ratio(FrozenStruct):
    """Ratio of misaligned to aligned time: above 1, aligned is faster. `low` and `high` bound the ratio with
    `confidence` (0.95)."""

    estimate: float
    low: float
    high: float
    confidence: float
    pairs: int


class Pair(FrozenStruct):
    """One aligned and one misaligned access in immediate succession at neighbouring places, in
    nanoseconds."""

    aligned_ns: int
    misaligned_ns: int

    @property
    def factor(self) -> float:
        """Misaligned over aligned time."""
        return self.misaligned_ns / max(self.aligned_ns, 1)


class Verdict(FrozenStruct):
    """Result of a paired alignment benchmark. `access` is read or write. `sentence` never claims more than
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
    """Activity of a shingled recording write test in a time window."""

    SEQUENTIAL_BEFORE = "sequential-before"
    RANDOM = "random"
    SEQUENTIAL_AFTER = "sequential-after"


class WriteWindow(FrozenStruct):
    """Data written in a time window, including the final flush. `seconds` only counts writing, not
    reading."""

    phase: WritePhase
    written_bytes: int
    seconds: float

    @property
    def bytes_per_second(self) -> float:
        """Write rate, finite even if the clock did not advance."""
        return self.written_bytes / max(self.seconds, 1e-9)


class CliffOutcome(StrEnum):
    """Result of a write test. NONE_WITHIN only covers the bytes written: a larger cache would not have
    shown."""

    FOUND = "cliff-found"
    NONE_WITHIN = "none-within-what-was-written"
    INCONCLUSIVE = "inconclusive"


class CliffDoubt(StrEnum):
    """Why a write test is inconclusive."""

    TOO_LITTLE = "too-little-was-written"
    LATE = "slower-only-at-the-end"
    NO_COMPARISON = "sequential-writing-was-not-measured-again"
    SEQUENTIAL_TOO = "sequential-writing-became-slower-too"
    AS_FAST_AS_SEEKING = "not-slower-than-a-hard-disk-that-seeks"
    SLOW_FROM_THE_START = "slow-from-the-start"
    SOLID_STATE = "solid-state"
    REMOVABLE = "removable"
    NOT_A_DRIVE = "not-a-drive"


class Cliff(FrozenStruct):
    """Drop in random write speed: bytes and seconds of random writing before it, and the rates before and
    after."""

    after_bytes: int
    after_seconds: float
    bytes_per_second_before: float
    bytes_per_second_after: float

    @property
    def factor(self) -> float:
        """Factor by which random writing slowed down."""
        return self.bytes_per_second_before / max(self.bytes_per_second_after, 1e-9)


class CliffVerdict(FrozenStruct):
    """Result of a write test for shingled recording. A `cliff` without FOUND has another explanation, the
    `doubt`. `random_bytes`: total written at random in pieces of `block_bytes`. `sequential_before` and
    `sequential_after`: bytes per second."""

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
"""Duration of the quick test on most drives."""


class Displaced(StrEnum):
    """Result of the quick test. There is no `not shingled`, because missing evidence proves nothing."""

    LIKELY = "likely-shingled"
    NOTHING_FOUND = "nothing-found"
    CANNOT_TELL = "cannot-tell"


class Basis(StrEnum):
    """Reason for the result: three make shingling likely, one means nothing found, the others explain an
    unknown."""

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


class ProbeComparison(FrozenStruct):
    """Read times of written blocks and unwritten neighbours, in nanoseconds per batch, in reading order."""

    written_at_random: tuple[tuple[int, ...], ...] = ()
    unwritten_at_random: tuple[tuple[int, ...], ...] = ()
    written_in_order: tuple[tuple[int, ...], ...] = ()
    unwritten_in_order: tuple[tuple[int, ...], ...] = ()


class Timings(FrozenStruct):
    """All measured times, in nanoseconds: first reads, writes, and comparisons before and after idling."""

    first_reads: tuple[int, ...] = ()
    writes: tuple[int, ...] = ()
    look: ProbeComparison | None = None
    look_after_idle: ProbeComparison | None = None


class Statistics(FrozenStruct):
    """Statistics of a comparison; None if too few reads came from platters. `t`: Welch's t of log times at
    random places. `ratio`: of their geometric means, written over unwritten. `distance`: scaled Kolmogorov-
    Smirnov distance, in order of writing. `quicker`: excess share of reads without platter access, in order
    of writing. `from_memory`: the same at random places."""

    t: float | None = None
    ratio: float | None = None
    distance: float | None = None
    quicker: float | None = None
    from_memory: float | None = None


class DisplacedVerdict(FrozenStruct):
    """Result of the quick test. `sentence` never claims more than was measured. Includes the model, for users
    who share timings, but no serial number."""

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
