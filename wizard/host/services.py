"""A machine for all user interfaces: this one, or a recording to view and plan."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from msgspec.structs import replace

from wizard.advice import workloads
from wizard.advice.missing import Missing
from wizard.apply.run.runs import run_argument
from wizard.findings.geometry import Pattern, load_patterns
from wizard.model import layout
from wizard.model.errors import BadInput, Refused
from wizard.model.finding import Diagnosis, Finding
from wizard.model.machine import Drive, Kernel, Machine
from wizard.model.said import t
from wizard.model.verdict import DisplacedVerdict
from wizard.plan.plan import Plan
from wizard.plan.planner import make_plan, new_uuid
from wizard.plan.request.plan_request import Request
from wizard.plan.request.using import Usual
from wizard.plan.undo_policy import ROOM_NOT_YET, UndoSpace
from wizard.process.deferred import deferred

if TYPE_CHECKING:
    from wizard.apply import remedies
    from wizard.apply.copy import places
    from wizard.apply.copy.places import Source
    from wizard.apply.local_runs import LocalRuns, OpenRun
    from wizard.benchmark import smr_probe
    from wizard.ext4.assessment import Situation
else:
    remedies, places, smr_probe = deferred(
        "wizard", "apply.remedies", "apply.copy.places", "benchmark.smr_probe"
    )

P = ParamSpec("P")
T = TypeVar("T")

NOTHING = Machine(Kernel(""), ())


class Services:
    """A recorded machine, on which measuring and applying are refused. Subclasses serve a real one.

    Call methods marked "may take long" in a thread. `where` names the file of the recording.
    """

    demo = False
    """True if the drive is a demo drive, deleted when the wizard exits."""

    fstab: Path | None = None
    """The fstab of a live machine."""

    def __init__(
        self, machine: Machine = NOTHING, where: str = "", draw_uuid: Callable[[], str] = new_uuid
    ) -> None:
        self.machine, self.draw_uuid = machine, draw_uuid
        self._where = where
        self._results: dict[tuple[object, type], object] = {}

    @cached_property
    def patterns(self) -> tuple[Pattern, ...]:
        """Patterns of drive models."""
        return load_patterns()

    @cached_property
    def profiles(self) -> tuple[workloads.Profile, ...]:
        """All workloads."""
        return workloads.load_workloads()

    def profile(self, workload: str) -> workloads.Profile:
        """Raises BadInput for an unknown id."""
        found = (known for known in self.profiles if known.workload.id == workload)
        return next(found, None) or workloads.find_workload(workload)

    @property
    def obstacle(self) -> str:
        """Why changes and measurements are not possible here, as a sentence, or empty."""
        return str(
            t(
                "These drives are a recording ({file}). Plans can be made and saved, but not "
                "applied, and drives cannot be measured.",
                file=self._where,
            )
        )

    @property
    def needs_root(self) -> bool:
        """True if only root privileges are missing."""
        return False

    @property
    def apply_obstacle(self) -> str:
        """Why changes cannot be applied here, as a sentence, or empty. Unlike `obstacle`, empty for a user
        who can be asked for a password."""
        return self.obstacle

    @property
    def asks_for_root(self) -> bool:
        """True if root must still be requested, perhaps with a password prompt in the terminal."""
        return False

    def obtain_root(self) -> None:
        """Request root and wait for the result; drives are then read as root. The terminal must be free.
        Raises Refused if denied; nothing has changed then."""

    @property
    def runs(self) -> LocalRuns:
        """Runs on this machine. Raises Refused on a recorded one."""
        raise Refused(self.obstacle)

    def as_root(self) -> LocalRuns:
        """Return `runs` with root, requested if necessary. Raises Refused."""
        return self.runs

    def open_runs(self) -> tuple[OpenRun, ...]:
        """Return active and waiting runs, newest first, as far as readable. May take long."""
        return ()

    def install_offer(self, missing: Missing) -> str:
        """Return the question before an installation, with the download size if known. May take seconds.
        Raises Refused, with the missing tools."""
        raise Refused(f"{missing.said} {self.obstacle}".rstrip())

    def drive_paths(self) -> tuple[str, ...]:
        """Return the nodes of all drives, immediately."""
        return tuple(drive.path for drive in self.machine.drives)

    def surroundings(self) -> Machine:
        """Return the machine without drives. Fast, but not immediate."""
        return replace(self.machine, drives=())

    def probe(self, on_drive: Callable[[Drive], None]) -> Machine:
        """Read all drives in parallel, reporting each when done. May take long."""
        for drive in self.machine.drives:
            on_drive(drive)
        return self.machine

    def changes(self, stop: threading.Event) -> Iterator[None]:
        """Yield None when the drives may have changed since this call. Iteration blocks."""
        return iter(())

    def is_attached(self, drive: Drive) -> bool:
        """Return True, immediately, if the drive at this node is still the same."""
        return True

    def diagnose(self, machine: Machine | None, drive: Drive) -> Diagnosis:
        """Return the findings for a drive."""
        known = machine or Machine(Kernel(os.uname().release), (drive,), root=os.geteuid() == 0)
        return remedies.diagnose(
            known, drive, self.patterns, self.remembered(drive, DisplacedVerdict), self.fstab
        )

    def absent_at_boot(self, machine: Machine) -> tuple[Finding, ...]:
        """Return the findings about fstab lines of detached devices."""
        return tuple(remedies.absent_at_boot(machine, self.fstab)) if self.fstab else ()

    def plan(self, machine: Machine, drives: Sequence[Drive], request: Request) -> Plan:
        """Raises Refused or BadInput."""
        recordings = [self.diagnose(machine, drive).recording for drive in drives]
        return make_plan(machine, drives, request, self.draw_uuid, recordings, self.arrays())

    def arrays(self) -> Sequence[str]:
        """Return existing md arrays."""
        return ()

    def usual(self) -> Usual:
        """Return the calling user and the default mount points."""
        return Usual()

    def writer_named(self, text: str) -> layout.Writer:
        """Look up `anna`, `group:family`, `everyone` or `root`. Raises BadInput."""
        known = {writer.kind: writer for writer in (layout.EVERYONE, layout.ROOT)}
        if text not in known:
            raise BadInput(t("Cannot look up {name} on a recorded machine. Use everyone or root.", name=text))
        return known[text]

    def options_at_boot(self, drive: Drive, device: str) -> tuple[str, ...] | None:
        """Return the fstab mount options, or None without an fstab line."""
        return None

    def measure(self, drive: Drive, work: Callable[P, T], /, *arguments: P.args, **options: P.kwargs) -> T:
        """Measure without other reads by this program. May take long. Raises Refused."""
        raise Refused(self.obstacle)

    def quick_test_obstacle(self, drive: Drive) -> str:
        """Why the quick test for shingled recording is impossible or useless, as a sentence, or empty."""
        return smr_probe.quick_test_obstacle(drive, self.patterns)

    def remembered(self, drive: Drive, kind: type[T]) -> T | None:
        """Return the last result of this kind for this same drive, or None."""
        result = self._results.get((_attachment_key(drive), kind))
        return result if isinstance(result, kind) else None

    def remember(self, drive: Drive, result: object) -> None:
        """Store a result for `remembered`. `diagnose` uses that of the quick test."""
        self._results[_attachment_key(drive), type(result)] = result

    def why_direct(self, plan: Plan) -> str:
        """Why the plan cannot be rehearsed on a scratch copy, as a clause, or empty."""
        return plan.direct_reason

    def rehearses(self, plan: Plan) -> bool:
        """Return True if `undo_space` rehearses the plan, which takes seconds."""
        return False

    def undo_space(self, plan: Plan) -> UndoSpace:
        """Return the space needed for undo and the location, or why this is unknown."""
        return UndoSpace() if self.why_direct(plan) else ROOM_NOT_YET

    def journal_doubts(self) -> tuple[str, ...]:
        """Return sentences on limitations of the journal's folder."""
        return ()

    def look_at_ext(self, device: str) -> Situation:
        """Inspect an ext2 or ext3 filesystem. May take long and request root. Raises Refused or BadInput."""
        raise Refused(self.obstacle)

    def bring_sources(self, targets: Sequence[str]) -> tuple[Source, ...]:
        """Return possible sources of a copy to one of the mount points `targets`. May take long."""
        return places.sources_of(self.probe(lambda _drive: None), targets)

    def report(self, run: Path) -> str:
        """Return the HTML report on a run. Raises DiskwrightError."""
        raise Refused(t("Save it with: sudo diskwright report {run} -o FILE", run=run_argument(run)))

    def free_bytes(self, place: str) -> int | None:
        """Return the free space of a mounted filesystem for users, None if unknown."""
        return None

    def traffic(self, paths: Sequence[str]) -> int:
        """Return the bytes read and written since the drives were attached, 0 if unknown."""
        return 0


def _attachment_key(drive: Drive) -> object:
    return drive.path, drive.diskseq, drive.serial, drive.wwn, drive.size_bytes
