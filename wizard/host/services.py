"""Services for all user interfaces.

They call only these methods, so screens can be shown without a disk.
"""

from __future__ import annotations

import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from wizard.host.session import OpenRun, PartChange
from wizard.model.errors import BadInput, Refused
from wizard.model.machine import Drive, Kernel, Machine, Partition
from wizard.model.said import t
from wizard.plan.undo_policy import ROOM_NOT_YET, UndoSpace

if TYPE_CHECKING:
    from wizard.advice.catalogue import OptionSite
    from wizard.advice.missing import Missing
    from wizard.advice.request import Offered, Taken
    from wizard.advice.workloads import Profile
    from wizard.apply.copy.places import Source
    from wizard.apply.engine.record import Phase
    from wizard.apply.run.journal import RunState
    from wizard.apply.run.progress_log import StepProgress
    from wizard.apply.run_control import NextCommands
    from wizard.benchmark.candidates.compare import Order, TrialVerdict
    from wizard.benchmark.candidates.compare import TrialProgress as Tried
    from wizard.benchmark.measure import MeasureProgress
    from wizard.benchmark.smr_probe import ProbeProgress
    from wizard.findings.geometry import Pattern
    from wizard.host.session import SessionConversion
    from wizard.model.advice import Advice, Choice
    from wizard.model.finding import Diagnosis, Finding, Recording
    from wizard.model.layout import Writer
    from wizard.model.migration import Migration, Prospect
    from wizard.model.requests import Wanted
    from wizard.model.run import JournalEntry
    from wizard.model.said import Message
    from wizard.model.verdict import DisplacedVerdict, Verdict
    from wizard.plan.changes import Bring, Changes, RunDocument
    from wizard.plan.plan import Plan
    from wizard.plan.planner import Mode
    from wizard.plan.raid.striped import StripeRequest
    from wizard.plan.request.using import Usual
    from wizard.plan.request.volume_request import Arrangement, VolumeSpec

NOT_RECORDED = t("This recording lacks the data for a migration to ext4. Inspect it on the machine itself.")

# Packages are imported inside methods, so the first list of drives appears before they are loaded.


