"""Build a plan from a session, starting with the workload. No rendering."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from wizard.advice.missing import FILESYSTEMS, for_files, lacking
from wizard.host.recorded import fitting, plan_of
from wizard.host.session import PartChange, Session
from wizard.model.errors import BadInput, DiskwrightError, Refused
from wizard.model.machine import Drive, Partition
from wizard.plan.planner import Mode
from wizard.plan.request.roles import SYSTEM_WORKLOAD
from wizard.plan.request.using import PORTABLE_WORKLOAD, PULLED_BUSES
from wizard.plan.request.volume_request import Wish

if TYPE_CHECKING:
    from wizard.advice.missing import Missing
    from wizard.advice.request import Taken
    from wizard.host.contract import Services


def usual_purpose(drive: Drive) -> str:
    """What such a drive is mostly bought for: where the cursor begins in the list of purposes."""
    pulled = bool(drive.removable) or drive.bus in PULLED_BUSES
    if pulled and not drive.rotational:
        return PORTABLE_WORKLOAD
    return "ssd-general" if drive.rotational is False else "large-media"


def partition_of(session: Session) -> Partition | None:
    """The one partition that is formatted; None where it is for the whole drive."""
    drive = session.drive
    return drive.partition(session.part) if drive is not None and session.part else None


def for_purpose(services: Services, session: Session, workload: str) -> Session:
    """The session with what is advised for a purpose, and the volumes that follow; raises the reason where
    none can."""
    assert session.machine is not None and session.drive is not None and session.diagnosis is not None
    part = partition_of(session)
    size = part.size_bytes if part else None
    advice = services.advise(
        session.machine, session.drive, session.diagnosis.recording, workload, size_bytes=size
    )
    anew = replace(
        session,
        workload=workload,
        advice=advice,
        choice=advice.chosen,
        taken=None,
        wishes=(),
        plan=None,
        arrangement=None,
        stripe=None,
        others=(),
    )
    anew = replace(anew, mode=_mode(services, anew, was_spread=session.stripe is not None))
    if workload == SYSTEM_WORKLOAD and part is None and (system := system_wishes(services, anew)):
        return replace(anew, wishes=system)
    if anew.choice is None:
        return anew
    return replace(anew, wishes=(default_wish(services, anew),))


def ranked_anew(services: Services, session: Session) -> Session:
    """The same purpose with what the machine can make now."""
    return for_purpose(services, session, session.workload) if session.workload else session


def missing_makers(session: Session) -> Missing | None:
    """What to install for the best filesystem that nothing else hinders; None where that helps none."""
    machine, advice = session.machine, session.advice
    if machine is None or advice is None:
        return None
    ranked = (one for one in for_files(advice.choices) if one.ranked and len(one.obstacles) == 1)
    return next(filter(None, (lacking(machine, FILESYSTEMS[one.filesystem].makers) for one in ranked)), None)


def _mode(services: Services, session: Session, *, was_spread: bool) -> Mode | None:
    """What was said becomes of what is there; else what destroys nothing, where that is possible. To destroy
    is for a person to choose."""
    assert session.drive is not None
    # What was to be lost for other drives' sake was not said of this one alone.
    if session.part or (session.mode is not None and not was_spread):
        return session.mode
    if session.drive.is_empty:
        return Mode.REPLACE
    if session.choice is None:
        return None
    trial = replace(session, mode=Mode.USE_FREE, wishes=(default_wish(services, session),))
    return None if fault(services, trial) else Mode.USE_FREE


def system_wishes(services: Services, session: Session) -> tuple[Wish, ...]:
    """The volumes of a desktop's system; none where there is no room for them."""
    assert session.machine is not None and session.drive is not None and session.diagnosis is not None
    mode = session.mode or Mode.REPLACE
    try:
        return services.desktop(session.machine, session.drive, session.diagnosis.recording, mode)
    except DiskwrightError:
        return ()


def default_wish(services: Services, session: Session, others: Sequence[Wish] = ()) -> Wish:
    """One volume over all that is left, as it is advised, mounted and writable as is usual here."""
    assert session.advice is not None and session.choice is not None and session.drive is not None
    wish = Wish(session.choice, session.advice.workload, None, None, None, session.choice_doubts)
    return fitting(services, session, services.put_to_use(session.drive, wish, others))


def planned(services: Services, session: Session) -> Session:
    """The session with its plan; raises the planner's reason."""
    assert session.machine is not None and session.drive is not None
    if session.part is None:
        return replace(session, plan=plan_of(services, session))
    part = partition_of(session)
    if part is None:
        raise Refused("")
    plan = services.plan_part(session.machine, session.drive, part, PartChange.FORMAT, session.wishes)
    return replace(session, plan=plan)


def fault(services: Services, session: Session) -> str:
    """Why it cannot be planned, in a sentence; empty where it can."""
    try:
        planned(services, session)
    except DiskwrightError as error:
        return str(error)
    return ""


def with_wish(session: Session, index: int, wish: Wish) -> Session:
    """With one volume changed, or a further one."""
    wishes = [*session.wishes]
    wishes[index : index + 1] = [wish]
    return replace(session, wishes=tuple(wishes), plan=None)


def without_wish(session: Session, index: int) -> Session:
    """With one volume less; raises BadInput for the last."""
    if len(session.wishes) == 1:
        raise BadInput("")
    wishes = [*session.wishes]
    del wishes[index]
    return replace(session, wishes=tuple(wishes), plan=None)


def with_filesystem(services: Services, session: Session, index: int, taken: Taken) -> Session:
    """With another filesystem, or other options of it, for one volume."""
    doubts = taken.doubts
    wish = replace(session.wishes[index], choice=taken.choice, doubts=doubts)
    # Who may write, and whether it is mounted, may be another matter on another filesystem.
    assert session.drive is not None
    if not wish.role and wish.choice.filesystem != session.wishes[index].choice.filesystem:
        others = [one for at, one in enumerate(session.wishes) if at != index]
        usual = services.put_to_use(session.drive, replace(wish, mount_point=None), others)
        wish = replace(usual, mount_point=wish.mount_point or usual.mount_point)
    changed = with_wish(session, index, wish)
    if index == 0:
        changed = replace(changed, choice=taken.choice, taken=taken)
    return changed
