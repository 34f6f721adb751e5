"""A machine for all user interfaces: this one, or a recording to view and plan."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from msgspec.structs import replace

from wizard.advice.missing import Missing
from wizard.findings.geometry import Pattern, load_patterns
from wizard.model import layout
from wizard.model.errors import BadInput, DiskwrightError, Refused
from wizard.model.finding import Diagnosis, Finding
from wizard.model.machine import Drive, Kernel, Machine
from wizard.model.said import t
from wizard.model.verdict import DisplacedVerdict
from wizard.probe.host.sysfs import drive_names, node_of
from wizard.process.deferred import deferred

if TYPE_CHECKING:
    from wizard.plan.plan import Plan
    from wizard.plan.request.plan_request import Request

with deferred(__name__):
    from wizard.advice import workloads
    from wizard.apply import local_runs, packages, remedies
    from wizard.apply.copy import places
    from wizard.apply.plan import guard
    from wizard.apply.plan import job as plan_job
    from wizard.apply.privilege import ask, client
    from wizard.apply.run import backup_store, runs
    from wizard.apply.settings import existing_filesystem
    from wizard.apply.steps import arrays
    from wizard.apply.system import mounts
    from wizard.benchmark import smr_probe
    from wizard.benchmark.candidates import partition
    from wizard.plan import planner, text
    from wizard.plan.request import using
    from wizard.probe import interpret, pool
    from wizard.probe import machine as probe_machine
    from wizard.probe.host import environment

P = ParamSpec("P")
T = TypeVar("T")

NOTHING = Machine(Kernel(""), ())


class Services:
    """This machine, or the recorded `machine`, on which measuring and applying are refused.

    Call methods marked "may take long" in a thread. `where` names the file of the recording. `only` restricts
    this machine to some drives, as in the demo. `journal_dir` is the folder for runs. `mounts`: a folder of
    root for mount points, instead of /srv. `page_of` renders the report of a run.
    """

    def __init__(
        self,
        machine: Machine | None = None,
        where: str = "",
        draw_uuid: Callable[[], str] | None = None,
        *,
        only: Sequence[str] | None = None,
        environment: backup_store.Environment | None = None,
        journal_dir: Path | None = None,
        mounts: Path | None = None,
        page_of: Callable[[Path], str] | None = None,
    ) -> None:
        self.is_recording, self.machine = machine is not None, machine or NOTHING
        self.draw_uuid, self._where = draw_uuid, where
        # The demo drive is deleted when the wizard exits.
        self.demo = only is not None
        self._only = None if only is None else tuple(only)
        # Restricted drives and another fstab are not passed to the privileged process.
        self._can_ask = only is None and environment is None
        everything = frozenset(only) if only is not None else None
        self._environment = environment or backup_store.Environment(only=everything)
        self.fstab = None if self.is_recording else self._environment.fstab
        self._journal_dir, self._mounts, self._page_of = journal_dir, mounts, page_of
        self._results: dict[object, object] = {}
        self._elevated: client.Elevated | None = None
        self._tried: tuple[Plan, text.UndoSpace] | None = None
        self._direct: tuple[Plan, str] | None = None
        # Rehearsing a plan reads the drive, which would disturb speed measurements.
        self._one_reads = threading.Lock()

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
        """Why changes and measurements are not possible here, as a sentence, or empty.

        Measuring is not delegated, so this process itself must be root.
        """
        if self.is_recording:
            return str(
                t(
                    "These drives are a recording ({file}). Plans can be made and saved, but not "
                    "applied, and drives cannot be measured.",
                    file=self._where,
                )
            )
        return str(t("Only root can measure and write drives.")) if self.needs_root else ""

    @property
    def needs_root(self) -> bool:
        """True if only root privileges are missing."""
        return not self.is_recording and os.geteuid() != 0

    @property
    def apply_obstacle(self) -> str:
        """Why changes cannot be applied here, as a sentence, or empty. Unlike `obstacle`, empty for a user
        who can be asked for a password."""
        return "" if self._elevated or self._root_program else self.obstacle

    @property
    def asks_for_root(self) -> bool:
        """True if root must still be requested, perhaps with a password prompt in the terminal."""
        return self.needs_root and self._root is None and self._root_program is not None

    def obtain_root(self) -> None:
        """Request root and wait for the result; drives are then read as root. The terminal must be free.
        Raises Refused if denied; nothing has changed then."""
        if not self.needs_root or self._root is not None:
            return
        if self._root_program is None:
            raise Refused(
                t(
                    "{why} Neither sudo, run0 nor pkexec is available. Nothing was written.",
                    why=self.obstacle,
                )
            )
        self._elevated = client.Elevated(self._root_program, self._journal_dir)

    @cached_property
    def _root_program(self) -> ask.RootProgram | None:
        return ask.find_root_program() if self.needs_root and self._can_ask else None

    @property
    def _root(self) -> client.Elevated | None:
        return self._elevated if self._elevated is not None and not self._elevated.gone else None

    @cached_property
    def _local_runs(self) -> local_runs.LocalRuns:
        return local_runs.LocalRuns(self._environment, self._journal_dir)

    @property
    def runs(self) -> local_runs.LocalRuns:
        """Runs on this machine. Raises Refused on a recorded one.

        For an unprivileged user, the privileged process starts one run, and only knows that one.
        """
        if self.is_recording:
            raise Refused(self.obstacle)
        return self._elevated or self._local_runs

    def as_root(self) -> local_runs.LocalRuns:
        """Return `runs` with root, requested if necessary. Raises Refused."""
        if self.is_recording:
            raise Refused(self.obstacle)
        self.obtain_root()
        return self.runs

    def open_runs(self) -> tuple[local_runs.OpenRun, ...]:
        """Return active and waiting runs, newest first, as far as readable. May take long."""
        return () if self.is_recording else self._local_runs.open_runs()

    def install_offer(self, missing: Missing) -> str:
        """Return the question before an installation, with the download size if known. May take seconds.
        Raises Refused, with the missing tools."""
        if self.is_recording:
            raise Refused(f"{missing.said} {self.obstacle}".rstrip())
        return str(packages.offer(missing))

    def drive_paths(self) -> tuple[str, ...]:
        """Return the nodes of all drives, immediately."""
        if self.is_recording:
            return tuple(drive.path for drive in self.machine.drives)
        return self._only if self._only is not None else tuple(map(node_of, drive_names()))

    def surroundings(self) -> Machine:
        """Return the machine without drives. Fast, but not immediate."""
        if self.is_recording:
            return replace(self.machine, drives=())
        root = self._root
        return interpret.machine_of(root.look(())) if root else probe_machine.probe_machine(())

    def probe(self, on_drive: Callable[[Machine], None]) -> Machine:
        """Read all drives in parallel, reporting each when done, with the machine. May take long.

        Reads in workers with a time limit, or in the privileged process, which reports all drives together.
        """
        root = self._root
        if not (self.is_recording or root):
            if not self.needs_root:
                # Otherwise a partition left by a killed benchmark would look like user data.
                partition.sweep_all()
            return probe_machine.probe_machine(self._only, on_drive=on_drive)
        machine = interpret.machine_of(root.look(self._only)) if root else self.machine
        for drive in machine.drives:
            on_drive(replace(machine, drives=(drive,)))
        return machine

    def changes(self, stop: threading.Event) -> Iterator[None]:
        """Yield None when the drives may have changed since this call. Iteration blocks."""
        return iter(()) if self.is_recording or self._only is not None else pool.watch_drives(stop)

    def is_attached(self, drive: Drive) -> bool:
        """Return True, immediately, if the drive at this node is still the same."""
        return self.is_recording or pool.is_attached(drive.path, drive.diskseq)

    def diagnose(self, machine: Machine | None, drive: Drive) -> Diagnosis:
        """Return the findings for a drive."""
        known = machine or Machine(Kernel(os.uname().release), (drive,), root=os.geteuid() == 0)
        return remedies.diagnose(
            known, drive, self.patterns, self.remembered(drive, DisplacedVerdict), self.fstab
        )

    def absent_at_boot(self, machine: Machine) -> tuple[Finding, ...]:
        """Return the findings about fstab lines of detached devices."""
        known = self.fstab if self._only is None else None
        return tuple(remedies.absent_at_boot(machine, known)) if known else ()

    def plan(self, machine: Machine, drives: Sequence[Drive], request: Request) -> Plan:
        """Make a plan, with the effects on fstab and crypttab. Raises Refused or BadInput."""
        recordings = [self.diagnose(machine, drive).recording for drive in drives]
        taken = () if self.is_recording else arrays.taken_arrays()
        plan = planner.make_plan(
            machine, drives, request, self.draw_uuid or planner.new_uuid, recordings, taken
        )
        if self.is_recording:
            return plan
        guard.check_places(plan)
        return existing_filesystem.with_lines_left(plan, drives, self._environment)

    def usual(self) -> using.Usual:
        """Return the calling user and the default mount points. In `mounts`, volumes belong to root because
        no one else can reach them."""
        if self.is_recording:
            return using.Usual()
        usual = mounts.usual_here(self._environment.fstab, self._mounts)
        return replace(usual, caller=layout.ROOT) if self._mounts else usual

    def writer_named(self, text: str) -> layout.Writer:
        """Look up `anna`, `group:family`, `everyone` or `root`. Raises BadInput."""
        if not self.is_recording:
            return environment.writer_named(text)
        known = {writer.kind: writer for writer in (layout.EVERYONE, layout.ROOT)}
        if text not in known:
            raise BadInput(t("Cannot look up {name} on a recorded machine. Use everyone or root.", name=text))
        return known[text]

    def options_at_boot(self, drive: Drive, device: str) -> tuple[str, ...] | None:
        """Return the fstab mount options, which requires no privileges, or None without an fstab line."""
        if self.is_recording:
            return None
        return existing_filesystem.options_at_boot(drive, device, self._environment.fstab)

    def measure(self, drive: Drive, work: Callable[P, T], /, *arguments: P.args, **options: P.kwargs) -> T:
        """Measure without other reads by this program. May take long. Raises Refused."""
        if self.is_recording:
            raise Refused(self.obstacle)
        if self._only is not None and drive.path not in self._only:
            raise Refused(t("{drive} is not the demo drive.", drive=drive.path))
        with self._one_reads:
            return work(*arguments, **options)

    def quick_test_obstacle(self, drive: Drive) -> str:
        """Why the quick test for shingled recording is impossible or useless, as a sentence, or empty."""
        return smr_probe.quick_test_obstacle(drive, self.patterns)

    def remembered(self, drive: Drive, kind: type[T]) -> T | None:
        """Return the last result of this kind for this same drive, or None."""
        found = self._results.get((kind, _attachment_key(drive)))
        return found if isinstance(found, kind) else None

    def remember(self, drive: Drive, result: object) -> None:
        """Store a result for `remembered`. `diagnose` uses quick test results."""
        self._results[type(result), _attachment_key(drive)] = result

    def why_direct(self, plan: Plan) -> str:
        """Why the plan cannot be rehearsed on a scratch copy, as a clause, or empty. Root checks the means to
        create one, once per plan."""
        if self.is_recording or self.needs_root:
            return plan.direct_reason
        if self._direct is None or self._direct[0] is not plan:
            self._direct = plan, plan_job.why_direct(plan, runs.runs_folder(self._journal_dir))
        return self._direct[1]

    def rehearses(self, plan: Plan) -> bool:
        """Return True if `undo_space` rehearses the plan, which takes seconds. Only root can create scratch
        copies."""
        can = not self.is_recording and (not self.needs_root or self._root is not None)
        return can and not self.why_direct(plan)

    def undo_space(self, plan: Plan) -> text.UndoSpace:
        """Return the space needed for undo and the location, or why this is unknown. After success, the same
        plan is not rehearsed again."""
        if self.why_direct(plan):
            return text.UndoSpace()
        if not self.rehearses(plan):
            return text.ROOM_NOT_YET
        with self._one_reads:
            if self._tried is None or self._tried[0] != plan:
                try:
                    room = self.runs.undo_space(plan)
                except DiskwrightError as error:
                    return text.UndoSpace(t("The space needed for undo is unknown. {why}", why=error))
                if not room.fits:
                    return room
                self._tried = plan, room
            return self._tried[1]

    def journal_doubts(self) -> tuple[str, ...]:
        """Return sentences on limitations of the journal's folder."""
        if self.is_recording or self.demo:
            return ()
        # The privileged process does not see an unprivileged user's environment.
        own = self._journal_dir or runs.STATE / "runs"
        return runs.doubts_about(own if self.needs_root else runs.runs_folder(self._journal_dir))

    def bring_sources(self, targets: Sequence[str]) -> tuple[places.Source, ...]:
        """Return possible sources of a copy to one of the mount points `targets`. May take long.

        Reads the drives again, because volumes may have been created or mounted since.
        """
        found = places.sources_of(self.probe(lambda _: None), targets)
        return found if self.is_recording else (*places.homes_apart(found), *found)

    def report(self, run: Path) -> str:
        """Return the HTML report on a run. Raises DiskwrightError."""
        if self._page_of is None:
            raise Refused(t("Save it with: sudo diskwright report {run} -o FILE", run=runs.run_argument(run)))
        return self._page_of(run)

    def free_bytes(self, place: str) -> int | None:
        """Return the free space of a mounted filesystem for users, None if unknown."""
        try:
            status = None if self.is_recording else os.statvfs(place)
        except OSError:
            return None
        return status and status.f_bavail * status.f_frsize

    def traffic(self, paths: Sequence[str]) -> int:
        """Return the bytes read and written since the drives were attached, 0 if unknown."""
        # Slow to load, and only needed during a run.
        from psutil import disk_io_counters

        counted = {} if self.is_recording else disk_io_counters(perdisk=True, nowrap=False)
        counters = (counted[name] for path in paths if (name := path.removeprefix("/dev/")) in counted)
        return sum(one.read_bytes + one.write_bytes for one in counters)


def _attachment_key(drive: Drive) -> object:
    return drive.path, drive.diskseq, drive.serial, drive.wwn, drive.size_bytes
