"""Find an unfinished run on a drive, which blocks further changes, and compare it with the request."""

from contextlib import suppress
from pathlib import Path

from wizard.apply import run_control
from wizard.apply.engine.record import is_untouched, load_record
from wizard.apply.ensure.converge import DriveTarget
from wizard.apply.run import journal, runs
from wizard.apply.run.job import LEFT_OFF, NextCommands
from wizard.apply.run.kinds import load
from wizard.model.errors import BadInput, FrozenStruct
from wizard.model.geometry import Identity
from wizard.model.layout import NO_PLACE
from wizard.model.machine import Drive
from wizard.model.said import Message, t
from wizard.plan.desired_state.differences import may_replace
from wizard.plan.plan import Plan
from wizard.plan.request.volume_request import subvolume_written


class Leftover(FrozenStruct):
    """An unfinished run, a message about it, and True if it does what is requested and can resume."""

    run: Path
    said: Message
    resumes: bool = False


def leftover(aim: DriveTarget, ideal: Plan) -> Leftover | None:
    """Return the newest unfinished run on one of the drives, or None. `ideal`: the requested plan. Ignores
    runs that wrote nothing and do not match it. Raises as `list_runs` does.

    A run can resume only if it covers all drives, and destroys only what the document allows.
    """
    by_drive = [_on_drive(aim, ideal, drive) for drive in aim.drives]
    found = [left for left in by_drive if left is not None]
    stopping = [left for left in found if not left.resumes]
    if stopping or not found:
        return next(iter(stopping), None)
    if len({left.run for left in found}) == 1 and len(found) == len(by_drive):
        return found[0]
    run = found[0].run
    ways = run_control.working_ways(run, journal.state(run))
    drive = next(drive for drive, left in zip(aim.drives, by_drive, strict=True) if left is not None)
    return _resolve_first(run, drive, ways)


def _on_drive(aim: DriveTarget, ideal: Plan, drive: Drive) -> Leftover | None:
    for run in reversed(runs.list_runs(aim.where.journal_dir)):
        with suppress(BadInput):
            document = load(run)
            uses = any(one == drive.path or drive.partition(one) is not None for one in document.devices)
            if uses or any(_is_same(one, drive) for one in document.drives):
                return _assess(run, aim, ideal, drive)
    return None


def _assess(run: Path, aim: DriveTarget, ideal: Plan, drive: Drive) -> Leftover | None:
    now = journal.state(run)
    if now is journal.RunState.RUNNING:
        return Leftover(run, run_control.CONTINUES(run=runs.run_argument(run)))
    asked = run_control.working_ways(run, now)
    if "keep" in asked.names:
        return _resolve_first(run, drive, asked)
    if (
        now not in {*LEFT_OFF, journal.RunState.WAITING}
        or not asked.said(run)
        or run_control.job_of(run).is_direct(run)
    ):
        # A direct run cannot continue: what is on the drive now decides.
        return None
    ended = now in (journal.RunState.FAILED, journal.RunState.REFUSED)
    untouched = is_untouched(run)
    goes_on = "resume" in asked.names and not (ended and untouched) and _makes_requested(run, aim, ideal)
    if goes_on and _may_lose(run, aim):
        return Leftover(
            run,
            t(
                "the interrupted run {run} sets up {drive} as requested and will resume",
                drive=drive.path,
                run=run.name,
            ),
            resumes=True,
        )
    return None if untouched else _resolve_first(run, drive, asked)


def _resolve_first(run: Path, drive: Drive, ways: NextCommands) -> Leftover:
    return Leftover(run, t("First resolve the run on {drive}: {how}", drive=drive.path, how=ways.said(run)))


def _is_same(known: Identity, drive: Drive) -> bool:
    """Return True if both are the same drive, by serial number, or else by node and size."""
    if known.serial and drive.serial and not drive.same_serial:
        return known.serial == drive.serial
    return (known.path, known.size_bytes) == (drive.path, drive.size_bytes)


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
