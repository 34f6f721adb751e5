"""What a trial on a drive showed."""

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


class Phase(StrEnum):
    """What a write probe for shingled recording did in a window of time."""

    SEQUENTIAL_BEFORE = "sequential-before"
    RANDOM = "random"
    SEQUENTIAL_AFTER = "sequential-after"


@dataclass(frozen=True, slots=True)
class Window:
    """What was written in a stretch of time, with the flush at its end. `seconds` are those spent writing,
    not those spent reading."""

    phase: Phase
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
    windows: tuple[Window, ...]
