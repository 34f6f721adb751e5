"""Run a comparison: create, load and unmount each candidate in turn.

Rounds repeat until the result is clear or a limit is reached.
"""

import gc
import mmap
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from time import monotonic, perf_counter
from uuid import uuid4

from wizard.benchmark.candidates.compare import (
    FEWEST,
    Candidate,
    Comparison,
    EndReason,
    Order,
    PhaseRun,
    Round,
    Run,
    TrialFinding,
    TrialProgress,
    comparisons,
    in_order,
)
from wizard.benchmark.candidates.partition import TrialPartition, erase_on
from wizard.benchmark.candidates.surroundings import (
    Memory,
    Pressure,
    between,
    close_below,
    counts,
    mount,
    unmount,
)
from wizard.benchmark.loads.load import LOADS, LoadPhase
from wizard.benchmark.loads.trees import aged
from wizard.filesystems.registry import MADE
from wizard.model.errors import Failed
from wizard.model.machine import Drive, Extent
from wizard.model.said import MIB, rounded_up, t
from wizard.process.program import run

READ_BYTES, PIECE_BYTES = 512 * MIB, 4 * MIB


NO_DRIVES = ("loop", "virtio")


class DriveCache:
    """The cache of a drive that turns. A solid-state drive keeps mostly its own maps there."""

    def __init__(self, drive: Drive, extent: Extent) -> None:
        self._drive = drive
        self._place = _elsewhere(drive, extent)

    @property
    def matters(self) -> bool:
        """Whether it is emptied, if it can be."""
        return self._drive.rotational is not False and self._drive.bus not in NO_DRIVES

    @property
    def can_be_emptied(self) -> bool:
        """Whether there is enough to read outside of what the trial uses."""
        return self.matters and self._place is not None

    def empty(self) -> None:
        """Read as much as no drive keeps; raises OSError where it cannot be read."""
        if not self.matters or self._place is None:
            return
        descriptor = os.open(self._drive.path, os.O_RDONLY | os.O_DIRECT)
        try:
            with mmap.mmap(-1, PIECE_BYTES) as buffer:
                for start in range(self._place, self._place + READ_BYTES, PIECE_BYTES):
                    os.preadv(descriptor, [buffer], start)
        finally:
            os.close(descriptor)


MAKE_SECONDS, MAKE_TRIES = 600.0, 3
SCALES, MOST_SCALE = (0.05, 0.2), 4.0
"""By which the loads are run before the first round, and the largest of any."""

RUN_SECONDS = 10.0
"""What a load is to take at most. A hard disk does 10 ms a request: in less time too little happens."""

ROUNDS_AIMED_AT = 8
COLD = frozenset({"read"})
"""The phases before which the drive's own memory is emptied."""


class TrialStopped(Exception):
    """Nobody wants the trial to go on."""


