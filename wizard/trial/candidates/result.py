"""What a trial of filesystems is asked for, and what it showed: all of it is data."""

from dataclasses import dataclass
from enum import StrEnum

from wizard.model.machine import Drive, Extent
from wizard.model.operations.make_filesystem import MakeFilesystem
from wizard.model.units import MIB
from wizard.trial.loads.load import Unit


@dataclass(frozen=True, slots=True)
class Candidate:
    """A filesystem as the plan would make and mount it. `id` is mostly the filesystem's name; no two
    candidates have the same. `make` names the planned node; the trial has one of its own. Its partition
    starts `shift_bytes` into the trial's extent."""

    id: str
    make: MakeFilesystem
    mount_options: tuple[str, ...]
    shift_bytes: int = 0

    @property
    def filesystem(self) -> str:
        """libblkid's name."""
        return self.make.filesystem


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a trial may use at most. No run is begun that would go beyond."""

    seconds: float
    written_bytes: int
    rounds: int


@dataclass(frozen=True, slots=True)
class Order:
    """A trial as it is asked for. The first candidate is the planned one, with which the others are compared.
    `extent` is where the plan puts the volume. `advised` tells whether the planned one is recommended.

    The loads are drawn from `seed`; their `scale` is worked out where none is given.
    """

    drive: Drive
    workload: str
    extent: Extent
    candidates: tuple[Candidate, ...]
    loads: tuple[str, ...]
    bounds: Bounds
    aged: bool = False
    advised: bool = True
    seed: int = 1
    scale: float | None = None

    def extent_of(self, candidate: Candidate) -> Extent:
        """Where a candidate's partition lies. All are as large: by the most that one starts later."""
        cut = max(one.shift_bytes for one in self.candidates)
        size_bytes = (self.extent.size_bytes - cut) // MIB * MIB if cut else self.extent.size_bytes
        return Extent(self.extent.start_bytes + candidate.shift_bytes, size_bytes)

    @property
    def extents(self) -> tuple[Extent, ...]:
        """Each place where a candidate lies, once."""
        return tuple(dict.fromkeys(map(self.extent_of, self.candidates)))


@dataclass(frozen=True, slots=True)
class Counts:
    """What the kernel counted on the drive: requests, bytes, and flushes; None where it counts none."""

    reads: int
    read_bytes: int
    writes: int
    written_bytes: int
    flushes: int | None


@dataclass(frozen=True, slots=True)
class PhaseRun:
    """A phase, done once. `seconds` include the unmount that ended it."""

    load: str
    phase: str
    unit: Unit
    amount: int
    seconds: float
    counts: Counts | None


@dataclass(frozen=True, slots=True)
class Run:
    """One candidate, made and put to work once. `make_seconds` is not part of what is compared."""

    candidate: str
    make_seconds: float
    phases: tuple[PhaseRun, ...]

    @property
    def seconds(self) -> float:
        """What all its phases took."""
        return sum(phase.seconds for phase in self.phases)


@dataclass(frozen=True, slots=True)
class Round:
    """One run of each candidate, in the order in which they ran. The pressures are percentages of time in
    which other programs waited for a processor, or for a drive while the trial was idle; None where the
    kernel does not tell."""

    runs: tuple[Run, ...]
    cpu_pressure: float | None
    io_pressure: float | None

    def run_of(self, candidate: str) -> Run:
        """The run of a candidate, by its name."""
        return next(run for run in self.runs if run.candidate == candidate)


class Finding(StrEnum):
    """What may be said of the planned filesystem and another one."""

    FASTER = "planned-faster"
    SLOWER = "other-faster"
    SAME = "no-measurable-difference"
    OPEN = "undecided"


@dataclass(frozen=True, slots=True)
class Ratio:
    """Time of the other one over time of the planned one: above 1, the planned one is faster. `low` and
    `high` bound it, at 95 % over all looks."""

    estimate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class PhaseRatio:
    """How a single phase compares, as a mean over the rounds; nothing is claimed of it."""

    load: str
    phase: str
    estimate: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """The planned filesystem against another candidate. `won` counts the rounds in which the planned one was
    faster."""

    candidate: str
    finding: Finding
    ratio: Ratio | None
    won: int
    rounds: int
    phases: tuple[PhaseRatio, ...] = ()


@dataclass(frozen=True, slots=True)
class Speed:
    """Units a second of one phase on one candidate: the median round, the slowest and the fastest."""

    candidate: str
    load: str
    phase: str
    unit: Unit
    median: float
    low: float
    high: float


class Ended(StrEnum):
    """Why no further round was begun."""

    DECIDED = "decided"
    ROUNDS = "rounds"
    TIME = "time"
    BYTES = "bytes"
    PERSON = "person"


class NotDone(StrEnum):
    """What the trial would have done, and could not do here."""

    MEMORY = "memory-not-limited"
    PRESSURE = "pressure-not-told"
    DRIVE_MEMORY = "drive-memory-not-emptied"
    FLUSHES = "flushes-not-counted"


@dataclass(frozen=True, slots=True)
class TrialVerdict:
    """All of a trial. `scale` is how large the loads were, `memory_bytes` what their files could be cached
    in."""

    drive: str
    serial: str | None
    workload: str
    planned: str
    extent: Extent
    loads: tuple[str, ...]
    aged: bool
    advised: bool
    ended: Ended
    busy: bool
    scale: float
    seconds: float
    written_bytes: int
    memory_bytes: int | None
    kernel: str
    comparisons: tuple[Comparison, ...]
    speeds: tuple[Speed, ...]
    not_done: tuple[NotDone, ...]
    candidates: tuple[Candidate, ...]
    rounds: tuple[Round, ...]

    @property
    def better(self) -> str:
        """The candidate that was faster here than the planned one, by the most; empty for none. No plan
        takes one that is misaligned."""
        shifted = {one.id for one in self.candidates if one.shift_bytes}
        faster = [
            (one.ratio.estimate, one.candidate)
            for one in self.comparisons
            if one.finding is Finding.SLOWER and one.ratio and one.candidate not in shifted
        ]
        return min(faster)[1] if faster else ""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a trial is. `doing` is a candidate's name, or empty; `number` the round, 0 before the first."""

    number: int
    doing: str
    phase: str
    seconds_left: float
    written_bytes: int
    comparisons: tuple[Comparison, ...] = ()
