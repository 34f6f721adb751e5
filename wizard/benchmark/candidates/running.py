"""Run a comparison: create, load and unmount each candidate in turn, until the result is clear or a limit is
reached."""

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from time import monotonic, perf_counter
from uuid import uuid4

from msgspec.structs import replace

from wizard.benchmark.access import Clock, OnProgress, opened_to_read
from wizard.benchmark.candidates import compare, surroundings
from wizard.benchmark.candidates.partition import TrialPartition
from wizard.benchmark.loads.load_table import phases_of
from wizard.benchmark.loads.script import LoadPhase, aged
from wizard.filesystems.registry import MADE
from wizard.model.errors import Failed
from wizard.model.machine import Drive, Extent
from wizard.model.said import MIB, Message, Sentence, failing, rounded_up, t
from wizard.process.program import run

READ_BYTES = 512 * MIB


NO_DRIVES = ("loop", "virtio")


FAILED = Sentence("{filesystem}: {load} failed at {phase} ({why}). The trial was stopped.")

MAKE_SECONDS, MAKE_TRIES = 600.0, 3
SCALES, MOST_SCALE = (0.05, 0.2, 1.0), 4.0
"""Of the warm-up runs, and the largest."""

RUN_SECONDS = 10.0
"""For a load. A hard disk needs 10 ms per request, so shorter runs do too little."""

ROUNDS_AIMED_AT = 8
COLD = frozenset({"read"})
"""Phases that start with an empty drive cache."""


class TrialStopped(Exception):
    """The trial was asked to stop."""


