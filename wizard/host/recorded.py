"""Services on a recorded machine: inspect and plan, no changes. Also spreads a volume over drives."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from wizard.host.contract import Services
from wizard.host.rules import Rules
from wizard.host.session import Session
from wizard.model.errors import BadInput, Refused, printable
from wizard.model.machine import Drive, Machine
from wizard.model.plan import Plan
from wizard.model.said import Message, Sentence, t, tn
from wizard.plan.planner import PLAIN, Mode
from wizard.plan.raid.striped import StripeWish, choice_on
from wizard.plan.raid.striping import FILESYSTEMS, room_bytes
from wizard.plan.request.volume_request import Wish
from wizard.plan.undo_policy import ROOM_NOT_YET, WayBackRoom

if TYPE_CHECKING:
    from wizard.apply.copy.places import Source
    from wizard.apply.engine.record import Phase
    from wizard.apply.run.journal import RunState
    from wizard.apply.run.progress_log import StepProgress
    from wizard.benchmark.alignment import MeasureProgress
    from wizard.benchmark.candidates.compare import Order, TrialVerdict
    from wizard.benchmark.candidates.compare import TrialProgress as Tried
    from wizard.benchmark.smr_probe import ProbeProgress
    from wizard.host.session import SessionConversion
    from wizard.model.changes import Bring, Changes, OneTokened, RunDocument, Wanted
    from wizard.model.ext import JournalEntry
    from wizard.model.migration import Carried, Migration, Prospect
    from wizard.model.plan import Plan
    from wizard.model.verdict import DisplacedVerdict, Verdict


NOT_RECORDED = t("This recording lacks the data for a migration to ext4. Inspect it on the machine itself.")

# Packages are imported inside methods, so the first list of drives appears before they are loaded.


class RecordedServices(Rules):
    """Services on a recorded machine, for viewing and planning. Measuring and applying are refused."""

    def __init__(
        self, machine: Machine, where: str, draw_uuid: Callable[[], str] = lambda: str(uuid4())
    ) -> None:
        super().__init__(draw_uuid)
        self.machine = machine
        self._where = printable(where, 80)

    @property
    def obstacle(self) -> str:
        """Always a recording."""
        return str(
            t(
                "These drives are a recording ({file}). Plans can be made and saved, but not "
                "applied, and drives cannot be measured.",
                file=self._where,
            )
        )

    @property
    def needs_root(self) -> bool:
        """Always False: root privileges would not help."""
        return False

    def drive_paths(self) -> tuple[str, ...]:
        """Return the recorded nodes."""
        return tuple(drive.path for drive in self.machine.drives)

    def surroundings(self) -> Machine:
        """Return the recorded machine without drives."""
        return replace(self.machine, drives=())

    def probe(self, on_drive: Callable[[Drive], None]) -> Machine:
        """Report the recorded drives immediately."""
        for drive in self.machine.drives:
            on_drive(drive)
        return self.machine

    def changes(self, stop: threading.Event) -> Iterator[None]:
        """Return no changes."""
        return iter(())

    def is_attached(self, drive: Drive) -> bool:
        """Return True: a recording never changes."""
        return True

    def resume(self, run: Path, secret: bytes | None = None, *, over_bad_sectors: bool = False) -> None:
        """Raises Refused."""
        raise Refused(self.obstacle)

    def traffic(self, paths: Sequence[str]) -> int:
        """Return 0."""
        return 0

    def work_out(self, device: str, wanted: Wanted) -> Changes:
        """Raises Refused."""
        raise Refused(self.obstacle)

    def document(self, run: Path) -> RunDocument:
        """Raises Refused."""
        raise Refused(self.obstacle)

    def measure(
        self,
        drive: Drive,
        *,
        write: bool,
        physical_bytes: int | None,
        on_progress: Callable[[MeasureProgress], None],
        stop: Callable[[], bool],
    ) -> Verdict:
        """Raises Refused."""
        raise Refused(self.obstacle)

    def quick_test(
        self, drive: Drive, *, on_progress: Callable[[ProbeProgress], None], stop: Callable[[], bool]
    ) -> DisplacedVerdict:
        """Raises Refused."""
        raise Refused(self.obstacle)

    def try_filesystems(
        self, order: Order, *, on_progress: Callable[[Tried], None], stop: Callable[[], bool]
    ) -> TrialVerdict:
        """Raises Refused."""
        raise Refused(self.obstacle)

    def why_direct(self, plan: Plan) -> str:
        """Return the reason stated by the plan itself."""
        from wizard.plan.rehearsed import direct_reason

        return direct_reason(plan)

    def tries_out(self, plan: Plan) -> bool:
        """Return False. A recorded machine cannot rehearse."""
        return False

    def way_back_room(self, plan: Plan) -> WayBackRoom:
        """Return the answer for an unprivileged user."""
        return WayBackRoom() if self.why_direct(plan) else ROOM_NOT_YET

    def journal_doubts(self) -> tuple[str, ...]:
        """Return no doubts."""
        return ()

    def start(self, plan: Plan, tokens: Sequence[str], secret: bytes | None = None) -> Path:
        """Raises Refused."""
        raise Refused(self.obstacle)

    def follow(self, run: Path, meanwhile: Callable[[], None] | None = None) -> Iterator[JournalEntry]:
        """Return no entries."""
        return iter(())

    def state(self, run: Path) -> RunState:
        """Return INTERRUPTED: there are no runs."""
        from wizard.apply.run.journal import RunState

        return RunState.INTERRUPTED

    def request_stop(self, run: Path) -> None:
        """Do nothing: there are no runs."""

    def migration_prospect(self, drive: Drive, moving: SessionConversion) -> Prospect:
        """Raises Refused: recordings contain no ext superblock."""
        raise Refused(str(NOT_RECORDED))

    def plan_migration(self, drive: Drive, moving: SessionConversion) -> Migration:
        """Raises Refused."""
        raise Refused(str(NOT_RECORDED))

    def carry_migration(self, drive: Drive, moving: SessionConversion) -> Carried:
        """Raises Refused."""
        raise Refused(str(NOT_RECORDED))

    def bring_sources(self, targets: Sequence[str]) -> tuple[Source, ...]:
        """Return the sources in the recording."""
        from wizard.apply.copy.places import sources_of

        return sources_of(self.machine, targets)

    def plan_bring(self, source: str, target: str, into: str, *, takes_place: bool) -> Bring:
        """Raises Refused."""
        raise Refused(self.obstacle)

    def begin(self, document: OneTokened, token: str) -> Path:
        """Raises Refused."""
        raise Refused(self.obstacle)

    def progress(self, run: Path) -> StepProgress | None:
        """Return None: there are no runs."""
        return None

    def power(self, run: Path) -> str:
        """Return an empty string: there are no runs."""
        return ""

    def phase(self, run: Path) -> Phase | None:
        """Return None: there are no runs."""
        return None

    def closed(self, run: Path) -> str:
        """Return an empty string: there are no runs."""
        return ""

    def keep(self, run: Path, secret: bytes | None = None) -> str:
        """Raises Refused."""
        raise Refused(self.obstacle)

    def undo(self, run: Path) -> None:
        """Raises Refused."""
        raise Refused(self.obstacle)


ONE_VOLUME = t("Several drives form one volume together: remove the other volumes from the list first.")


@dataclass(frozen=True, slots=True)
class SpreadWay:
    """A way to place a volume on drives. `asked` is None for a single drive."""

    name: str
    title: Message
    asked: StripeWish | None = None


ALONE = SpreadWay("alone", t("On this drive only"))
WAYS = (
    ALONE,
    SpreadWay(
        "mirror-btrfs",
        t("Mirrored by Btrfs: two copies, survives the loss of one drive"),
        StripeWish("btrfs", level="raid1"),
    ),
    SpreadWay(
        "mirror-md",
        t("Mirrored by md (RAID1): a copy on each, survives all but one"),
        StripeWish("md", level="raid1"),
    ),
    SpreadWay(
        "stripe-btrfs", t("Striped by Btrfs (RAID0): fast, lost with any one drive"), StripeWish("btrfs")
    ),
    SpreadWay("stripe-md", t("Striped by md (RAID0): fast, lost with any one drive"), StripeWish("md")),
    SpreadWay("stripe-lvm", t("Striped by LVM: fast, lost with any one drive"), StripeWish("lvm")),
)
"""Redundant layouts come first."""


def way_of(session: Session) -> SpreadWay:
    """Return the selected way."""
    return next((way for way in WAYS if way.asked == session.stripe), ALONE)


def candidates(
    session: Session, impediment: Callable[[Drive], Message | str]
) -> tuple[tuple[Drive, Message | str], ...]:
    """Return all drives except the first, each with the reason it cannot be selected, or empty, as in the
    list of drives."""
    assert session.machine is not None and session.drive is not None
    others = (drive for drive in session.machine.drives if drive.path != session.drive.path)
    return tuple((drive, impediment(drive)) for drive in others)


def loss_of(drives: Sequence[Drive]) -> Message | None:
    """Describe the data lost by using these drives entirely, or None if they are empty."""
    paths = tuple(drive.path for drive in drives if not drive.is_empty)
    return (
        tn(
            "All data on {drives:and} will be lost when you keep the plan's result. With "
            "LVM, it is lost when the plan is applied.",
            "All data on {drives:and} will be lost when you keep the plan's result. With "
            "LVM, it is lost when the plan is applied.",
            drives=paths,
            count=len(paths),
        )
        if paths
        else None
    )


def spread(services: Services, session: Session, way: SpreadWay, others: Sequence[Drive]) -> Session:
    """Return the session with its volume spread over these drives, and a new plan. Raises the reason if not
    possible."""
    if way.asked is None:
        return _alone(session)
    if not others:
        raise BadInput(t("Select another drive first."))
    if len(session.wishes) != 1:
        raise BadInput(ONE_VOLUME)
    (wish,) = session.wishes
    changed = replace(session, stripe=way.asked, others=tuple(others), mode=Mode.REPLACE)
    changed = replace(changed, wishes=(fitting(services, changed, wish),))
    return replace(changed, plan=plan_of(services, changed))


def _alone(session: Session) -> Session:
    """Return to the first drive alone. Ask again about its contents, which only the other drives required to
    erase."""
    assert session.drive is not None
    mode = None if session.stripe and not session.drive.is_empty else session.mode
    return replace(session, stripe=None, others=(), plan=None, mode=mode)


def fitting(services: Services, session: Session, wish: Wish) -> Wish:
    """Adapt a request to all drives of the session. Keep filesystem and options if the drives can share them,
    else use the recommended ones. Raises Refused."""
    if session.stripe is None:
        return wish
    wish = replace(wish, size_bytes=None, percent=None)
    if wish.choice.filesystem in FILESYSTEMS[session.stripe.kind]:
        return wish
    assert session.machine is not None and session.drive is not None and session.diagnosis is not None
    room = room_bytes(
        session.stripe.kind, session.stripe.level, [drive.size_bytes or 0 for drive in session.drives]
    )
    advice = services.advise(
        session.machine, session.drive, session.diagnosis.recording, wish.workload.id, size_bytes=room or None
    )
    return replace(wish, choice=choice_on(advice, FILESYSTEMS[session.stripe.kind]), doubts=())


def still_there(session: Session) -> Session:
    """Return the session with its first drive alone if any other drive has changed since it was selected."""
    assert session.machine is not None
    if all(session.machine.drive(drive.path) == drive for drive in session.others):
        return session
    return _alone(session)


def plan_of(services: Services, session: Session) -> Plan:
    """Plan the session's request on one or several drives. Raises the planner's reason."""
    assert session.machine is not None and session.drive is not None
    if session.stripe is None:
        return services.plan(
            session.machine, session.drive, session.wishes, session.mode, session.arrangement
        )
    if len(session.wishes) != 1:
        raise BadInput(ONE_VOLUME)
    if session.mode is Mode.USE_FREE:
        raise Refused(t("Several drives are always used whole: their contents are not preserved."))
    if session.arrangement not in (None, PLAIN):
        raise BadInput(
            t("Each of several drives gets a GPT, without its own volume group. Select that first.")
        )
    return services.plan_striped(
        session.machine, session.drives, session.wishes[0], session.stripe, session.mode
    )


def spread_of(session: Session) -> Message:
    """Return `/dev/sda and /dev/sdb, mirrored by md`, or the drive alone."""
    paths = tuple(drive.path for drive in session.drives)
    if session.stripe is None:
        return t("{drive} alone", drive=paths[0])
    layout = (
        Sentence("{drives:and}, mirrored by {by}")
        if session.stripe.mirrors
        else Sentence("{drives:and}, striped by {by}")
    )
    return layout(drives=paths, by=session.stripe.kind)


def spread_words(session: Session) -> str:
    """Return `spread_of` as text."""
    return str(spread_of(session))
