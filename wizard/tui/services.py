"""The rooms as the screens see them. The screens call nothing else, so that they can be shown without a disk."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from uuid import uuid4

from wizard.model.errors import Refused
from wizard.model.machine import Drive, Kernel, Machine
from wizard.model.names import printable
from wizard.probe.sysfs import drive_names, node_of

if TYPE_CHECKING:
    from wizard.advise.workloads import Profile
    from wizard.apply.environment import Environment
    from wizard.apply.journal import RunState
    from wizard.diagnose.patterns import Pattern
    from wizard.layout.planner import Mode
    from wizard.layout.wish import Wish
    from wizard.model.advice import Advice
    from wizard.model.finding import Diagnosis, Recording
    from wizard.model.journal import Entry
    from wizard.model.plan import Plan
    from wizard.model.verdict import Verdict
    from wizard.trial.alignment import Progress

# The rooms are imported where they are called: the first list of drives is on the screen before they are loaded.


class Services(Protocol):
    """What the screens need. Methods that say so may take long and are called in threads."""

    @property
    def obstacle(self) -> str:
        """Why nothing can be applied or measured from here, in a sentence; empty where it can."""
        ...

    @property
    def needs_root(self) -> bool:
        """Whether only the rights of root are missing to apply."""
        ...

    @property
    def demo(self) -> bool:
        """Whether the drive is a disposable one, which goes with the wizard."""
        ...

    def drive_paths(self) -> tuple[str, ...]:
        """The drives there are, without reading any of them. At once."""
        ...

    def surroundings(self) -> Machine:
        """The machine without its drives: its kernel and its tools. Quick, but not at once."""
        ...

    def probe(self, on_drive: Callable[[Drive], None]) -> Machine:
        """Read all drives side by side, and say each as it answers. May take long."""
        ...

    def changes(self, stop: threading.Event) -> Iterator[None]:
        """One None for every time the drives may have changed since this call, which returns at once. Iterating blocks."""
        ...

    def is_attached(self, drive: Drive) -> bool:
        """Whether this very drive is still there, and not another one at its node. At once."""
        ...

    def diagnose(self, machine: Machine | None, drive: Drive) -> Diagnosis:
        """What is wrong with a drive; `machine` None while it is not known yet."""
        ...

    def profiles(self) -> tuple[Profile, ...]:
        """The purposes."""
        ...

    def advise(self, machine: Machine, drive: Drive, recording: Recording, workload: str, size_bytes: int | None = None) -> Advice:
        """The ranking for one drive and purpose."""
        ...

    def plan(self, machine: Machine, drive: Drive, wishes: tuple[Wish, ...], mode: Mode | None) -> Plan:
        """The layout; raises Refused or BadInput with the reason."""
        ...

    def mount_proposal(self, label: str) -> str | None:
        """Where a volume with this label could be mounted; None to leave it to the person."""
        ...

    def impediment(self, drive: Drive) -> str:
        """Why a drive cannot be set up at all, in a sentence; empty where it can."""
        ...

    def scratch_obstacle(self, drive: Drive) -> str:
        """Why nothing can be measured by writing on a drive, in a sentence; empty where it can."""
        ...

    def measure(
        self,
        drive: Drive,
        *,
        write: bool,
        physical_bytes: int | None,
        on_progress: Callable[[Progress], None],
        stop: Callable[[], bool],
    ) -> Verdict:
        """The paired alignment probe, as if blocks were of `physical_bytes` where given. Takes up to half a minute."""
        ...

    def journal_doubts(self) -> tuple[str, ...]:
        """What the journal could not do where it lies, in sentences."""
        ...

    def start(self, plan: Plan, token: str) -> Path:
        """Start a process of its own that applies the plan; the run's folder. May take long; writes."""
        ...

    def follow(self, run: Path) -> Iterator[Entry]:
        """The run's journal as it grows. Blocks until the run has ended."""
        ...

    def state(self, run: Path) -> RunState:
        """Where a run stands."""
        ...

    def request_stop(self, run: Path) -> None:
        """Ask the run to stop before its next step."""
        ...


