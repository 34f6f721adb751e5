"""Spread a volume over several drives."""

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from wizard.host.services import Services
from wizard.model.errors import BadInput
from wizard.model.machine import Drive
from wizard.model.said import Message, Sentence, t
from wizard.plan.raid.striping import FILESYSTEMS, room_bytes
from wizard.plan.request.plan_request import Mode, NewVolumes, StripeRequest
from wizard.plan.request.volume_request import VolumeSpec
from wizard.plan.request.wanted import choice_on
from wizard.ui.session import Session


class SpreadWay(Struct, frozen=True):
    """A way to place a volume on drives. `asked` is None for a single drive."""

    name: str
    title: Message
    asked: StripeRequest | None = None


ALONE = SpreadWay("alone", t("On this drive only"))
WAYS = (
    ALONE,
    SpreadWay(
        "mirror-btrfs",
        t("Mirrored by Btrfs: two copies, survives the loss of one drive"),
        StripeRequest("btrfs", level="raid1"),
    ),
    SpreadWay(
        "mirror-md",
        t("Mirrored by md (RAID1): a copy on each, survives all but one"),
        StripeRequest("md", level="raid1"),
    ),
    SpreadWay(
        "stripe-btrfs", t("Striped by Btrfs (RAID0): fast, lost with any one drive"), StripeRequest("btrfs")
    ),
    SpreadWay("stripe-md", t("Striped by md (RAID0): fast, lost with any one drive"), StripeRequest("md")),
)
"""Redundant layouts come first."""


def way_of(session: Session) -> SpreadWay:
    """Return the selected way."""
    return next((way for way in WAYS if way.asked == session.arrangement.stripe), ALONE)


def candidates(
    session: Session, blocker: Callable[[Drive], Message | str]
) -> tuple[tuple[Drive, Message | str], ...]:
    """Return all drives except the first, each with the reason it cannot be selected, or empty, as in the
    list of drives."""
    others = (drive for drive in session.machine.drives if drive.path != session.drive.path)
    return tuple((drive, blocker(drive)) for drive in others)


def loss_of(drives: Sequence[Drive]) -> Message | None:
    """Describe the data lost by using these drives entirely, or None if they are empty."""
    paths = tuple(drive.path for drive in drives if not drive.is_empty)
    return (
        t("All data on {drives:and} will be lost when you keep the plan's result.", drives=paths)
        if paths
        else None
    )


def spread(services: Services, session: Session, way: SpreadWay, others: Sequence[Drive]) -> Session:
    """Return the session with the volume spread over these drives, and a new plan. Raises the reason if not
    possible."""
    if way.asked is None:
        return _alone(session)
    if not others:
        raise BadInput(t("Select another drive first."))
    how = replace(session.arrangement, stripe=way.asked)
    changed = replace(session, arrangement=how, others=tuple(others), mode=Mode.REPLACE)
    specs = tuple(fitting(services, changed, spec) for spec in session.specs)
    request = NewVolumes(specs, Mode.REPLACE, how)
    return replace(changed, specs=specs, plan=services.plan(session.machine, changed.drives, request))


def _alone(session: Session) -> Session:
    """Return to the first drive alone. Ask again about its contents, which only the other drives required to
    erase."""
    how = session.arrangement
    mode = None if how.stripe and not session.drive.is_empty else session.mode
    return replace(session, arrangement=replace(how, stripe=None), others=(), plan=None, mode=mode)


def fitting(services: Services, session: Session, spec: VolumeSpec) -> VolumeSpec:
    """Adapt a request to all drives of the session. Keep filesystem and options if the drives can share them,
    else use the recommended ones. Raises Refused."""
    stripe = session.arrangement.stripe
    if stripe is None:
        return spec
    spec = replace(spec, size_bytes=None, percent=None)
    if spec.choice.filesystem in FILESYSTEMS[stripe.kind]:
        return spec
    room = room_bytes(stripe.kind, stripe.level, [drive.size_bytes or 0 for drive in session.drives])
    advice = session.advise(services, spec.workload.id, room or None)
    return replace(spec, choice=choice_on(advice, FILESYSTEMS[stripe.kind]), doubts=())


def still_there(session: Session) -> Session:
    """Return the session with the first drive alone if any other drive has changed since it was selected."""
    if all(session.machine.drive(drive.path) == drive for drive in session.others):
        return session
    return _alone(session)


def spread_of(session: Session) -> Message:
    """Return `/dev/sda and /dev/sdb, mirrored by md`, or the drive alone."""
    paths = tuple(drive.path for drive in session.drives)
    stripe = session.arrangement.stripe
    if stripe is None:
        return t("{drive} alone", drive=paths[0])
    layout = (
        Sentence("{drives:and}, mirrored by {by}")
        if stripe.mirrors
        else Sentence("{drives:and}, striped by {by}")
    )
    return layout(drives=paths, by=stripe.kind)