class Stop:
    """Whether the trial is to end. What can be interrupted is ended at once."""

    def __init__(self) -> None:
        self._asked = self._inside = False

    def ask(self) -> None:
        """In the main thread, as from a signal's handler."""
        self._asked = True
        if self._inside:
            self._inside = False
            raise TrialStopped

    def check(self) -> None:
        """Raises Stopped where it is to end."""
        if self._asked:
            raise TrialStopped

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Within, asking raises Stopped."""
        self.check()
        self._inside = True
        try:
            yield
        finally:
            self._inside = False


class Trial:
    """A trial on the partition that `ground` has, which it mounts at `place`. `lock` is the drive's lock,
    which programs inherit. `tell` is told how far it is."""

    def __init__(
        self,
        order: Order,
        ground: TrialPartition,
        place: Path,
        lock: int,
        tell: Callable[[TrialProgress], None],
        stop: Stop,
    ) -> None:
        self.order, self.stop = order, stop
        self.memory = Memory()
        self.cache = DriveCache(order.drive, order.extent)
        self.rounds: list[Round] = []
        self.scale = order.scale or MOST_SCALE
        self._ground, self._place, self._lock, self._tell = ground, place, lock, tell
        self._begun = monotonic()
        self._first = counts(order.drive.path)
        self._comparisons: tuple[Comparison, ...] = ()
        self._phases: dict[tuple[str, float], tuple[LoadPhase, ...]] = {}
        self._longest_seconds = 0.0
        self._largest_bytes = 0

    @property
    def elapsed(self) -> float:
        """Seconds since it began."""
        return monotonic() - self._begun

    @property
    def written_bytes(self) -> int:
        """What the drive took since it began."""
        told = between(self._first, counts(self.order.drive.path))
        return told.written_bytes if told else 0

    def run(self) -> EndReason:
        """Rounds until there is no reason for another; why there is none."""
        gc.disable()
        try:
            self._warm_up()
            while (ended := self._reason_to_end()) is None:
                self._round()
        except TrialStopped:
            return EndReason.PERSON
        finally:
            self.memory.end()
        return ended

    def _warm_up(self) -> None:
        """Short runs of each that do not count: programs and modules come into memory, and they tell how
        large a round may be. Where the smallest takes little, a larger one tells better."""
        if self.order.scale is not None:
            self._try_scale(min(self.order.scale, SCALES[-1]))
            self.scale = self.order.scale
            return
        for scale in SCALES:
            if self.scale < scale:
                break
            self.scale = self._try_scale(scale)

    def _try_scale(self, scale: float) -> float:
        """Run each candidate once; the scale by which the rounds aimed at fit into the bounds."""
        begun, written = monotonic(), self.written_bytes
        runs = [self._run(candidate, scale) for candidate in self.order.candidates]
        took, wrote = monotonic() - begun, self.written_bytes - written
        working = max(sum(one.seconds for one in runs), 1e-6)
        largest = max(one.seconds for one in runs)
        bounds = self.order.bounds
        rounds = ROUNDS_AIMED_AT + 0.5
        fits = scale * min(
            max(0.0, (bounds.seconds - self.elapsed) / rounds - (took - working)) / working,
            RUN_SECONDS * len(self.order.loads) / max(largest, 1e-6),
            max(0, bounds.written_bytes - self.written_bytes) / rounds / max(wrote, 1),
        )
        fits = round(min(max(fits, SCALES[0]), MOST_SCALE), 3)
        growth = (self.order.scale or fits) / scale
        self._longest_seconds = took - working + working * growth
        self._largest_bytes = int(wrote * max(growth, 1))
        return fits

    def _reason_to_end(self) -> EndReason | None:
        """Looked for before every round."""
        done, bounds = len(self.rounds), self.order.bounds
        if done >= FEWEST and all(one.finding is not TrialFinding.OPEN for one in self._comparisons):
            return EndReason.DECIDED
        if done >= bounds.rounds:
            return EndReason.ROUNDS
        if self.elapsed + self._longest_seconds > bounds.seconds:
            return EndReason.TIME
        if self.written_bytes + self._largest_bytes > bounds.written_bytes:
            return EndReason.BYTES
        return None

    def _round(self) -> None:
        begun, written, pressure = monotonic(), self.written_bytes, Pressure()
        runs = []
        for candidate in in_order(self.order.candidates, len(self.rounds)):
            pressure.listen()
            runs.append(self._run(candidate, self.scale))
        self.rounds.append(
            Round(tuple(runs), pressure.percent(pressure.cpu_us), pressure.percent(pressure.io_us))
        )
        names = [one.id for one in self.order.candidates]
        self._comparisons = comparisons(self.rounds, names[0], names[1:])
        self._longest_seconds = max(self._longest_seconds, monotonic() - begun)
        self._largest_bytes = max(self._largest_bytes, self.written_bytes - written)

    def _run(self, candidate: Candidate, scale: float) -> Run:
        """Each load on a filesystem of its own: what one leaves behind is not the next one's matter."""
        made, phases = 0.0, []
        for name in self.order.loads:
            made += self._make(candidate)
            if self.order.aged:
                self._age(candidate, name)
            for phase in self._drawn(name, scale):
                phases.append(self._phase(candidate, name, phase))
        return Run(candidate.id, round(made, 4), tuple(phases))

    def _drawn(self, load: str, scale: float) -> tuple[LoadPhase, ...]:
        """The same operations for every candidate in every round, listed once."""
        if (load, scale) not in self._phases:
            self._phases[load, scale] = LOADS[load].phases(scale, self.order.seed)
        return self._phases[load, scale]

    def _age(self, candidate: Candidate, load: str) -> None:
        self._progress(candidate, "age")
        try:
            with self._mounted(candidate) as root:
                free = os.fstatvfs(root)
                aged(root, free.f_bavail * free.f_frsize, self.order.seed)
        except OSError as error:
            raise self._failed(candidate, load, "age", error) from None

    def _failed(self, candidate: Candidate, load: str, phase: str, error: OSError) -> Failed:
        why = str(error.strerror or error)
        return Failed(
            t(
                "{filesystem}: {load} failed at {phase} ({why}). The trial was stopped.",
                filesystem=candidate.id,
                load=load,
                phase=phase,
                why=why,
            )
        )

    def _make(self, candidate: Candidate) -> float:
        """Make it on the range, with nothing left there of the one before; the seconds that took."""
        self._progress(candidate, "mkfs")
        kind = MADE[candidate.filesystem]
        extent = self.order.extent_of(candidate)
        node = self._ground.at(extent)
        make = replace(
            candidate.make,
            device=str(node),
            # Never the one that the plan has drawn: nothing may remember it.
            uuid=kind.uuid_of(str(uuid4())),
            options=kind.for_trial(candidate.make.options),
        )
        begun = perf_counter()
        for attempt in range(MAKE_TRIES):
            erase_on(node, self.order.drive.path, extent.size_bytes)
            try:
                for argv in kind.commands(make):
                    run(argv, seconds=MAKE_SECONDS, keep_open=(self._lock,))
            except Failed:
                if attempt == MAKE_TRIES - 1:
                    raise
            else:
                break
        descriptor = os.open(node, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        return perf_counter() - begun

    @contextmanager
    def _mounted(self, candidate: Candidate) -> Iterator[int]:
        """A descriptor of its root folder; unmounted at the end, which writes all of it."""
        kind = MADE[candidate.filesystem]
        options = tuple(dict.fromkeys((*candidate.mount_options, *kind.quiet_options)))
        node = self._ground.at(self.order.extent_of(candidate))
        mount(node, self._place, kind.kernel_names[0], options, self._lock)
        try:
            root = os.open(self._place, os.O_RDONLY | os.O_DIRECTORY)
            try:
                with self.stop.interruptible():
                    yield root
            finally:
                os.close(root)
        finally:
            close_below(self._place)
            unmount(self._place)

    def _phase(self, candidate: Candidate, load: str, phase: LoadPhase) -> PhaseRun:
        self._progress(candidate, phase.name)
        if phase.name in COLD:
            with self.stop.interruptible():
                self.cache.empty()
        before = counts(self.order.drive.path)
        with self.memory.limited():
            begun = 0.0
            try:
                with self._mounted(candidate) as root:
                    begun = perf_counter()
                    phase.act(root)
            except OSError as error:
                raise self._failed(candidate, load, phase.name, error) from None
            seconds = perf_counter() - begun
        told = between(before, counts(self.order.drive.path))
        return PhaseRun(load, phase.name, phase.unit, phase.amount, round(seconds, 6), told)

    def _progress(self, candidate: Candidate, phase: str) -> None:
        """Tell how far it is; raises Stopped where it is to end."""
        self.stop.check()
        left = max(0.0, self.order.bounds.seconds - self.elapsed)
        self._tell(
            TrialProgress(
                len(self.rounds) + 1,
                candidate.id,
                phase,
                round(left, 1),
                self.written_bytes,
                self._comparisons,
            )
        )


def _elsewhere(drive: Drive, extent: Extent) -> int | None:
    """Where so much can be read: behind the range, before it, or at its end, where little of a load comes
    to lie; None on a drive that is too small."""
    size = drive.size_bytes or 0
    grain = drive.geometry.physical_block_bytes if drive.geometry else PIECE_BYTES
    if size - extent.end_bytes >= READ_BYTES:
        return rounded_up(extent.end_bytes, grain)
    if extent.start_bytes >= READ_BYTES:
        return 0
    if extent.size_bytes >= 4 * READ_BYTES:
        return (extent.end_bytes - READ_BYTES) // grain * grain
    return None
