"""Find a waiting run by the recovery labels on the drives after the run's folder was lost. Read-only."""

from base64 import b64decode
from contextlib import suppress
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from wizard.apply.block import extents
from wizard.apply.engine.record import Phase, load_record
from wizard.apply.plan.identity_check import identity_difference
from wizard.apply.plan.run_summary import SETTLED
from wizard.apply.run import runs
from wizard.apply.run.backup_store import LOOK_SECONDS
from wizard.apply.run.job import check_root
from wizard.apply.run.journal import state
from wizard.apply.run.process import refused
from wizard.model.errors import BadInput, DiskwrightError
from wizard.model.finding import HiddenBlock, Notice
from wizard.model.geometry import Identity
from wizard.model.machine import Drive, Extent
from wizard.model.said import t
from wizard.plan.check import PLANS
from wizard.plan.plan import Plan
from wizard.probe.content.notices import is_bare, notices
from wizard.probe.machine import list_drive_paths, probe_drive


class FoundRun(Struct, frozen=True):
    """A waiting run found on drives: the plan with current device names and without mounts, one recovery
    label per drive in the plan's order, their raw bytes, and differences from the plan's drives."""

    plan: Plan
    notices: tuple[Notice, ...]
    data: tuple[bytes, ...]
    differences: tuple[str, ...]

    @property
    def run(self) -> str:
        """The name of the run."""
        return self.notices[0].run

    def written(self) -> tuple[tuple[str, Extent], ...]:
        """Return all places that keep writes to, with their drives."""
        return tuple(
            (path, place)
            for path, notice in zip(self.plan.devices, self.notices, strict=True)
            for place in extents.merged(
                (*(one.extent for one in notice.withheld), notice.extent), 1, notice.drive_bytes
            )
        )


def found_on(path: str, journal_dir: Path | None = None) -> FoundRun:
    """Find the run that waits on a drive and the other drives. Read-only.

    Raises Refused if nothing is waiting, if keep has already started (with the run's name), or if drives are
    missing. Raises BadInput for a path that is not a drive.
    """
    check_root()
    drive = probe_drive(path, seconds=LOOK_SECONDS)
    mine = _notice_of(drive)
    if mine is None:
        if begun := _run_being_kept(drive.path, journal_dir):
            raise refused(
                t(
                    "Keep has already started for the run {name} on {drive}: `diskwright keep {run}` "
                    "continues.",
                    name=begun.name,
                    drive=drive.path,
                    run=runs.run_argument(begun),
                )
            )
        raise refused(
            t(
                "No result is waiting on {drive}: the recovery label is missing, or the hidden "
                "blocks were modified.",
                drive=drive.path,
            )
        )
    first = mine[0]
    plan = PLANS.read_kept(first.plan, str(t("The recovery label on {drive}", drive=drive.path)))
    found = {first.number: (drive, *mine)}
    if len(plan.members) > 1:
        found |= _others(first, drive.path)
    if missing := [member.drive for number, member in enumerate(plan.members) if number not in found]:
        unknown = t("model unknown")
        absent = tuple(
            t("{model} of {size:size}", model=drive.model or unknown, size=drive.size_bytes)
            for drive in missing
        )
        raise refused(
            t(
                "The run {run} wrote to {drives} drives, not all attached. Missing: {missing:list}.",
                run=first.run,
                drives=len(plan.members),
                missing=absent,
            )
        )
    for drive, notice, _ in found.values():
        _refuse_invalid(drive.path, notice, drive.geometry.logical_block_bytes if drive.geometry else 1)
    drives, labels, data = zip(*(found[number] for number in range(len(plan.members))), strict=True)
    known = tuple(_as_now(member.drive, now) for member, now in zip(plan.members, drives, strict=True))
    differences = tuple(
        str(
            t(
                "{drive} differs from the plan's drive: {difference}.",
                drive=now.path,
                difference=difference,
            )
        )
        for member, now in zip(plan.members, drives, strict=True)
        if (difference := identity_difference(member.drive, now))
    )
    return FoundRun(plan.on_drives(known).on_drive_only(), labels, data, differences)


def _run_being_kept(path: str, journal_dir: Path | None) -> Path | None:
    """Return the newest local run that is writing signatures to this drive, or wrote them without
    finishing."""
    for run in reversed(runs.list_runs(journal_dir)):
        with suppress(BadInput):
            record = load_record(run)
            is_begun = record and record.phase in (Phase.RELEASING, Phase.RELEASED, Phase.KEPT)
            if is_begun and state(run) not in SETTLED and path in runs.load_plan(run).devices:
                return run
    return None


def _notice_of(drive: Drive) -> tuple[Notice, bytes] | None:
    waiting = drive.waiting
    if waiting is None or not waiting.bare or drive.size_bytes is None:
        return None
    with extents.DeviceMedium(drive.path) as medium:

        def read(start: int, length: int) -> bytes:
            place = Extent(start, min(length, medium.size_bytes - start))
            return extents.read_all((place,), medium.read)

        for notice, data in notices(read, medium.size_bytes):
            if notice.start_bytes == waiting.start_bytes and is_bare(notice, read):
                return notice, data
    return None


def _others(first: Notice, but: str) -> dict[int, tuple[Drive, Notice, bytes]]:
    """Find the other drives of the same run, by their numbers in the plan. Raises Refused if two drives have
    the same number."""
    found: dict[int, tuple[Drive, Notice, bytes]] = {}
    for path in list_drive_paths(all_devices=True):
        if path == but:
            continue
        try:
            drive = probe_drive(path, seconds=5.0)
            other = _notice_of(drive)
        except DiskwrightError:
            continue
        if other is None or (other[0].run, other[0].plan) != (first.run, first.plan):
            continue
        if other[0].number in (*found, first.number):
            raise refused(
                t(
                    "Two drives claim to be the same drive of this run; one is {drive}.",
                    drive=path,
                )
            )
        found[other[0].number] = (drive, *other)
    return found


def _as_now(planned: Identity, drive: Drive) -> Identity:
    """Return the drive's current identity. Raises Refused if its size or block size has changed."""
    geometry = drive.geometry
    if (
        drive.size_bytes != planned.size_bytes
        or geometry is None
        or geometry.logical_block_bytes != planned.geometry.logical_block_bytes
    ):
        raise refused(
            t(
                "The size or logical block size of {drive} has changed since writing. Attach the "
                "drive as before.",
                drive=drive.path,
            )
        )
    return replace(
        planned,
        path=drive.path,
        by_id=drive.by_id,
        model=drive.model,
        serial=drive.serial,
        wwn=drive.wwn,
        geometry=geometry,
        diskseq=drive.diskseq,
        boot_id=None,
    )


def _refuse_invalid(path: str, notice: Notice, block_bytes: int) -> None:
    """Raises Refused if a recovery label names places outside the change or its own, or data of the wrong
    size: it may be forged."""
    wrong = [one.start_bytes for one in notice.withheld if _is_invalid(one, notice, block_bytes)]
    if any(extents.without(place, (notice.extent,)) != (place,) for place in notice.places):
        wrong.append(notice.start_bytes)
    if wrong:
        raise refused(
            t(
                "The recovery label on {drive} is invalid at byte {byte}.",
                drive=path,
                byte=wrong[0],
            )
        )


def _is_invalid(one: HiddenBlock, notice: Notice, block_bytes: int) -> bool:
    try:
        size = len(b64decode(one.data, validate=True))
    except ValueError:
        return True
    is_outside = bool(extents.without(one.extent, notice.places))
    return size != one.size_bytes or is_outside or bool(size % block_bytes or one.start_bytes % block_bytes)
