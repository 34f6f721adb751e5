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

# The rooms are imported where they are called: the first list of drives comes before they are loaded.


class Services(CopyService, Protocol):
    """What the screens need. Methods that say so may take long and are called in threads."""

    @property
    def obstacle(self) -> str:
        """Why nothing can be applied or measured from here, in a sentence; empty where it can."""
        ...

    @property
    def needs_root(self) -> bool:
        """Whether only the rights of root are missing here."""
        ...

    @property
    def apply_obstacle(self) -> str:
        """Why nothing can be applied from here, in a sentence; empty where it can.

        It is the same as `obstacle`, except for a plain user who can be asked for root: applying is then
        possible, and measuring is not.
        """
        ...

    @property
    def asks_for_root(self) -> bool:
        """Whether root is still to be asked for, which may want the terminal for a password. `start` asks
        where `obtain_root` did not."""
        ...

    def obtain_root(self) -> None:
        """Ask for root and wait for the answer; the terminal must be free for it. From then on drives are
        read as root, too.

        Raises Refused where root is not given; then all is as before. Nothing happens where root is had
        already.
        """
        ...

    def install_offer(self, missing: Missing) -> str:
        """The one question before an installation, with its size as far as the package manager tells it. May
        take seconds. Raises Refused where nothing can be installed, saying what is missing."""
        ...

    def install(self, missing: Missing, on_line: Callable[[str], None]) -> None:
        """Install what is missing and tell each line that the package manager says, from another thread. The
        machine is to be probed again then. Raises Refused or Failed with one sentence; asks for root where
        `obtain_root` did not."""
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
        """One None for every time the drives may have changed since this call, which returns at once.
        Iterating blocks."""
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

    def advise(
        self,
        machine: Machine,
        drive: Drive,
        recording: Recording,
        workload: str,
        size_bytes: int | None = None,
    ) -> Advice:
        """The ranking for one drive and purpose."""
        ...

    def offered_options(
        self, machine: Machine, drive: Drive, recording: Recording, workload: str, choice: Choice
    ) -> tuple[Offered, ...]:
        """What can be asked for beside what is advised of a choice; raises BadInput for a catalogue that
        cannot be read."""
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
        """An advised choice with the options of these ids; raises BadInput or Refused with the reason.
        `phrases` were typed back."""
        ...

    def volume_choices(
        self, machine: Machine, drive: Drive, recording: Recording, workload: str, role: str
    ) -> tuple[Choice, ...]:
        """The filesystems for a volume with this purpose and role (empty for none), the first being proposed
        unless it has an obstacle."""
        ...

    def in_role(self, machine: Machine, drive: Drive, recording: Recording, wish: Wish, role: str) -> Wish:
        """The wish with another role (empty for none), and what that calls for; raises Refused where it
        cannot be had here."""
        ...

    def desktop(self, machine: Machine, drive: Drive, recording: Recording, mode: Mode) -> tuple[Wish, ...]:
        """The volumes that a desktop's system needs; raises BadInput or Refused with the reason."""
        ...

    def plan(
        self,
        machine: Machine,
        drive: Drive,
        wishes: tuple[Wish, ...],
        mode: Mode | None,
        arrangement: Arrangement | None = None,
    ) -> Plan:
        """The layout; raises Refused or BadInput with the reason."""
        ...

    def plan_striped(
        self, machine: Machine, drives: Sequence[Drive], wish: Wish, asked: StripeWish, mode: Mode | None
    ) -> Plan:
        """One volume over several drives; raises as `plan` does."""
        ...

    def put_to_use(self, drive: Drive, wish: Wish, others: Sequence[Wish] = ()) -> Wish:
        """A wish of which nothing was said with who may write, and where it is mounted, as is usual here;
        `others` are the drive's other volumes."""
        ...

    def usual(self) -> Usual:
        """Who called, and where volumes are mounted."""
        ...

    def writer_named(self, text: str) -> Writer:
        """Who is meant by `anna`, `group:family`, `everyone` or `root`; raises BadInput for a name
        that is not known here."""
        ...

    def options_at_boot(self, drive: Drive, device: str) -> tuple[str, ...] | None:
        """The mount options that a filesystem's line in fstab has; None where it has no such line."""
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
        """The plan that changes one partition and keeps the others; `wishes` is the one volume that it is
        formatted for, `size_bytes` what one that shrinks or grows is to have; one that grows has all that
        is free where that is 0. Raises Refused or BadInput with the reason."""
        ...

    def work_out(self, device: str, wanted: Wanted) -> Changes:
        """The changes that bring about what is wanted of a filesystem that exists, or of its drive; raises
        Refused or BadInput with the reason. May take long, and ask for root."""
        ...

    def ready(self, changes: Changes) -> tuple[Message, ...]:
        """How what the changes mounted can be used, and by whom; nothing where they mounted nothing."""
        ...

    def open_runs(self) -> tuple[OpenRun, ...]:
        """The runs at work or waiting, the newest first; none where only root may look. May take long."""
        ...

    def next_commands(self, run: Path) -> NextCommands | None:
        """The commands that work on a run now: resume, keep, undo; None if only root can tell. May take
        long: the run's drives are compared."""
        ...

    def document(self, run: Path) -> RunDocument:
        """What a run carries out; raises BadInput where it cannot be read."""
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
        on_progress: Callable[[MeasureProgress], None],
        stop: Callable[[], bool],
    ) -> Verdict:
        """The paired alignment probe, as if blocks were of `physical_bytes` where given. Takes up to half a
        minute."""
        ...

    def quick_test_obstacle(self, drive: Drive) -> str:
        """Why the quick test for shingled recording cannot be made, or cannot tell, on a drive, in a
        sentence; empty where it can."""
        ...

    def quick_test(
        self, drive: Drive, *, on_progress: Callable[[ProbeProgress], None], stop: Callable[[], bool]
    ) -> DisplacedVerdict:
        """The quick test for shingled recording, which writes; `diagnose` knows its verdict from then on.
        Takes up to a minute."""
        ...

    def quick_tested(self, drive: Drive) -> DisplacedVerdict | None:
        """What the quick test said of this very drive, if it was made. At once."""
        ...

    def try_filesystems(
        self, order: Order, *, on_progress: Callable[[Tried], None], stop: Callable[[], bool]
    ) -> TrialVerdict:
        """Make filesystems in turn in free space and compare them; the token was typed. Takes minutes;
        writes."""
        ...

    def why_direct(self, plan: Plan) -> str:
        """Why the plan's steps have to run on the drive itself, as a clause; empty where they are tried out
        on a stand-in first, as far as that can be told from here.
        """
        ...

    def tries_out(self, plan: Plan) -> bool:
        """Whether `way_back_room` tries the plan out, which takes seconds; else it answers at once."""
        ...

    def way_back_room(self, plan: Plan) -> WayBackRoom:
        """How much room the way back takes, and where, or why that is not known."""
        ...

    def journal_doubts(self) -> tuple[str, ...]:
        """What the journal could not do where it lies, in sentences."""
        ...

    def start(self, plan: Plan, tokens: Sequence[str], secret: bytes | None = None) -> Path:
        """Start a process of its own that applies the plan; the run's folder. `tokens` are those of all its
        drives, `secret` is the passphrase of what it encrypts, which is kept nowhere.

        May take long, and ask for root; writes.
        """
        ...

    def follow(self, run: Path, meanwhile: Callable[[], None] | None = None) -> Iterator[JournalEntry]:
        """The run's journal as it grows. Blocks until the run has ended; `meanwhile` is called now and then
        while nothing comes."""
        ...

    def state(self, run: Path) -> RunState:
        """Where a run stands."""
        ...

    def request_stop(self, run: Path) -> None:
        """Ask the run to stop before its next step."""
        ...

    def migration_prospect(self, drive: Drive, moving: SessionConversion) -> tuple[Prospect, float]:
        """The ways to ext4 for a filesystem on the drive and what stands against them; and how many seconds
        it takes, roughly, to read every file before and after. Raises Refused or BadInput. May take long, and
        ask for root.
        """
        ...

    def plan_migration(self, drive: Drive, moving: SessionConversion) -> Migration:
        """The steps of the way that was taken; raises Refused or BadInput with the reason. May take long, and
        ask for root."""
        ...

    def carry_migration(self, drive: Drive, moving: SessionConversion) -> Carried:
        """The way that was taken, for a filesystem in use, to be carried to a rescue medium; raises Refused
        or BadInput with the reason. May take long, and ask for root.
        """
        ...

    def begin(self, document: OneTokened, token: str) -> Path:
        """Begin it in a process of its own; the run's folder. May take long, ask for root; writes."""
        ...

    def progress(self, run: Path) -> StepProgress | None:
        """How far the run's present step is; None where nothing tells."""
        ...

    def power(self, run: Path) -> str:
        """What would become of the drive or filesystem if the power went now, where the run tells; else
        empty."""
        ...

    def phase(self, run: Path) -> Phase | None:
        """How far a rehearsed run is; None for every other."""
        ...

    def closed(self, run: Path) -> str:
        """Why the run's migration can no longer be undone, where its filesystem was used since; else empty.
        Reads the drive."""
        ...

    def keep(self, run: Path, secret: bytes | None = None) -> str:
        """Put to use what the run made, and let go of what would undo it; a sentence on that. `secret` is the
        passphrase of what it encrypted. May take long; writes."""
        ...

    def writes_over(self, run: Path) -> bool:
        """Whether going on with a run would still write over what its drives hold, so that their tokens are
        typed again; raises BadInput where that cannot be read."""
        ...

    def wants_secret(self, run: Path) -> bool:
        """Whether going on with a run takes the passphrase of what it encrypts."""
        ...

    def resume(self, run: Path, secret: bytes | None = None, *, over_bad_sectors: bool = False) -> None:
        """Go on with a run that ended early, in a process of its own, and maybe over sectors that it stopped
        at. Raises Refused with the reason, or with the command where only root can. May take long; writes."""
        ...

    def traffic(self, paths: Sequence[str]) -> int:
        """The bytes that were read from these drives and written to them since they were attached; 0 where
        nobody knows. At once."""
        ...

    def undo(self, run: Path) -> None:
        """Put back what the run changed, proven on return. May take long; writes."""
        ...