class Rules:
    """Everything that needs no disk: the same for the live and the recorded machine."""

    demo = False

    def __init__(self, draw_uuid: Callable[[], str] = lambda: str(uuid4())) -> None:
        self._draw_uuid = draw_uuid

    @cached_property
    def _patterns(self) -> tuple[Pattern, ...]:
        from wizard.diagnose.patterns import load_patterns

        return load_patterns()

    @cached_property
    def _profiles(self) -> tuple[Profile, ...]:
        from wizard.advise.workloads import load_workloads

        return load_workloads()

    def diagnose(self, machine: Machine | None, drive: Drive) -> Diagnosis:
        """As the protocol says."""
        from wizard.diagnose.diagnose import diagnose

        around = machine or Machine(Kernel(os.uname().release), (drive,), root=os.geteuid() == 0)
        return diagnose(around, drive, self._patterns)

    def profiles(self) -> tuple[Profile, ...]:
        """As the protocol says."""
        return self._profiles

    def advise(self, machine: Machine, drive: Drive, recording: Recording, workload: str, size_bytes: int | None = None) -> Advice:
        """As the protocol says."""
        from wizard.advise.advise import advise
        from wizard.advise.workloads import find_workload

        profile = next((known for known in self._profiles if known.workload.id == workload), None) or find_workload(workload)
        return advise(machine, drive, recording, profile, size_bytes=size_bytes)

    def plan(self, machine: Machine, drive: Drive, wishes: tuple[Wish, ...], mode: Mode | None) -> Plan:
        """As the protocol says."""
        from wizard.layout.planner import make_plan

        return make_plan(machine, drive, wishes, mode, self._draw_uuid)

    def mount_proposal(self, label: str) -> str | None:
        """None: fstab is changed for those who ask for it."""
        return None

    def scratch_obstacle(self, drive: Drive) -> str:
        """The trial's own refusal."""
        from wizard.trial.scratch import scratch_extents

        try:
            scratch_extents(drive)
        except Refused as error:
            return str(error)
        return ""

    def impediment(self, drive: Drive) -> str:
        """The planner's own refusal."""
        from wizard.layout.refusals import refuse_drive

        try:
            refuse_drive(drive)
        except Refused as error:
            return str(error)
        return ""


