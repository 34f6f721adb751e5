"""One volume over several drives, as both faces ask for it: the ways there are, the drives that can be taken,
and the plan."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from wizard.layout.planner import PLAIN, Mode
from wizard.layout.several.striped import StripeWish, choice_on
from wizard.layout.several.striping import FILESYSTEMS, room_bytes
from wizard.layout.wishes.wish import Wish
from wizard.model.errors import BadInput, Refused
from wizard.model.machine import Drive
from wizard.model.plan import Plan
from wizard.model.said import Said, Sentence, t, tn
from wizard.services.contract import Services
from wizard.services.session import Session

ONE_VOLUME = t("Several drives hold one volume together: take the others off the list first.")


@dataclass(frozen=True, slots=True)
class Way:
    """How a volume can lie on drives. `asked` None is on the first alone."""

    name: str
    title: Said
    asked: StripeWish | None = None


ALONE = Way("alone", t("On this drive alone"))
WAYS = (
    ALONE,
    Way(
        "mirror-btrfs",
        t("Mirrored by Btrfs: two copies, survives the loss of one drive"),
        StripeWish("btrfs", level="raid1"),
    ),
    Way(
        "mirror-md",
        t("Mirrored by md (RAID1): a copy on each, survives all but one"),
        StripeWish("md", level="raid1"),
    ),
    Way("stripe-btrfs", t("Striped by Btrfs (RAID0): fast, lost with any one drive"), StripeWish("btrfs")),
    Way("stripe-md", t("Striped by md (RAID0): fast, lost with any one drive"), StripeWish("md")),
    Way("stripe-lvm", t("Striped by LVM: fast, lost with any one drive"), StripeWish("lvm")),
)
"""What survives a drive's loss comes first."""


def way_of(session: Session) -> Way:
    """The way that was taken."""
    return next((way for way in WAYS if way.asked == session.stripe), ALONE)


def candidates(
    session: Session, impediment: Callable[[Drive], Said | str]
) -> tuple[tuple[Drive, Said | str], ...]:
    """Every drive besides the first, with why it cannot be taken, which is empty where it can: as the list of
    drives has it."""
    assert session.machine is not None and session.drive is not None
    others = (drive for drive in session.machine.drives if drive.path != session.drive.path)
    return tuple((drive, impediment(drive)) for drive in others)


def loss_of(drives: Sequence[Drive]) -> Said | None:
    """What is lost by taking drives whole; None where they hold nothing."""
    held = tuple(drive.path for drive in drives if not drive.is_empty)
    return (
        tn(
            "All that {drives:and} holds will be lost when you keep what the plan makes. "
            "With LVM it is lost when the plan is applied.",
            "All that {drives:and} hold will be lost when you keep what the plan makes. "
            "With LVM it is lost when the plan is applied.",
            drives=held,
            count=len(held),
        )
        if held
        else None
    )


def spread(services: Services, session: Session, way: Way, others: Sequence[Drive]) -> Session:
    """The session with its volume laid over these drives too, and planned so. Raises the reason where it
    cannot be."""
    if way.asked is None:
        return _alone(session)
    if not others:
        raise BadInput(t("Take a further drive first."))
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
        raise Refused(t("Several drives together are taken whole: nothing on them is kept."))
    if session.arrangement not in (None, PLAIN):
        raise BadInput(
            t("Every one of several drives gets a GPT, and no volume group of its own: choose that first.")
        )
    return services.plan_striped(
        session.machine, session.drives, session.wishes[0], session.stripe, session.mode
    )


def spread_of(session: Session) -> Said:
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
