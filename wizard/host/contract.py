"""Service interface for all user interfaces.

They call only these methods, so screens can be shown without a disk.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from wizard.host.this_system import CopyService
from wizard.model.machine import Drive, Machine, Partition
from wizard.plan.undo_policy import WayBackRoom

if TYPE_CHECKING:
    from wizard.advice.missing import Missing
    from wizard.advice.request import Offered, Taken
    from wizard.advice.workloads import Profile
    from wizard.apply.engine.record import Phase
    from wizard.apply.run.journal import RunState
    from wizard.apply.run.progress_log import StepProgress
    from wizard.apply.run_control import NextCommands
    from wizard.benchmark.alignment import MeasureProgress
    from wizard.benchmark.candidates.compare import Order, TrialVerdict
    from wizard.benchmark.candidates.compare import TrialProgress as Tried
    from wizard.benchmark.smr_probe import ProbeProgress
    from wizard.host.session import OpenRun, PartChange, SessionConversion
    from wizard.model.advice import Advice, Choice
    from wizard.model.changes import Changes, OneTokened, RunDocument, Wanted
    from wizard.model.ext import JournalEntry
    from wizard.model.finding import Diagnosis, Recording
    from wizard.model.migration import Carried, Migration, Prospect
    from wizard.model.operations import Writer
    from wizard.model.plan import Plan
    from wizard.model.said import Message
    from wizard.model.verdict import DisplacedVerdict, Verdict
    from wizard.plan.planner import Mode
    from wizard.plan.raid.striped import StripeWish
    from wizard.plan.request.using import Usual
    from wizard.plan.request.volume_request import Arrangement, Wish

# Packages are imported inside methods, so the first list of drives appears before they are loaded.


class Services(CopyService, Protocol):
    """Services for the screens. Methods marked "may take long" must be called in a thread."""

    @property
    def obstacle(self) -> str:
        """Why changes and measurements are not possible here, as a sentence, or empty."""
        ...

    @property
    def needs_root(self) -> bool:
        """True if only root privileges are missing."""
        ...

    @property
    def apply_obstacle(self) -> str:
        """Why changes cannot be applied here, as a sentence, or empty.

        Differs from `obstacle` only for an unprivileged user who can be asked for a password: applying is
        possible then, but measuring is not.
        """
        ...

    @property
    def asks_for_root(self) -> bool:
        """True if root privileges still need to be requested, perhaps with a password prompt in the terminal.
        `start` does so if `obtain_root` was not called."""
        ...

    def obtain_root(self) -> None:
        """Request root privileges and wait for the result. The terminal must be free. Drives are then read as
        root, too.

        Does nothing if root privileges are already available. Raises Refused if the request fails; nothing
        has changed then.
        """
        ...

    def install_offer(self, missing: Missing) -> str:
        """Return the question to ask before an installation, with the download size if the package manager
        reports one. May take seconds. Raises Refused, with the missing tools, if they cannot be installed."""
        ...

    def install(self, missing: Missing, on_line: Callable[[str], None]) -> None:
        """Install missing tools, and pass each output line of the package manager to `on_line`, from another
        thread. Probe the machine again afterwards. Requests root privileges if `obtain_root` was not called.
        Raises Refused or Failed with one sentence."""
        ...

    @property
    def demo(self) -> bool:
        """True if the drive is a demo drive, deleted when the wizard exits."""
        ...

    def drive_paths(self) -> tuple[str, ...]:
        """Return the nodes of all drives without reading them. Returns immediately."""
        ...

    def surroundings(self) -> Machine:
        """Return the machine without drives: kernel and tools. Fast, but not immediate."""
        ...

    def probe(self, on_drive: Callable[[Drive], None]) -> Machine:
        """Read all drives in parallel, and report each when done. May take long."""
        ...

    def changes(self, stop: threading.Event) -> Iterator[None]:
        """Yield None each time the drives may have changed since this call, which returns immediately.
        Iteration blocks."""
        ...

    def is_attached(self, drive: Drive) -> bool:
        """Return True if this same drive is still attached, and not another one at its node. Returns
        immediately."""
        ...

    def diagnose(self, machine: Machine | None, drive: Drive) -> Diagnosis:
        """Return the findings for a drive. `machine` is None if still unknown."""
        ...

    def profiles(self) -> tuple[Profile, ...]:
        """Return the workloads."""
        ...

    def advise(
        self,
        machine: Machine,
        drive: Drive,
        recording: Recording,
        workload: str,
        size_bytes: int | None = None,
    ) -> Advice:
        """Return the ranking of filesystems for one drive and workload."""
        ...

    def offered_options(
        self, machine: Machine, drive: Drive, recording: Recording, workload: str, choice: Choice
    ) -> tuple[Offered, ...]:
        """Return the options that can be added to the recommended ones. Raises BadInput if the catalogue is
        unreadable."""
        ...

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
        ...

    def volume_choices(
        self, machine: Machine, drive: Drive, recording: Recording, workload: str, role: str
    ) -> tuple[Choice, ...]:
        """Return the filesystems for a volume with this workload and role (empty for none). The first is
        proposed unless it has an obstacle."""
        ...

    def in_role(self, machine: Machine, drive: Drive, recording: Recording, wish: Wish, role: str) -> Wish:
        """Return the request with another role (empty for none) and the settings for that role. Raises
        Refused if not possible."""
        ...

    def desktop(self, machine: Machine, drive: Drive, recording: Recording, mode: Mode) -> tuple[Wish, ...]:
        """Return the volumes of a desktop system. Raises BadInput or Refused with the reason."""
        ...

    def plan(
        self,
        machine: Machine,
        drive: Drive,
        wishes: tuple[Wish, ...],
        mode: Mode | None,
        arrangement: Arrangement | None = None,
    ) -> Plan:
        """Return the plan. Raises Refused or BadInput with the reason."""
        ...

    def plan_striped(
        self, machine: Machine, drives: Sequence[Drive], wish: Wish, asked: StripeWish, mode: Mode | None
    ) -> Plan:
        """Plan one volume over several drives. Raises as `plan` does."""
        ...

    def put_to_use(self, drive: Drive, wish: Wish, others: Sequence[Wish] = ()) -> Wish:
        """Fill in default owner and mount point if the request contains neither. `others`: other volumes of
        the drive."""
        ...

    def usual(self) -> Usual:
        """Return the calling user and the default mount points."""
        ...

    def writer_named(self, text: str) -> Writer:
        """Look up a writer: `anna`, `group:family`, `everyone` or `root`. Raises BadInput for unknown
        names."""
        ...

    def options_at_boot(self, drive: Drive, device: str) -> tuple[str, ...] | None:
        """Return the fstab mount options of a filesystem, or None without an fstab line."""
        ...

    def plan_part(
        self,
        machine: Machine,
        drive: Drive,
        part: Partition,
        change: PartChange,
        wishes: tuple[Wish, ...] = (),
        size_bytes: int = 0,
    ) -> Plan:
        """Plan a change to one partition that preserves the others. `wishes`: the volume to format for.
        `size_bytes`: new size when shrinking or growing; 0 grows to all free space. Raises Refused or
        BadInput with the reason."""
        ...

    def work_out(self, device: str, wanted: Wanted) -> Changes:
        """Plan the requested changes to an existing filesystem or its drive. Raises Refused or BadInput with
        the reason. May take long and request root privileges."""
        ...

    def ready(self, changes: Changes) -> tuple[Message, ...]:
        """Return how to use the filesystems that were mounted, and who may. Empty if none was."""
        ...

    def open_runs(self) -> tuple[OpenRun, ...]:
        """Return active and waiting runs, newest first. Empty if only root may read them. May take long."""
        ...

    def next_commands(self, run: Path) -> NextCommands | None:
        """Return the commands available for a run: resume, keep, undo. None if only root can tell. Compares
        the drives, so may take long."""
        ...

    def document(self, run: Path) -> RunDocument:
        """Return the document of a run. Raises BadInput if unreadable."""
        ...

    def impediment(self, drive: Drive) -> str:
        """Why a drive cannot be set up at all, as a sentence, or empty."""
        ...

    def scratch_obstacle(self, drive: Drive) -> str:
        """Why a drive cannot be measured by writing, as a sentence, or empty."""
        ...

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
        ...

    def quick_test_obstacle(self, drive: Drive) -> str:
        """Why the quick test for shingled recording is impossible or useless on a drive, as a sentence, or
        empty."""
        ...

    def quick_test(
        self, drive: Drive, *, on_progress: Callable[[ProbeProgress], None], stop: Callable[[], bool]
    ) -> DisplacedVerdict:
        """Run the quick test for shingled recording, which writes. `diagnose` uses the result from then on.
        Takes up to a minute."""
        ...

    def quick_tested(self, drive: Drive) -> DisplacedVerdict | None:
        """Return the result of the quick test on this same drive, or None. Returns immediately."""
        ...

    def try_filesystems(
        self, order: Order, *, on_progress: Callable[[Tried], None], stop: Callable[[], bool]
    ) -> TrialVerdict:
        """Create and compare several filesystems in free space, after the user typed the token. Writes. Takes
        minutes."""
        ...

    def why_direct(self, plan: Plan) -> str:
        """Why the plan must run directly on the drive, as a clause, or empty if it is rehearsed on a scratch
        copy, as far as known here."""
        ...

    def tries_out(self, plan: Plan) -> bool:
        """Return True if `way_back_room` rehearses the plan, which takes seconds. Otherwise it returns
        immediately."""
        ...

    def way_back_room(self, plan: Plan) -> WayBackRoom:
        """Return the space needed for undo and its location, or why this is unknown."""
        ...

    def journal_doubts(self) -> tuple[str, ...]:
        """Return sentences on limitations of the journal in its folder."""
        ...

    def start(self, plan: Plan, tokens: Sequence[str], secret: bytes | None = None) -> Path:
        """Start a separate process to apply the plan, and return the run's folder. `tokens`: one per drive.
        `secret`: encryption passphrase, never stored.

        May take long and request root privileges. Writes.
        """
        ...

    def follow(self, run: Path, meanwhile: Callable[[], None] | None = None) -> Iterator[JournalEntry]:
        """Yield journal entries of a run until it ends, blocking in between. `meanwhile` is called regularly
        while waiting."""
        ...

    def state(self, run: Path) -> RunState:
        """Return the state of a run."""
        ...

    def request_stop(self, run: Path) -> None:
        """Ask a run to stop before its next step."""
        ...

    def migration_prospect(self, drive: Drive, moving: SessionConversion) -> Prospect:
        """Return the methods to convert a filesystem on the drive to ext4, with their obstacles.

        Raises Refused or BadInput. May take long and request root privileges.
        """
        ...

    def plan_migration(self, drive: Drive, moving: SessionConversion) -> Migration:
        """Return the steps of the selected conversion method. Raises Refused or BadInput with the reason. May
        take long and request root privileges."""
        ...

    def carry_migration(self, drive: Drive, moving: SessionConversion) -> Carried:
        """Return the selected conversion of a filesystem in use, to be run from a rescue medium.

        Raises Refused or BadInput with the reason. May take long and request root privileges.
        """
        ...

    def begin(self, document: OneTokened, token: str) -> Path:
        """Start a run in a separate process, and return its folder. May take long and request root
        privileges. Writes."""
        ...

    def progress(self, run: Path) -> StepProgress | None:
        """Return the progress of the current step, or None if unknown."""
        ...

    def power(self, run: Path) -> str:
        """Return the consequences of a power cut now, or empty if unknown."""
        ...

    def phase(self, run: Path) -> Phase | None:
        """Return the phase of a rehearsed run, or None for other runs."""
        ...

    def closed(self, run: Path) -> str:
        """Why a conversion can no longer be undone because its filesystem was used since, or empty. Reads the
        drive."""
        ...

    def keep(self, run: Path, secret: bytes | None = None) -> str:
        """Keep the result of a run and delete its undo data. Return a confirmation. `secret`: the passphrase,
        if encrypted. May take long. Writes."""
        ...

    def writes_over(self, run: Path) -> bool:
        """Return True if resuming a run still overwrites existing data, so the user must type the tokens
        again. Raises BadInput if unreadable."""
        ...

    def wants_secret(self, run: Path) -> bool:
        """Return True if resuming a run requires the encryption passphrase."""
        ...

    def resume(self, run: Path, secret: bytes | None = None, *, over_bad_sectors: bool = False) -> None:
        """Resume an interrupted run in a separate process, optionally past bad sectors. Raises Refused with
        the reason, or with the command to run as root. May take long. Writes."""
        ...

    def free_bytes(self, place: str) -> int | None:
        """Return the free space for users of a mounted filesystem, None if unknown."""
        ...

    def traffic(self, paths: Sequence[str]) -> int:
        """Return the number of bytes read from and written to these drives since they were attached, 0 if
        unknown. Returns immediately."""
        ...

    def undo(self, run: Path) -> None:
        """Undo the changes of a run and verify the result before returning. May take long. Writes."""
        ...