class RealServices(Rules):
    """This machine. `only` restricts it to some drives, as the demo does; `environment` and `journal_dir` go to `apply`.

    `mounts` is a folder below which volumes are proposed to be mounted.
    """

    def __init__(
        self,
        only: Sequence[str] | None = None,
        environment: Environment | None = None,
        journal_dir: Path | None = None,
        mounts: Path | None = None,
    ) -> None:
        super().__init__()
        self._mounts = mounts
        self._only = None if only is None else tuple(only)
        self._environment = environment
        self._journal_dir = journal_dir
        self.demo = only is not None

    @property
    def obstacle(self) -> str:
        """Root is needed."""
        return "Only root can measure and write drives." if self.needs_root else ""

    @property
    def needs_root(self) -> bool:
        """Whether this process lacks it."""
        return os.geteuid() != 0

    def mount_proposal(self, label: str) -> str | None:
        """Below the folder given."""
        return str(self._mounts / label) if self._mounts else None

    def drive_paths(self) -> tuple[str, ...]:
        """From sysfs."""
        return self._only if self._only is not None else tuple(map(node_of, drive_names(all_devices=False)))

    def surroundings(self) -> Machine:
        """Without touching a drive."""
        from wizard.probe.machine import probe_machine

        return probe_machine(())

    def probe(self, on_drive: Callable[[Drive], None]) -> Machine:
        """By workers, each with a time limit."""
        from wizard.probe.machine import probe_machine

        return probe_machine(self._only, on_drive=on_drive)

    def changes(self, stop: threading.Event) -> Iterator[None]:
        """Hotplug; none for a restricted machine."""
        from wizard.probe.watch import watch_drives

        return iter(()) if self._only is not None else watch_drives(stop)

    def is_attached(self, drive: Drive) -> bool:
        """By the kernel's number of attachment."""
        from wizard.probe.watch import is_attached

        return is_attached(drive.path, drive.diskseq)

    def measure(
        self,
        drive: Drive,
        *,
        write: bool,
        physical_bytes: int | None,
        on_progress: Callable[[Progress], None],
        stop: Callable[[], bool],
    ) -> Verdict:
        """On the drive itself."""
        if self._only is not None and drive.path not in self._only:
            raise Refused(f"{drive.path} is not the drive of this demo.")
        from wizard.trial.alignment import run_alignment_trial

        return run_alignment_trial(drive, write=write, on_progress=on_progress, stop=stop, assume_physical_bytes=physical_bytes)

    def journal_doubts(self) -> tuple[str, ...]:
        """Whether it outlives a power cut."""
        from wizard.apply.runs import doubts_about, runs_folder

        return () if self.demo else doubts_about(runs_folder(self._journal_dir))

    def start(self, plan: Plan, token: str) -> Path:
        """By a detached process."""
        from wizard.apply.environment import Environment
        from wizard.apply.start import start_run

        environment = self._environment or Environment(only=None if self._only is None else frozenset(self._only))
        return start_run(plan, token, journal_dir=self._journal_dir, environment=environment)

    def follow(self, run: Path) -> Iterator[Entry]:
        """From the journal's file."""
        from wizard.apply.journal import follow

        return follow(run)

    def state(self, run: Path) -> RunState:
        """From the journal and the run's lock."""
        from wizard.apply.journal import state

        return state(run)

    def request_stop(self, run: Path) -> None:
        """By a mark in the run's folder."""
        from wizard.apply.start import request_stop

        request_stop(run)


class RecordedServices(Rules):
    """A machine that was recorded. Everything can be seen and planned; nothing can be measured or applied."""

    def __init__(self, machine: Machine, where: str, draw_uuid: Callable[[], str] = lambda: str(uuid4())) -> None:
        super().__init__(draw_uuid)
        self.machine = machine
        self._where = printable(where, 80)

    @property
    def obstacle(self) -> str:
        """It is a recording."""
        return f"These drives are a recording ({self._where}): a plan can be made and saved here, but nothing can be measured or applied."

    @property
    def needs_root(self) -> bool:
        """Root would not help."""
        return False

    def drive_paths(self) -> tuple[str, ...]:
        """As recorded."""
        return tuple(drive.path for drive in self.machine.drives)

    def surroundings(self) -> Machine:
        """As recorded."""
        return replace(self.machine, drives=())

    def probe(self, on_drive: Callable[[Drive], None]) -> Machine:
        """At once."""
        for drive in self.machine.drives:
            on_drive(drive)
        return self.machine

    def changes(self, stop: threading.Event) -> Iterator[None]:
        """None ever."""
        return iter(())

    def is_attached(self, drive: Drive) -> bool:
        """A recording stays."""
        return True

    def measure(
        self,
        drive: Drive,
        *,
        write: bool,
        physical_bytes: int | None,
        on_progress: Callable[[Progress], None],
        stop: Callable[[], bool],
    ) -> Verdict:
        """Refused."""
        raise Refused(self.obstacle)

    def journal_doubts(self) -> tuple[str, ...]:
        """There is none."""
        return ()

    def start(self, plan: Plan, token: str) -> Path:
        """Refused."""
        raise Refused(self.obstacle)

    def follow(self, run: Path) -> Iterator[Entry]:
        """Nothing runs."""
        return iter(())

    def state(self, run: Path) -> RunState:
        """Nothing runs."""
        from wizard.apply.journal import RunState

        return RunState.INTERRUPTED

    def request_stop(self, run: Path) -> None:
        """Nothing runs."""
