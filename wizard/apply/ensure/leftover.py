"""Find an unfinished run on a drive, which blocks further changes, and compare it with the request."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from wizard.apply import run_control
from wizard.apply.engine.record import is_untouched, load_record
from wizard.apply.ensure.converge import DriveTarget
from wizard.apply.run import journal, runs
from wizard.apply.run.job import LEFT_OFF, NextCommands
from wizard.apply.run.kinds import load
from wizard.model.errors import BadInput
from wizard.model.geometry import Identity
from wizard.model.layout import NO_PLACE
from wizard.model.machine import Drive
from wizard.model.said import Message, t
from wizard.plan.changes import RunDocument
from wizard.plan.desired_state.differences import may_replace
from wizard.plan.plan import Plan
from wizard.plan.request.volume_request import subvolume_written

Leftover = tuple[Message, Path | None]
"""A message about an unfinished run, and its folder if `resume` leads to the requested result."""


def leftover(aim: DriveTarget, ideal: Plan) -> Leftover | None:
    """Return the newest unfinished run on one of the drives, or None. `ideal`: the requested plan. Ignores
    runs that wrote nothing and do not match it. Raises as `list_runs` does.

    A run can resume only if it covers all drives, and destroys only what the document allows.
    """
    pending, found = aim.drives, list[Leftover]()
    for run in reversed(runs.list_runs(aim.where.journal_dir)):
        with suppress(BadInput):
            document = load(run)
            mine = tuple(drive for drive in pending if _uses(document, drive))
            if mine and (left := _assess(run, aim, ideal, mine)):
                found.append(left)
            pending = tuple(drive for drive in pending if drive not in mine)
    return min(found, key=lambda left: left[1] is not None, default=None)


def _uses(document: RunDocument, drive: Drive) -> bool:
    """Return True for a run on the drive, by serial number, or else by node and size, or on a partition."""
    if any(one == drive.path or drive.partition(one) is not None for one in document.devices):
        return True
    serial = "" if drive.same_serial else drive.serial
    return any(
        one.serial == serial
        if one.serial and serial
        else (one.path, one.size_bytes) == (drive.path, drive.size_bytes)
        for one in document.drives
    )


def _assess(run: Path, aim: DriveTarget, ideal: Plan, drives: Sequence[Drive]) -> Leftover | None:
    now = journal.state(run)
    if now is journal.RunState.RUNNING:
        return run_control.CONTINUES(run=runs.run_argument(run)), None
    job = run_control.job_of(run)
    asked = job.working_commands(run, now)
    if "keep" in asked.names:
        return _resolve_first(run, drives[0], asked)
    if now not in {*LEFT_OFF, journal.RunState.WAITING} or not asked.said(run) or job.is_direct(run):
        # A direct run cannot continue: what is on the drive now decides.
        return None
    ended = now in (journal.RunState.FAILED, journal.RunState.REFUSED)
    untouched = is_untouched(run)
    goes_on = "resume" in asked.names and not (ended and untouched) and len(drives) == len(aim.drives)
    if goes_on and _makes_requested(run, aim, ideal) and _may_lose(run, aim):
        said = t(
            "the interrupted run {run} sets up {drive} as requested and will resume",
            drive=drives[0].path,
            run=run.name,
        )
        return said, run
    return None if untouched else _resolve_first(run, drives[0], asked)


def _resolve_first(run: Path, drive: Drive, ways: NextCommands) -> Leftover:
    return t("First resolve the run on {drive}: {how}", drive=drive.path, how=ways.said(run)), None


def _makes_requested(run: Path, aim: DriveTarget, ideal: Plan) -> bool:
    """Return True if the run makes and mounts what is requested, ignoring random values such as UUIDs."""
    plan = load(run)
    if not isinstance(plan, Plan) or plan.part or _comparable(plan) != _comparable(ideal):
        return False
    return all(
        tuple(map(subvolume_written, made.subvolumes)) == asked.subvolume
        and asked.mount in (None, made.mount_point or NO_PLACE)
        for made, asked in zip(plan.volumes, aim.wanted.volume, strict=True)
    )


def _may_lose(run: Path, aim: DriveTarget) -> bool:
    """Return True if the document allows losing the old contents of the run's drives. Permission given to
    another run does not count."""
    record, members = load_record(run), runs.load_plan(run).members
    blank: list[tuple[Identity | Drive, bool | None]] = [(member.drive, False) for member in members]
    if record is not None and len(record.changes) == len(members):
        pairs = zip(members, record.changes, strict=True)
        blank = [(member.drive, change.blank) for member, change in pairs]
    elif is_untouched(run):
        blank = [(drive, drive.is_empty) for drive in aim.drives]
    lost, others = ([drive for drive, empty in blank if bool(empty) is held] for held in (False, True))
    return not lost or may_replace(aim.wanted.replace, lost, others)


def _comparable(plan: Plan) -> tuple[object, ...]:
    stripe = plan.stripe
    how = (stripe.kind, stripe.level, stripe.chunk_bytes, stripe.metadata) if stripe else ()
    held = ((volume.filesystem, volume.label) for volume in plan.volumes)
    sizes = tuple(one.size_bytes for one in plan.logical_volumes)
    keys = tuple((one.device, one.key) for one in plan.containers)
    tables = ((member.drive.token, member.after.table) for member in plan.members)
    slots = (
        (number, slot.number, slot.start_bytes, slot.size_bytes, slot.type, slot.filesystem)
        for number, member in enumerate(plan.members)
        for slot in member.after.partitions
    )
    return (*tables, *slots, how, bool(plan.group), *held, *sizes, *keys)
