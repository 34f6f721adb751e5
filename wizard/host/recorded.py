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
                "These drives are a recording ({file}). Plans can be made and saved, but not "
                "applied, and drives cannot be measured.",
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
        on_progress: Callable[[MeasureProgress], None],
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
        from wizard.plan.rehearsed import direct_reason

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

    def follow(self, run: Path, meanwhile: Callable[[], None] | None = None) -> Iterator[JournalEntry]:
        """Nothing runs."""
        return iter(())

    def state(self, run: Path) -> RunState:
        """Nothing runs."""
        from wizard.apply.run.journal import RunState

        return RunState.INTERRUPTED

    def request_stop(self, run: Path) -> None:
        """Nothing runs."""

    def migration_prospect(self, drive: Drive, moving: SessionConversion) -> tuple[Prospect, float]:
        """A recording does not hold the filesystem's superblock."""
        raise Refused(str(NOT_RECORDED))

    def plan_migration(self, drive: Drive, moving: SessionConversion) -> Migration:
        """Refused."""
        raise Refused(str(NOT_RECORDED))

    def carry_migration(self, drive: Drive, moving: SessionConversion) -> Carried:
        """Refused."""
        raise Refused(str(NOT_RECORDED))

    def bring_sources(self, targets: Sequence[str]) -> tuple[Source, ...]:
        """As recorded."""
        from wizard.apply.copy.places import sources_of

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


ONE_VOLUME = t("Several drives form one volume together: remove the other volumes from the list first.")


@dataclass(frozen=True, slots=True)
class SpreadWay:
    """How a volume can lie on drives. `asked` None is on the first alone."""

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
"""What survives a drive's loss comes first."""


def way_of(session: Session) -> SpreadWay:
    """The way that was taken."""
    return next((way for way in WAYS if way.asked == session.stripe), ALONE)


def candidates(
    session: Session, impediment: Callable[[Drive], Message | str]
) -> tuple[tuple[Drive, Message | str], ...]:
    """Every drive besides the first, with why it cannot be taken, which is empty where it can: as the list of
    drives has it."""
    assert session.machine is not None and session.drive is not None
    others = (drive for drive in session.machine.drives if drive.path != session.drive.path)
    return tuple((drive, impediment(drive)) for drive in others)


def loss_of(drives: Sequence[Drive]) -> Message | None:
    """What is lost by taking drives whole; None where they hold nothing."""
    held = tuple(drive.path for drive in drives if not drive.is_empty)
    return (
        tn(
            "All data on {drives:and} will be lost when you keep the plan's result. With "
            "LVM, it is lost when the plan is applied.",
            "All data on {drives:and} will be lost when you keep the plan's result. With "
            "LVM, it is lost when the plan is applied.",
            drives=held,
            count=len(held),
        )
        if held
        else None
    )


def spread(services: Services, session: Session, way: SpreadWay, others: Sequence[Drive]) -> Session:
    """The session with its volume laid over these drives too, and planned so. Raises the reason where it
    cannot be."""
    if way.asked is None:
        return _alone(session)
    if not others:
        raise BadInput(t("Select another drive first."))
    if len(session.wishes) != 1:
        raise BadInput(ONE_VOLUME)
    (wish,) = session.wishes
    laid = replace(session, stripe=way.asked, others=tuple(others), mode=Mode.REPLACE)
    laid = replace(laid, wishes=(fitting(services, laid, wish),))
    return replace(laid, plan=plan_of(services, laid))


def _alone(session: Session) -> Session:
    """On the first drive again, of which all was to be lost for the others' sake: what becomes of it is asked
    anew."""
    assert session.drive is not None
    mode = None if session.stripe and not session.drive.is_empty else session.mode
    return replace(session, stripe=None, others=(), plan=None, mode=mode)


def fitting(services: Services, session: Session, wish: Wish) -> Wish:
    """The wish over all of the session's drives: its filesystem and options stay where these drives can hold
    it together, else they are what is advised for them. Raises Refused.
    """
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
    """The session on its first drive alone where another of its drives is no longer what it was when it was
    taken."""
    assert session.machine is not None
    if all(session.machine.drive(drive.path) == drive for drive in session.others):
        return session
    return _alone(session)


def plan_of(services: Services, session: Session) -> Plan:
    """The plan for what the session asks for, on one drive or on several; raises the planner's reason."""
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
    """`/dev/sda and /dev/sdb, mirrored by md`, or the drive alone."""
    paths = tuple(drive.path for drive in session.drives)
    if session.stripe is None:
        return t("{drive} alone", drive=paths[0])
    lies = (
        Sentence("{drives:and}, mirrored by {by}")
        if session.stripe.mirrors
        else Sentence("{drives:and}, striped by {by}")
    )
    return lies(drives=paths, by=session.stripe.kind)


def spread_words(session: Session) -> str:
    """The same as text."""
    return str(spread_of(session))