class Stop:
    """Stop request, which interrupts the current step if possible."""

    def __init__(self) -> None:
        self._asked = self._interruptible = False

    def ask(self) -> None:
        """Request a stop, in the main thread."""
        self._asked = True
        if self._interruptible:
            self._interruptible = False
            raise TrialStopped

    def check(self) -> None:
        """Raise TrialStopped if a stop was requested."""
        if self._asked:
            raise TrialStopped

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Let a stop request raise TrialStopped inside."""
        self.check()
        self._interruptible = True
        try:
            yield
        finally:
            self._interruptible = False


class Trial:
    """A trial on the partition `ground`, mounted at `place`. Programs inherit the drive's lock.
    `has_cache`: clear the drive's cache by reading at `outside_bytes`, if the drive is large enough."""

    def __init__(
        self, order: compare.Order, ground: TrialPartition, place: Path, tell: OnProgress, stop: Stop
    ) -> None:
        self.order, self.stop = order, stop
        self.memory = surroundings.Memory()
        # A solid-state drive mainly caches its own maps.
        self.has_cache = order.drive.rotational is not False and order.drive.bus not in NO_DRIVES
        self.outside_bytes = _place_outside(order.drive, order.extent)
        self.rounds: list[compare.Round] = []
        self.scale = order.scale or MOST_SCALE
        self._ground, self._place = ground, place
        self.clock = Clock(order.bounds.seconds, lambda: False, tell)
        self._warm = False
        self._path = order.drive.path
        self._first = surroundings.counts(self._path)
        # All candidates and rounds use the same operations.
        self._phases_of = cache(phases_of)
        self._longest_seconds = 0.0
        self._largest_bytes = 0

    @property
    def written_bytes(self) -> int:
        """Bytes written since the start."""
        now = surroundings.counts(self._path)
        return now.written_bytes - self._first.written_bytes if now and self._first else 0

    @property
    def comparisons(self) -> tuple[compare.Comparison, ...]:
        """Comparisons after the completed rounds."""
        planned, *others = (one.id for one in self.order.candidates)
        return compare.comparisons(self.rounds, planned, others)

    def run(self) -> compare.EndReason:
        """Run rounds, and return the reason to end."""
        gc.disable()
        try:
            # Uncounted runs set the size of a round, and load programs and modules. Larger scales give better
            # estimates.
            for scale in SCALES if self.order.scale is None else ():
                if self.scale < scale:
                    break
                self.scale = self._try_scale(scale)
            if self.order.scale is not None:
                self._try_scale(min(self.order.scale, SCALES[-1]))
            self._warm = True
            while (ended := self._reason_to_end()) is None:
                begun, written = monotonic(), self.written_bytes
                runs, pressures = [], []
                for candidate in compare.in_order(self.order.candidates, len(self.rounds)):
                    pressures.append(surroundings.pressures())
                    runs.append(self._run(candidate, self.scale))
                cpu, io = map(surroundings.mean, zip(*pressures, strict=True))
                self.rounds.append(compare.Round(tuple(runs), cpu, io))
                self._longest_seconds = max(self._longest_seconds, monotonic() - begun)
                self._largest_bytes = max(self._largest_bytes, self.written_bytes - written)
        except TrialStopped:
            return compare.EndReason.PERSON
        finally:
            self.memory.end()
        return ended

    def _try_scale(self, scale: float) -> float:
        """Return the scale at which the desired rounds fit the limits."""
        begun, written = monotonic(), self.written_bytes
        seconds = [self._run(candidate, scale).seconds for candidate in self.order.candidates]
        took, wrote = monotonic() - begun, self.written_bytes - written
        working = max(sum(seconds), 1e-6)
        bounds = self.order.bounds
        rounds = ROUNDS_AIMED_AT + 0.5
        fits = scale * min(
            max(0.0, (bounds.seconds - self.clock.elapsed) / rounds - (took - working)) / working,
            RUN_SECONDS * len(self.order.loads) / max(*seconds, 1e-6),
            max(0, bounds.written_bytes - self.written_bytes) / rounds / max(wrote, 1),
        )
        fits = round(min(max(fits, SCALES[0]), MOST_SCALE), 3)
        growth = (self.order.scale or fits) / scale
        self._longest_seconds = took - working + working * growth
        self._largest_bytes = int(wrote * max(growth, 1))
        return fits

    def _reason_to_end(self) -> compare.EndReason | None:
        done, bounds = len(self.rounds), self.order.bounds
        if done >= compare.FEWEST and all(
            one.finding is not compare.TrialFinding.OPEN for one in self.comparisons
        ):
            return compare.EndReason.DECIDED
        if done >= bounds.rounds:
            return compare.EndReason.ROUNDS
        if self.clock.elapsed + self._longest_seconds > bounds.seconds:
            return compare.EndReason.TIME
        if self.written_bytes + self._largest_bytes > bounds.written_bytes:
            return compare.EndReason.BYTES
        return None

    def _run(self, candidate: compare.Candidate, scale: float) -> compare.Run:
        made, phases = 0.0, []
        for name in self.order.loads:
            made += self._make(candidate)
            if self.order.aged:
                self._progress(candidate, compare.AGE)
                with self._mounted(candidate, name, "age") as root:
                    free = os.fstatvfs(root)
                    aged(root, free.f_bavail * free.f_frsize, self.order.seed)
            phases += [
                self._phase(candidate, name, phase) for phase in self._phases_of(name, scale, self.order.seed)
            ]
        return compare.Run(candidate.id, round(made, 4), tuple(phases))

    def _make(self, candidate: compare.Candidate) -> float:
        self._progress(candidate, compare.MKFS)
        kind = MADE[candidate.filesystem]
        node = self._ground.at(self.order.extent_of(candidate))
        make = replace(
            candidate.make,
            device=str(node),
            # Not the planned UUID, which no program may remember.
            uuid=kind.uuid_of(str(uuid4())),
            options=kind.for_trial(candidate.make.options),
        )
        begun = perf_counter()
        for attempt in range(MAKE_TRIES):
            self._ground.erase()
            try:
                for argv in kind.commands(make):
                    run(argv, seconds=MAKE_SECONDS, keep_open=(self._ground.lock,))
            except Failed:
                if attempt == MAKE_TRIES - 1:
                    raise
            else:
                break
        with node.open("rb") as device:
            os.fsync(device.fileno())
        return perf_counter() - begun

    @contextmanager
    def _mounted(self, candidate: compare.Candidate, load: str, phase: str) -> Iterator[int]:
        """Yield a descriptor of the root. The unmount flushes all data."""
        kind = MADE[candidate.filesystem]
        options = ",".join(dict.fromkeys((*candidate.mount_options, *kind.quiet_options)))
        argv = ("mount", "-n", "-i", "-t", kind.kernel_names[0], *(("-o", options) if options else ()))
        with failing(FAILED, filesystem=candidate.id, load=load, phase=phase):
            node = self._ground.at(self.order.extent_of(candidate))
            mount = (*argv, str(node), str(self._place))
            run(mount, seconds=surroundings.MOUNT_SECONDS, keep_open=(self._ground.lock,))
            try:
                root = os.open(self._place, os.O_RDONLY | os.O_DIRECTORY)
                try:
                    with self.stop.interruptible():
                        yield root
                finally:
                    os.close(root)
            finally:
                surroundings.close_below(self._place)
                surroundings.unmount(self._place)

    def _phase(self, candidate: compare.Candidate, load: str, phase: LoadPhase) -> compare.PhaseRun:
        self._progress(candidate, phase.name)
        place = self.outside_bytes
        if phase.name in COLD and self.has_cache and place is not None:
            # Read more than the cache of any drive.
            with self.stop.interruptible(), opened_to_read(self._path, MIB) as timed:
                timed.stream(place, READ_BYTES, lambda: False)
        before = surroundings.counts(self._path)
        with self.memory.limited():
            with self._mounted(candidate, load, phase.name) as root:
                begun = perf_counter()
                phase.act(root)
            seconds = perf_counter() - begun
        counted = surroundings.between(before, surroundings.counts(self._path))
        return compare.PhaseRun(load, phase.name, phase.unit, phase.amount, round(seconds, 6), counted)

    def _progress(self, candidate: compare.Candidate, doing: Message | str) -> None:
        """Raises TrialStopped if a stop was requested."""
        self.stop.check()
        first = (
            t(
                "Round {number}: {candidate}, {doing}. {written:size} written.",
                number=len(self.rounds) + 1,
                candidate=candidate.title,
                doing=doing,
                written=self.written_bytes,
            )
            if self._warm
            else t("Before the first round: {candidate}, {doing}.", candidate=candidate.title, doing=doing)
        )
        so_far = (
            t(
                "{other} so far: {estimate:.2f} times as long.",
                other=other.title,
                estimate=one.ratio.estimate,
            )
            for other, one in zip(self.order.candidates[1:], self.comparisons, strict=True)
            if one.ratio
        )
        self.clock.report(first, *so_far)


def _place_outside(drive: Drive, extent: Extent) -> int | None:
    """Prefer places after the range, then before it, then at its end, which loads rarely use."""
    size = drive.size_bytes or 0
    grain = drive.geometry.physical_block_bytes if drive.geometry else MIB
    if size - extent.end_bytes >= READ_BYTES:
        return rounded_up(extent.end_bytes, grain)
    if extent.start_bytes >= READ_BYTES:
        return 0
    if extent.size_bytes >= 4 * READ_BYTES:
        return (extent.end_bytes - READ_BYTES) // grain * grain
    return None