class Services(ABC):
    """Services for the screens. Here are the rules that need no disk. All else is refused with `obstacle`, or
    empty.

    Methods marked "may take long" must be called in a thread.
    """

    demo = False
    """True if the drive is a demo drive, deleted when the wizard exits."""

    def __init__(self, draw_uuid: Callable[[], str] = lambda: str(uuid4())) -> None:
        self._draw_uuid = draw_uuid
        self._tests: dict[object, DisplacedVerdict] = {}

    @cached_property
    def _patterns(self) -> tuple[Pattern, ...]:
        from wizard.findings.geometry import load_patterns

        return load_patterns()

    @cached_property
    def _profiles(self) -> tuple[Profile, ...]:
        from wizard.advice.workloads import load_workloads

        return load_workloads()

    @property
    def obstacle(self) -> str:
        """Why changes and measurements are not possible here, as a sentence, or empty."""
        return ""

    @property
    def needs_root(self) -> bool:
        """True if only root privileges are missing."""
        return False

    @property
    def apply_obstacle(self) -> str:
        """Why changes cannot be applied here, as a sentence, or empty.

        Differs from `obstacle` only for an unprivileged user who can be asked for a password: applying is
        possible then, but measuring is not.
        """
        return self.obstacle

    @property
    def asks_for_root(self) -> bool:
        """True if root privileges still need to be requested, perhaps with a password prompt in the terminal.
        `start` does so if `obtain_root` was not called."""
        return False

    def obtain_root(self) -> None:  # noqa: B027
        """Request root privileges and wait for the result. The terminal must be free. Drives are then read as
        root, too.

        Does nothing if root privileges are already available. Raises Refused if the request fails; nothing
        has changed then.
        """

    def install_offer(self, missing: Missing) -> str:
        """Return the question to ask before an installation, with the download size if the package manager
        reports one. May take seconds. Raises Refused, with the missing tools, if they cannot be installed."""
        raise Refused(f"{missing.said} {self.obstacle}".rstrip())

    def install(self, missing: Missing, on_line: Callable[[str], None]) -> None:
        """Install missing tools, and pass each output line of the package manager to `on_line`, from another
        thread. Probe the machine again afterwards. Requests root privileges if `obtain_root` was not called.
        Raises Refused or Failed with one sentence."""
        self.install_offer(missing)

    @abstractmethod
    def drive_paths(self) -> tuple[str, ...]:
        """Return the nodes of all drives without reading them. Returns immediately."""

    @abstractmethod
    def surroundings(self) -> Machine:
        """Return the machine without drives: kernel and tools. Fast, but not immediate."""

    @abstractmethod
    def probe(self, on_drive: Callable[[Drive], None]) -> Machine:
        """Read all drives in parallel, and report each when done. May take long."""

    def changes(self, stop: threading.Event) -> Iterator[None]:
        """Yield None each time the drives may have changed since this call, which returns immediately.
        Iteration blocks."""
        return iter(())

    def is_attached(self, drive: Drive) -> bool:
        """Return True if this same drive is still attached, and not another one at its node. Returns
        immediately."""
        return True

    def diagnose(self, machine: Machine | None, drive: Drive) -> Diagnosis:
        """Return the findings for a drive. `machine` is None if still unknown."""
        from wizard.apply.remedies import diagnose

        known_machine = machine or Machine(Kernel(os.uname().release), (drive,), root=os.geteuid() == 0)
        return diagnose(known_machine, drive, self._patterns, self.quick_tested(drive), self._fstab)

    def absent_at_boot(self, machine: Machine) -> tuple[Finding, ...]:
        """Return the findings about fstab lines of devices that are not attached."""
        from wizard.apply.remedies import absent_at_boot

        return tuple(absent_at_boot(machine, self._fstab)) if self._fstab else ()

    @property
    def _fstab(self) -> Path | None:
        """The fstab of a live machine."""
        return None

    def profiles(self) -> tuple[Profile, ...]:
        """Return the workloads."""
        return self._profiles

    def advise(
        self,
        machine: Machine,
        drive: Drive,
        recording: Recording,
        workload: str,
        size_bytes: int | None = None,
    ) -> Advice:
        """Return the ranking of filesystems for one drive and workload."""
        from wizard.advice.ranking import advise

        return advise(machine, drive, recording, self._profile(workload), size_bytes=size_bytes)

    def offered_options(
        self, machine: Machine, drive: Drive, recording: Recording, workload: str, choice: Choice
    ) -> tuple[Offered, ...]:
        """Return the options that can be added to the recommended ones. Raises BadInput if the catalogue is
        unreadable."""
        from wizard.advice.catalogue import load_catalogue
        from wizard.advice.request import offered

        return offered(choice, self._site(machine, drive, recording, workload), load_catalogue())

    def take_options(
        self,
        machine: Machine,
        drive: Drive,
        recording: Recording,
        workload: str,
        choice: Choice,
        names: Sequence[str],
        phrases: Sequence[str],
    ) -> Taken:
        """Return a choice with the given options added. `phrases` are the confirmations typed. Raises
        BadInput or Refused with the reason."""
        from wizard.advice.catalogue import load_catalogue
        from wizard.advice.request import take_options

        return take_options(
            choice,
            names,
            phrases,
            self._site(machine, drive, recording, workload),
            load_catalogue(),
            workload,
        )

    def volume_choices(
        self, machine: Machine, drive: Drive, recording: Recording, workload: str, role: str
    ) -> tuple[Choice, ...]:
        """Return the filesystems for a volume with this workload and role (empty for none). The first is
        proposed unless it has an obstacle."""
        from wizard.plan.request.roles import usual_bytes
        from wizard.plan.request.wanted import advice_in_role

        advice = self.advise(machine, drive, recording, workload, usual_bytes(role, machine.memory_bytes))
        return advice_in_role(advice, role).choices

    def in_role(
        self, machine: Machine, drive: Drive, recording: Recording, spec: VolumeSpec, role: str
    ) -> VolumeSpec:
        """Return the request with another role (empty for none) and the settings for that role. Raises
        Refused if not possible."""
        from wizard.plan.request.roles import ROLES
        from wizard.plan.request.wanted import in_role

        workload = ROLES[role].workload if role in ROLES else spec.workload.id
        choices = self.volume_choices(machine, drive, recording, workload, role)
        return in_role(spec, role, choices, self._profile(workload).workload, machine.memory_bytes)

    def desktop(
        self, machine: Machine, drive: Drive, recording: Recording, mode: Mode
    ) -> tuple[VolumeSpec, ...]:
        """Return the volumes of a desktop system. Raises BadInput or Refused with the reason."""
        from wizard.plan.planner import Mode
        from wizard.plan.request.wanted import desktop_requests, room_for_preset, spec_of

        room = room_for_preset(drive, preserve=mode is Mode.USE_FREE)
        return tuple(
            spec_of(machine, drive, recording, asked)
            for asked in desktop_requests(room, machine.memory_bytes)
        )

    def plan(
        self,
        machine: Machine,
        drive: Drive,
        specs: tuple[VolumeSpec, ...],
        mode: Mode | None,
        arrangement: Arrangement | None = None,
    ) -> Plan:
        """Return the plan. Raises Refused or BadInput with the reason."""
        from wizard.plan.planner import PLAIN, make_plan

        recording = self.diagnose(machine, drive).recording
        plan = make_plan(machine, drive, specs, mode, self._draw_uuid, arrangement or PLAIN, recording)
        return self._with_boot_entries(plan, (drive,))

    def plan_striped(
        self,
        machine: Machine,
        drives: Sequence[Drive],
        spec: VolumeSpec,
        asked: StripeRequest,
        mode: Mode | None,
    ) -> Plan:
        """Plan one volume over several drives. Raises as `plan` does."""
        from wizard.plan.raid.striped import make_striped_plan

        recordings = [self.diagnose(machine, drive).recording for drive in drives]
        plan = make_striped_plan(
            machine, drives, spec, asked, mode, self._draw_uuid, recordings, self._arrays()
        )
        return self._with_boot_entries(plan, drives)

    def with_usual_place(
        self, drive: Drive, spec: VolumeSpec, others: Sequence[VolumeSpec] = ()
    ) -> VolumeSpec:
        """Fill in default owner and mount point if the request contains neither. `others`: other volumes of
        the drive."""
        from wizard.plan.request.using import with_usual_place

        return with_usual_place(spec, drive, self.usual(), others)

    def usual(self) -> Usual:
        """Return the calling user and the default mount points."""
        from wizard.plan.request.using import Usual

        return Usual()

    def writer_named(self, text: str) -> Writer:
        """Look up a writer: `anna`, `group:family`, `everyone` or `root`. Raises BadInput for unknown
        names."""
        from wizard.model.layout import EVERYONE, ROOT

        known = {writer.kind: writer for writer in (EVERYONE, ROOT)}
        if text not in known:
            raise BadInput(t("Cannot look up {name} on a recorded machine. Use everyone or root.", name=text))
        return known[text]

    def options_at_boot(self, drive: Drive, device: str) -> tuple[str, ...] | None:
        """Return the fstab mount options of a filesystem, or None without an fstab line."""
        return None

    def plan_part(
        self,
        machine: Machine,
        drive: Drive,
        part: Partition,
        change: PartChange,
        specs: tuple[VolumeSpec, ...] = (),
        size_bytes: int = 0,
    ) -> Plan:
        """Plan a change to one partition that preserves the others. `specs`: the volume to format for.
        `size_bytes`: new size when shrinking or growing; 0 grows to all free space. Raises Refused or
        BadInput with the reason."""
        from wizard.plan.partition.replace import delete_plan, format_plan, grow_plan, shrink_plan

        recording = self.diagnose(machine, drive).recording
        match change:
            case PartChange.FORMAT:
                plan = format_plan(machine, drive, part, specs, self._draw_uuid, recording)
                return self._with_boot_entries(plan, (drive,))
            case PartChange.DELETE:
                return self._with_boot_entries(delete_plan(machine, drive, part, recording), (drive,))
            case PartChange.GROW:
                return grow_plan(machine, drive, part, recording, size_bytes or None)
            case PartChange.SHRINK:
                return shrink_plan(machine, drive, part, size_bytes, recording)

    def restore_table(self, machine: Machine, drive: Drive) -> Plan:
        """Plan to write a lost partition table back. Raises Refused."""
        from wizard.plan.partition.restore import restore_plan

        return restore_plan(machine, drive, self._draw_uuid, self.diagnose(machine, drive).recording)

    def work_out(self, device: str, wanted: Wanted) -> Changes:
        """Plan the requested changes to an existing filesystem or its drive. Raises Refused or BadInput with
        the reason. May take long and request root privileges."""
        raise Refused(self.obstacle)

    def ready(self, changes: Changes) -> tuple[Message, ...]:
        """Return how to use the filesystems that were mounted, and who may. Empty if none was."""
        return ()

    def open_runs(self) -> tuple[OpenRun, ...]:
        """Return active and waiting runs, newest first. Empty if only root may read them. May take long."""
        return ()

    def next_commands(self, run: Path) -> NextCommands | None:
        """Return the commands available for a run: resume, keep, undo. None if only root can tell. Compares
        the drives, so may take long."""
        return None

    def document(self, run: Path) -> RunDocument:
        """Return the document of a run. Raises BadInput if unreadable."""
        raise Refused(self.obstacle)

    def report(self, run: Path) -> str:
        """Return the report on a run as an HTML page. Raises DiskwrightError."""
        from wizard.apply.run.runs import run_argument

        raise Refused(t("Save it with: sudo diskwright report {run} -o FILE", run=run_argument(run)))

    def blocker(self, drive: Drive) -> str:
        """Why a drive cannot be set up at all, as a sentence, or empty."""
        from wizard.plan.refusals import refuse_drive

        try:
            refuse_drive(drive)
        except Refused as error:
            return str(error)
        return ""

    def scratch_obstacle(self, drive: Drive) -> str:
        """Why a drive cannot be measured by writing, as a sentence, or empty."""
        from wizard.benchmark.scratch import scratch_extents

        try:
            scratch_extents(drive)
        except Refused as error:
            return str(error)
        return ""

    def measure(
        self,
        drive: Drive,
        *,
        write: bool,
        physical_bytes: int | None,
        on_progress: Callable[[MeasureProgress], None],
        stop: Callable[[], bool],
    ) -> Verdict:
        """Run the paired alignment benchmark, assuming blocks of `physical_bytes` if given. Takes up to half
        a minute."""
        raise Refused(self.obstacle)

    def quick_test_obstacle(self, drive: Drive) -> str:
        """Why the quick test for shingled recording is impossible or useless on a drive, as a sentence, or
        empty."""
        from wizard.benchmark.smr_run import quick_test_obstacle

        return quick_test_obstacle(drive, self._patterns)

    def quick_test(
        self, drive: Drive, *, on_progress: Callable[[ProbeProgress], None], stop: Callable[[], bool]
    ) -> DisplacedVerdict:
        """Run the quick test for shingled recording, which writes. `diagnose` uses the result from then on.
        Takes up to a minute."""
        raise Refused(self.obstacle)

    def quick_tested(self, drive: Drive) -> DisplacedVerdict | None:
        """Return the result of the quick test on this same drive, or None. Returns immediately."""
        return self._tests.get(_attachment_key(drive))

    def try_filesystems(
        self, order: Order, *, on_progress: Callable[[Tried], None], stop: Callable[[], bool]
    ) -> TrialVerdict:
        """Create and compare several filesystems in free space, after the user typed the token. Writes. Takes
        minutes."""
        raise Refused(self.obstacle)

    def why_direct(self, plan: Plan) -> str:
        """Why the plan must run directly on the drive, as a clause, or empty if it is rehearsed on a scratch
        copy, as far as known here."""
        from wizard.plan.steps import direct_reason

        return direct_reason(plan)

    def rehearses(self, plan: Plan) -> bool:
        """Return True if `undo_space` rehearses the plan, which takes seconds. Otherwise it returns
        immediately."""
        return False

    def undo_space(self, plan: Plan) -> UndoSpace:
        """Return the space needed for undo and its location, or why this is unknown."""
        return UndoSpace() if self.why_direct(plan) else ROOM_NOT_YET

    def journal_doubts(self) -> tuple[str, ...]:
        """Return sentences on limitations of the journal in its folder."""
        return ()

    def start(self, document: RunDocument, tokens: Sequence[str], secret: bytes | None = None) -> Path:
        """Start a separate process for a document, and return the run's folder. `tokens`: one per drive.
        `secret`: encryption passphrase, never stored.

        May take long and request root privileges. Writes.
        """
        raise Refused(self.obstacle)

    def follow(self, run: Path, meanwhile: Callable[[], None] | None = None) -> Iterator[JournalEntry]:
        """Yield journal entries of a run until it ends, blocking in between. `meanwhile` is called regularly
        while waiting."""
        return iter(())

    def state(self, run: Path) -> RunState:
        """Return the state of a run."""
        from wizard.apply.run.journal import RunState

        return RunState.INTERRUPTED

    def request_stop(self, run: Path) -> None:  # noqa: B027
        """Ask a run to stop before its next step."""

    def migration_prospect(self, drive: Drive, moving: SessionConversion) -> Prospect:
        """Return the methods to convert a filesystem on the drive to ext4, with their obstacles.

        Raises Refused or BadInput. May take long and request root privileges.
        """
        raise Refused(str(NOT_RECORDED))

    def plan_migration(self, drive: Drive, moving: SessionConversion) -> Migration:
        """Return the steps of the selected conversion method. Raises Refused or BadInput with the reason. May
        take long and request root privileges."""
        raise Refused(str(NOT_RECORDED))

    def progress(self, run: Path) -> StepProgress | None:
        """Return the progress of the current step, or None if unknown."""
        return None

    def power(self, run: Path) -> str:
        """Return the consequences of a power cut now, or empty if unknown."""
        return ""

    def phase(self, run: Path) -> Phase | None:
        """Return the phase of a rehearsed run, or None for other runs."""
        return None

    def closed(self, run: Path) -> str:
        """Why a conversion can no longer be undone because its filesystem was used since, or empty. Reads the
        drive."""
        return ""

    def keep(self, run: Path, secret: bytes | None = None) -> str:
        """Keep the result of a run and delete its undo data. Return a confirmation. `secret`: the passphrase,
        if encrypted. May take long. Writes."""
        raise Refused(self.obstacle)

    def writes_over(self, run: Path) -> bool:
        """Return True if resuming a run still overwrites existing data, so the user must type the tokens
        again. Raises BadInput if unreadable."""
        return False

    def wants_secret(self, run: Path) -> bool:
        """Return True if resuming a run requires the encryption passphrase."""
        return False

    def resume(self, run: Path, secret: bytes | None = None) -> None:
        """Resume an interrupted run in a separate process. Raises Refused with the reason, or with the
        command to run as root. May take long. Writes."""
        raise Refused(self.obstacle)

    def free_bytes(self, place: str) -> int | None:
        """Return the free space for users of a mounted filesystem, None if unknown."""
        return None

    def traffic(self, paths: Sequence[str]) -> int:
        """Return the number of bytes read from and written to these drives since they were attached, 0 if
        unknown. Returns immediately."""
        return 0

    def undo(self, run: Path) -> None:
        """Undo the changes of a run and verify the result before returning. May take long. Writes."""
        raise Refused(self.obstacle)

    def bring_sources(self, targets: Sequence[str]) -> tuple[Source, ...]:
        """Return possible sources of a copy to a filesystem mounted at one of the `targets`. May take
        long."""
        from wizard.apply.copy.places import sources_of

        return sources_of(self.probe(lambda _drive: None), targets)

    def plan_bring(self, source: str, target: str, into: str, *, takes_place: bool) -> Bring:
        """Count the files and plan a copy. `into` is a folder on the target, empty for the top. Raises
        BadInput or Refused with the reason. May take long."""
        raise Refused(self.obstacle)

    def remember_test(self, drive: Drive, verdict: DisplacedVerdict) -> DisplacedVerdict:
        """Store a quick test result, and return it."""
        self._tests[_attachment_key(drive)] = verdict
        return verdict

    def _profile(self, workload: str) -> Profile:
        from wizard.advice.workloads import find_workload

        return next(
            (known for known in self._profiles if known.workload.id == workload), None
        ) or find_workload(workload)

    def _site(self, machine: Machine, drive: Drive, recording: Recording, workload: str) -> OptionSite:
        from wizard.advice.ranking import site_of

        return site_of(machine, drive, recording, self._profile(workload), None)

    def _arrays(self) -> Sequence[str]:
        """Return existing md arrays, on a live machine."""
        return ()

    def _with_boot_entries(self, plan: Plan, drives: Sequence[Drive]) -> Plan:
        """Add the plan's effects on fstab and crypttab, on a live machine."""
        return plan


def _attachment_key(drive: Drive) -> object:
    """Return a key that changes when the drive is replaced or reattached."""
    return drive.path, drive.diskseq, drive.serial, drive.wwn, drive.size_bytes
