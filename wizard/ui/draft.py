"""Build a plan from a session, starting with the workload. No rendering."""

from collections.abc import Sequence
from contextlib import suppress

from msgspec.structs import asdict, replace

from wizard.advice import missing
from wizard.advice.request import Taken
from wizard.filesystems.registry import MADE
from wizard.model.advice import Advice
from wizard.model.errors import BadInput, DiskwrightError, Refused, why_not
from wizard.model.layout import Stripe
from wizard.model.machine import Drive
from wizard.model.said import t
from wizard.plan.raid.striping import FILESYSTEMS as TOGETHER
from wizard.plan.raid.striping import room_bytes
from wizard.plan.request import wanted
from wizard.plan.request.plan_request import PLAIN, Mode, NewVolumes
from wizard.plan.request.roles import SYSTEM_WORKLOAD
from wizard.plan.request.using import with_usual_place
from wizard.plan.request.volume_request import VolumeSpec
from wizard.plan.request.wanted import advice_in_role
from wizard.ui import messages
from wizard.ui.session import Session


def for_purpose(session: Session, workload: str) -> Session:
    """Return the session with advice and volumes for a workload.

    Raises DiskwrightError if the planner refuses every volume.
    """
    part = session.partition
    advice = session.advise(workload, part.size_bytes if part else None)
    anew = replace(session, advice=advice, specs=(), plan=None, arrangement=PLAIN, others=())
    if advice.chosen:
        anew = with_filesystem(anew, 0, Taken(advice.chosen))
    # A mode chosen for several drives does not apply to this drive alone.
    if not session.part and (session.mode is None or session.arrangement.stripe):
        anew = replace(anew, mode=_safe_mode(anew))
    if workload == SYSTEM_WORKLOAD and part is None:
        # One volume if there is too little space.
        with suppress(DiskwrightError):
            return replace(anew, specs=desktop_specs(anew))
    return anew


def missing_makers(session: Session) -> missing.Missing | None:
    """Return the tools to install for the best filesystem blocked only by missing tools, or None."""
    choices = missing.for_files(session.advice.choices) if session.advice else ()
    ranked = (one for one in choices if one.ranked and len(one.obstacles) == 1)
    found = (missing.lacking(session.machine, MADE[one.filesystem].makers) for one in ranked)
    return next(filter(None, found), None)


def _safe_mode(session: Session) -> Mode | None:
    """Return a mode that destroys no data, or None. Only the user chooses a destructive mode."""
    if session.drive.is_empty:
        return Mode.REPLACE
    if not session.specs or why_not(planned, replace(session, mode=Mode.USE_FREE)):
        return None
    return Mode.USE_FREE


def desktop_specs(session: Session) -> tuple[VolumeSpec, ...]:
    """Return the volumes of a desktop system. Raises BadInput or Refused with the reason."""
    machine, drive, recording = session.machine, session.drive, session.diagnosis.recording
    room = wanted.room_for_preset(drive, preserve=session.mode is Mode.USE_FREE)
    requests = wanted.desktop_requests(room, machine.memory_bytes)
    return tuple(wanted.spec_of(machine, drive, recording, asked) for asked in requests)


def advice_for(session: Session, index: int) -> Advice:
    """Return the advice for the purpose and role of a volume, or for the session's without volumes."""
    assert session.advice is not None
    if not session.specs:
        return session.advice
    spec, advice = session.specs[index], session.advice
    if spec.workload.id != advice.workload.id:
        advice = session.advise(spec.workload.id)
    return advice_in_role(advice, spec.role)


def taken_for(spec: VolumeSpec) -> Taken:
    """Return filesystem and options of a volume."""
    return Taken(spec.choice, spec.doubts, spec.names, spec.phrases)


def usual_taken(session: Session) -> Taken:
    """Return filesystem and options for one more volume: those of the first volume with the session's
    purpose, else the recommended ones. Raises BadInput if there are none."""
    assert session.advice is not None
    purpose = session.advice.workload.id
    alike = (one for one in session.specs if not one.role and one.workload.id == purpose)
    if spec := next(alike, None):
        return taken_for(spec)
    if session.advice.chosen is None:
        raise BadInput(messages.NONE_FOR_PURPOSE)
    return Taken(session.advice.chosen)


def default_spec(session: Session, taken: Taken) -> VolumeSpec:
    """Return one more volume in all remaining space, with the usual mount point and writer."""
    assert session.advice is not None
    spec = VolumeSpec(
        **asdict(taken), workload=session.advice.workload, size_bytes=None, label=None, mount_point=None
    )
    return _fitting(session, with_usual_place(spec, session.drive, session.services.usual(), session.specs))


def planned(session: Session) -> Session:
    """Return the session with a plan. Raises the planner's error."""
    part = session.partition
    if session.part and part is None:
        raise Refused("")
    request = NewVolumes(session.specs, session.mode, session.arrangement, part)
    return replace(session, plan=session.services.plan(session.machine, session.drives, request))


def with_spec(session: Session, index: int, spec: VolumeSpec) -> Session:
    """Replace or append a volume."""
    specs = [*session.specs]
    specs[index : index + 1] = [spec]
    return replace(session, specs=tuple(specs), plan=None)


def with_filesystem(session: Session, index: int, taken: Taken) -> Session:
    """Change the filesystem or options of a volume, or add the first one."""
    if not session.specs:
        return with_spec(session, 0, default_spec(session, taken))
    spec = replace(session.specs[index], **asdict(taken))
    # The usual writer and mount point depend on the filesystem.
    if not spec.role and spec.choice.filesystem != session.specs[index].choice.filesystem:
        others = [one for at, one in enumerate(session.specs) if at != index]
        usual = with_usual_place(
            replace(spec, mount_point=None), session.drive, session.services.usual(), others
        )
        spec = replace(usual, mount_point=spec.mount_point or usual.mount_point)
    return with_spec(session, index, spec)


def spread(session: Session, stripe: Stripe | None, others: Sequence[Drive]) -> Session:
    """Return the session with the volume spread over these drives and planned, or on the first drive alone.
    Raises the reason if not possible."""
    how = replace(session.arrangement, stripe=stripe)
    if stripe is None:
        # Ask again about the contents, which only the other drives required to erase.
        mode = None if session.arrangement.stripe and not session.drive.is_empty else session.mode
        return replace(session, arrangement=how, others=(), plan=None, mode=mode)
    if not others:
        raise BadInput(t("Select another drive first."))
    changed = replace(session, arrangement=how, others=tuple(others), mode=Mode.REPLACE)
    specs = tuple(_fitting(changed, spec) for spec in session.specs)
    return planned(replace(changed, specs=specs))


def _fitting(session: Session, spec: VolumeSpec) -> VolumeSpec:
    """Adapt a request to all drives of the session. Keep filesystem and options if the drives can share them,
    else use the recommended ones. Raises Refused."""
    stripe = session.arrangement.stripe
    if stripe is None:
        return spec
    spec = replace(spec, size_bytes=None, percent=None)
    if spec.choice.filesystem in TOGETHER[stripe.kind]:
        return spec
    room = room_bytes(stripe.kind, stripe.level, [drive.size_bytes or 0 for drive in session.drives])
    advice = session.advise(spec.workload.id, room or None)
    return replace(spec, **asdict(Taken(wanted.choice_on(advice, session.machine, TOGETHER[stripe.kind]))))
