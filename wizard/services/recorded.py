"""A machine that was recorded."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from wizard.layout.told.promise import ROOM_NOT_YET, WayBackRoom
from wizard.model.errors import Refused
from wizard.model.machine import Drive, Machine
from wizard.model.names import printable
from wizard.model.said import t
from wizard.services.rules import Rules

if TYPE_CHECKING:
    from wizard.apply.bring.sources import Source
    from wizard.apply.engine.record import Phase
    from wizard.apply.run.journal import RunState
    from wizard.apply.run.progress import StepProgress
    from wizard.model.displaced import DisplacedVerdict
    from wizard.model.documents.bring import Bring
    from wizard.model.documents.carried import Carried
    from wizard.model.documents.changes import Changes, Wanted
    from wizard.model.documents.migration import Migration, Prospect
    from wizard.model.documents.of_run import OneTokened, RunDocument
    from wizard.model.journal import Entry
    from wizard.model.plan import Plan
    from wizard.model.verdict import Verdict
    from wizard.services.session import Moving
    from wizard.trial.alignment import Progress
    from wizard.trial.candidates.result import Order, TrialVerdict
    from wizard.trial.candidates.result import Progress as Tried
    from wizard.trial.displaced.probe import ProbeProgress

NOT_RECORDED = t(
    "This recording does not hold what moving to ext4 needs: it can be looked at only on the machine itself."
)

# The rooms are imported where they are called: the first list of drives is on the screen before they are
# loaded.


class RecordedServices(Rules):
    """A machine that was recorded. Everything can be seen and planned; nothing can be measured or applied."""

    def __init__(
        self, machine: Machine, where: str, draw_uuid: Callable[[], str] = lambda: str(uuid4())
    ) -> None:
        super().__init__(draw_uuid)
        self.machine = machine
        self._where = printable(where, 80)

    @property
    def obstacle(self) -> str:
        """It is a recording."""
        return str(
            t(
                "These drives are a recording ({file}). A plan can be made and saved here, "
                "but nothing can be measured or applied.",
                file=self._where,
            )
        )

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

    def resume(self, run: Path, secret: bytes | None = None, *, over_bad_sectors: bool = False) -> None:
        """No run."""
        raise Refused(self.obstacle)

    def traffic(self, paths: Sequence[str]) -> int:
        """Nothing moves."""
        return 0

    def work_out(self, device: str, wanted: Wanted) -> Changes:
        """Nothing is worked out where nothing can be done."""
        raise Refused(self.obstacle)

    def document(self, run: Path) -> RunDocument:
        """No run."""
        raise Refused(self.obstacle)

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

    def quick_test(
        self, drive: Drive, *, on_progress: Callable[[ProbeProgress], None], stop: Callable[[], bool]
    ) -> DisplacedVerdict:
        """Refused."""
        raise Refused(self.obstacle)

    def try_filesystems(
        self, order: Order, *, on_progress: Callable[[Tried], None], stop: Callable[[], bool]
    ) -> TrialVerdict:
        """Refused."""
        raise Refused(self.obstacle)

    def why_direct(self, plan: Plan) -> str:
        """As the plan itself tells."""
        from wizard.layout.rehearsed import direct_reason

        return direct_reason(plan)

    def tries_out(self, plan: Plan) -> bool:
        """There is nothing to try it out with."""
        return False

    def way_back_room(self, plan: Plan) -> WayBackRoom:
        """As the drives' own machine would tell a plain user."""
        return WayBackRoom() if self.why_direct(plan) else ROOM_NOT_YET

    def journal_doubts(self) -> tuple[str, ...]:
        """There is none."""
        return ()

    def start(self, plan: Plan, tokens: Sequence[str], secret: bytes | None = None) -> Path:
        """Refused."""
        raise Refused(self.obstacle)

    def follow(self, run: Path, meanwhile: Callable[[], None] | None = None) -> Iterator[Entry]:
        """Nothing runs."""
        return iter(())

    def state(self, run: Path) -> RunState:
        """Nothing runs."""
        from wizard.apply.run.journal import RunState

        return RunState.INTERRUPTED

    def request_stop(self, run: Path) -> None:
        """Nothing runs."""

    def migration_prospect(self, drive: Drive, moving: Moving) -> tuple[Prospect, float]:
        """A recording does not hold the filesystem's superblock."""
        raise Refused(str(NOT_RECORDED))

    def plan_migration(self, drive: Drive, moving: Moving) -> Migration:
        """Refused."""
        raise Refused(str(NOT_RECORDED))

    def carry_migration(self, drive: Drive, moving: Moving) -> Carried:
        """Refused."""
        raise Refused(str(NOT_RECORDED))

    def bring_sources(self, targets: Sequence[str]) -> tuple[Source, ...]:
        """As recorded."""
        from wizard.apply.bring.sources import sources_of

        return sources_of(self.machine, targets)

    def plan_bring(self, source: str, target: str, into: str, *, takes_place: bool) -> Bring:
        """Refused."""
        raise Refused(self.obstacle)

    def begin(self, document: OneTokened, token: str) -> Path:
        """Refused."""
        raise Refused(self.obstacle)

    def progress(self, run: Path) -> StepProgress | None:
        """Nothing runs."""
        return None

    def power(self, run: Path) -> str:
        """Nothing runs."""
        return ""

    def phase(self, run: Path) -> Phase | None:
        """Nothing ran."""
        return None

    def closed(self, run: Path) -> str:
        """Nothing ran."""
        return ""

    def keep(self, run: Path, secret: bytes | None = None) -> str:
        """Refused."""
        raise Refused(self.obstacle)

    def undo(self, run: Path) -> None:
        """Refused."""
        raise Refused(self.obstacle)
