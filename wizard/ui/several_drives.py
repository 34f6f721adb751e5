"""Spread a volume over several drives."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from wizard.host.services import Services
from wizard.model.errors import BadInput, Refused
from wizard.model.machine import Drive
from wizard.model.said import Message, Sentence, t
from wizard.plan.plan import Plan
from wizard.plan.planner import PLAIN, Mode
from wizard.plan.raid.striped import StripeRequest, choice_on, make_striped_plan
from wizard.plan.raid.striping import FILESYSTEMS, room_bytes
from wizard.plan.request.volume_request import VolumeSpec
from wizard.ui.session import Session

ONE_VOLUME = t("Several drives form one volume together: remove the other volumes from the list first.")


@dataclass(frozen=True, slots=True)
class SpreadWay:
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
    return next((way for way in WAYS if way.asked == session.stripe), ALONE)


def candidates(
    session: Session, blocker: Callable[[Drive], Message | str]
) -> tuple[tuple[Drive, Message | str], ...]:
    """Return all drives except the first, each with the reason it cannot be selected, or empty, as in the
    list of drives."""
    assert session.machine is not None and session.drive is not None
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
    """Return the session with its volume spread over these drives, and a new plan. Raises the reason if not
    possible."""
    if way.asked is None:
        return _alone(session)
    if not others:
        raise BadInput(t("Select another drive first."))
    if len(session.specs) != 1:
        raise BadInput(ONE_VOLUME)
    (spec,) = session.specs
    changed = replace(session, stripe=way.asked, others=tuple(others), mode=Mode.REPLACE)
    changed = replace(changed, specs=(fitting(services, changed, spec),))
    return replace(changed, plan=plan_of(services, changed))


def _alone(session: Session) -> Session:
    """Return to the first drive alone. Ask again about its contents, which only the other drives required to
    erase."""
    assert session.drive is not None
    mode = None if session.stripe and not session.drive.is_empty else session.mode
    return replace(session, stripe=None, others=(), plan=None, mode=mode)


def fitting(services: Services, session: Session, spec: VolumeSpec) -> VolumeSpec:
    """Adapt a request to all drives of the session. Keep filesystem and options if the drives can share them,
    else use the recommended ones. Raises Refused."""
    if session.stripe is None:
        return spec
    spec = replace(spec, size_bytes=None, percent=None)
    if spec.choice.filesystem in FILESYSTEMS[session.stripe.kind]:
        return spec
    assert session.machine is not None and session.drive is not None and session.diagnosis is not None
    room = room_bytes(
        session.stripe.kind, session.stripe.level, [drive.size_bytes or 0 for drive in session.drives]
    )
    advice = services.advise(
        session.machine, session.drive, session.diagnosis.recording, spec.workload.id, size_bytes=room or None
    )
    return replace(spec, choice=choice_on(advice, FILESYSTEMS[session.stripe.kind]), doubts=())


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
        return services.plan(session.machine, session.drive, session.specs, session.mode, session.arrangement)
    if len(session.specs) != 1:
        raise BadInput(ONE_VOLUME)
    if session.mode is Mode.USE_FREE:
        raise Refused(t("Several drives are always used whole: their contents are not preserved."))
    if session.arrangement not in (None, PLAIN):
        raise BadInput(
            t("Each of several drives gets a GPT, without its own volume group. Select that first.")
        )
    recordings = [services.diagnose(session.machine, drive).recording for drive in session.drives]
    plan = make_striped_plan(
        session.machine,
        session.drives,
        session.specs[0],
        session.stripe,
        session.mode,
        services.draw_uuid,
        recordings,
        services.arrays(),
    )
    return services.with_boot_entries(plan, session.drives)


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
