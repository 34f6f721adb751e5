"""Rehearsal of a conversion to ext4: a drive with ext3, the methods and steps by the rules, and a
simulated run."""

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.unit.ext4.migrations import situation
from tests.unit.machines import machine, partition, partitioned
from tests.unit.ui.simulated import Simulated
from wizard.apply.run.journal import RunState
from wizard.apply.run.progress_log import StepProgress
from wizard.ext4.assessment import Situation
from wizard.model.errors import Refused
from wizard.model.machine import Drive, Machine
from wizard.model.run import Event, JournalEntry
from wizard.plan.changes import Migration, RunDocument

RUN = Path("/var/lib/diskwright/runs/20260314-150926-sda1")
AT = "2026-03-14T15:09:26.535+00:00"
KEPT = "The undo files are deleted. It is mounted at /srv."
WAITS_IN = 4
"""The step in which a run waits until it is let go on; 0 for before the first."""
BEHIND = 99
"""What stands there for behind the last."""


def old_drive() -> Drive:
    """Return a drive with ext3 in its first partition and other content in its second."""
    return partitioned(partition(1, filesystem="ext3"), partition(2, start_bytes=4 << 30, filesystem="xfs"))


class MovingServices(Simulated):
    """Services with a run that waits in one step until `applied` is set; if `silent`, without progress.
    `hindrance` blocks inspection, `refusal` the start, `fault` keep and undo. `told` describes a power
    cut, and `used` the reason against undo."""

    def __init__(self, found: Situation | None = None, around: Machine | None = None) -> None:
        super().__init__(around or machine(old_drive()), "a rehearsal")
        self.found = found or situation()
        self.hindrance = self.refusal = self.fault = self.told = self.used = ""
        self.fails_at: int | None = None
        self.waits_in = WAITS_IN
        self.stop_requested = self.silent = False
        self.applied = threading.Event()
        self.asked: list[str] = []
        self.begun: list[tuple[Migration, str]] = []
        self.settled: list[str] = []

    def look_at_ext(self, device: str) -> Situation:
        if self.hindrance:
            raise Refused(self.hindrance)
        self.asked.append(device)
        return self.found

    def start(self, document: RunDocument, tokens: Sequence[str], secret: bytes | None = None) -> Path:
        if self.refusal:
            raise Refused(self.refusal)
        assert isinstance(document, Migration)
        self.begun.append((document, tokens[0]))
        return RUN

    def follow(self, run: Path) -> Iterator[JournalEntry]:
        steps = self.begun[-1][0].steps
        yield JournalEntry(AT, Event.STARTED, 0, f"Moving /dev/sda1 to ext4 in {len(steps)} steps.")
        if self.waits_in == 0:
            self.applied.wait(60)
        for number, step in enumerate(steps, 1):
            yield JournalEntry(AT, Event.STEP_STARTED, number, step.sentence)
            if number == self.waits_in:
                self.applied.wait(60)
            if number == self.fails_at:
                yield JournalEntry(
                    AT, Event.STEP_FAILED, number, "e2fsck ended with status 8: the disk gave up."
                )
                yield JournalEntry(AT, Event.FAILED, 0, f"Step {number} failed: the disk gave up.")
                return
            yield JournalEntry(AT, Event.STEP_DONE, number, step.sentence)
            if self.stop_requested:
                yield JournalEntry(AT, Event.STOPPED, 0, "Stopped before the next step, as asked.")
                return
        if self.waits_in == BEHIND:
            self.applied.wait(60)
        yield from self._verified(steps[-1].holds)
        yield JournalEntry(AT, Event.DONE, 0, "The filesystem is ext4.")
        if "undo" in self.settled:
            yield JournalEntry(AT, Event.UNDONE, 0, "The old filesystem is back, to the bit.")
        if "keep" in self.settled:
            yield JournalEntry(AT, Event.KEPT, 0, KEPT)

    def _verified(self, checks: Sequence[str]) -> Iterator[JournalEntry]:
        for what in checks:
            yield JournalEntry(AT, Event.VERIFIED, 0, what)

    def state(self, run: Path) -> RunState:
        if self.fails_at:
            return RunState.FAILED
        if self.settled:
            return RunState.UNDONE if "undo" in self.settled else RunState.KEPT
        return RunState.STOPPED if self.stop_requested else RunState.DONE

    def request_stop(self, run: Path) -> None:
        self.stop_requested = True
        self.applied.set()

    def progress(self, run: Path) -> StepProgress | None:
        if self.silent:
            return None
        return StepProgress(0 if self.waits_in == BEHIND else self.waits_in, 0.25, 7.0)

    def power(self, run: Path) -> str:
        return self.told

    def closed(self, run: Path) -> str:
        return self.used

    def keep(self, run: Path, secret: bytes | None = None) -> str:
        self._settle("keep")
        return KEPT

    def undo(self, run: Path) -> None:
        self._settle("undo")

    def _settle(self, what: str) -> None:
        if self.fault:
            raise Refused(self.fault)
        self.settled.append(what)
