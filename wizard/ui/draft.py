"""Build a plan from a session, starting with the workload. No rendering."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from wizard.advice.existing import is_pulled
from wizard.advice.missing import FILESYSTEMS, for_files, lacking
from wizard.host.session import PartChange, Session
from wizard.model.errors import BadInput, DiskwrightError, Refused
from wizard.model.machine import Drive, Partition
from wizard.plan.planner import Mode
from wizard.plan.request.roles import SYSTEM_WORKLOAD
from wizard.plan.request.using import PORTABLE_WORKLOAD
from wizard.plan.request.volume_request import Wish
from wizard.ui.several_drives import fitting, plan_of

if TYPE_CHECKING:
    from wizard.advice.missing import Missing
    from wizard.advice.request import Taken
    from wizard.host.services import Services


def usual_purpose(drive: Drive) -> str:
    """Return the most likely workload for a drive, to preselect in the list."""
    if is_pulled(drive) and not drive.rotational:
        return PORTABLE_WORKLOAD
    return "ssd-general" if drive.rotational is False else "large-media"


def _partition_of(session: Session) -> Partition | None:
    """Return the partition to format, or None if the session covers the whole drive."""
    drive = session.drive
    return drive.partition(session.part) if drive is not None and session.part else None


def for_purpose(services: Services, session: Session, workload: str) -> Session:
    """Return the session with advice and volumes for a workload.

    Raises DiskwrightError if the planner refuses every volume.
    """
    assert session.machine is not None and session.drive is not None and session.diagnosis is not None
    part = _partition_of(session)
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
    if workload == SYSTEM_WORKLOAD and part is None and (system := _system_wishes(services, anew)):
        return replace(anew, wishes=system)
    if anew.choice is None:
        return anew
    return replace(anew, wishes=(default_wish(services, anew),))


def ranked_anew(services: Services, session: Session) -> Session:
    """Rank the filesystems again with the machine's current tools."""
    return for_purpose(services, session, session.workload) if session.workload else session


def missing_makers(session: Session) -> Missing | None:
    """Return the tools to install for the best filesystem blocked only by missing tools, or None."""
    machine, advice = session.machine, session.advice
    if machine is None or advice is None:
        return None
    ranked = (one for one in for_files(advice.choices) if one.ranked and len(one.obstacles) == 1)
    return next(filter(None, (lacking(machine, FILESYSTEMS[one.filesystem].makers) for one in ranked)), None)


def _mode(services: Services, session: Session, *, was_spread: bool) -> Mode | None:
    """Return the previous mode, or a mode that destroys no data, or None.

    Only the user chooses a destructive mode.
    """
    assert session.drive is not None
    # A mode chosen for several drives does not apply to this drive alone.
    if session.part or (session.mode is not None and not was_spread):
        return session.mode
    if session.drive.is_empty:
        return Mode.REPLACE
    if session.choice is None:
        return None
    trial = replace(session, mode=Mode.USE_FREE, wishes=(default_wish(services, session),))
    return None if fault(services, trial) else Mode.USE_FREE


def _system_wishes(services: Services, session: Session) -> tuple[Wish, ...]:
    """Return the volumes of a desktop system, or none if they do not fit."""
    assert session.machine is not None and session.drive is not None and session.diagnosis is not None
    mode = session.mode or Mode.REPLACE
    try:
        return services.desktop(session.machine, session.drive, session.diagnosis.recording, mode)
    except DiskwrightError:
        return ()


def default_wish(services: Services, session: Session, others: Sequence[Wish] = ()) -> Wish:
    """Return one volume in all remaining space, with recommended settings and the usual mount point and
    writer.
    """
    assert session.advice is not None and session.choice is not None and session.drive is not None
    wish = Wish(session.choice, session.advice.workload, None, None, None, session.choice_doubts)
    return fitting(services, session, services.put_to_use(session.drive, wish, others))


def planned(services: Services, session: Session) -> Session:
    """Return the session with a plan. Raises the planner's error."""
    assert session.machine is not None and session.drive is not None
    if session.part is None:
        return replace(session, plan=plan_of(services, session))
    part = _partition_of(session)
    if part is None:
        raise Refused("")
    plan = services.plan_part(session.machine, session.drive, part, PartChange.FORMAT, session.wishes)
    return replace(session, plan=plan)


def fault(services: Services, session: Session) -> str:
    """Return why planning fails, or an empty string."""
    try:
        planned(services, session)
    except DiskwrightError as error:
        return str(error)
    return ""


def with_wish(session: Session, index: int, wish: Wish) -> Session:
    """Replace or append a volume."""
    wishes = [*session.wishes]
    wishes[index : index + 1] = [wish]
    return replace(session, wishes=tuple(wishes), plan=None)


def without_wish(session: Session, index: int) -> Session:
    """Remove a volume. Raises BadInput for the last one."""
    if len(session.wishes) == 1:
        raise BadInput("")
    wishes = [*session.wishes]
    del wishes[index]
    return replace(session, wishes=tuple(wishes), plan=None)


def with_filesystem(services: Services, session: Session, index: int, taken: Taken) -> Session:
    """Change the filesystem or options of a volume."""
    doubts = taken.doubts
    wish = replace(session.wishes[index], choice=taken.choice, doubts=doubts)
    # The usual writer and mount point depend on the filesystem.
    assert session.drive is not None
    if not wish.role and wish.choice.filesystem != session.wishes[index].choice.filesystem:
        others = [one for at, one in enumerate(session.wishes) if at != index]
        usual = services.put_to_use(session.drive, replace(wish, mount_point=None), others)
        wish = replace(usual, mount_point=wish.mount_point or usual.mount_point)
    changed = with_wish(session, index, wish)
    if index == 0:
        changed = replace(changed, choice=taken.choice, taken=taken)
    return changed
