"""What the quick probe for shingled recording showed, and every time that it measured."""

from dataclasses import dataclass
from enum import StrEnum

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
class Look:
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
    look: Look | None = None
    look_after_idle: Look | None = None


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
