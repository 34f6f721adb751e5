"""Find a waiting run by the recovery labels on the drives after the run's folder was lost, and rebuild the
folder. Drives are only read."""

import os
from base64 import b64decode
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from hashlib import sha256
from pathlib import Path
from shutil import rmtree

from msgspec import Struct
from msgspec.structs import replace

from wizard.apply.block import extents
from wizard.apply.engine import stores
from wizard.apply.engine.changes import new_volumes
from wizard.apply.engine.record import DriveChange, Phase, Record, SavedSignature, load_record, save_record
from wizard.apply.plan.guard import check_unused
from wizard.apply.plan.identity_check import identity_difference
from wizard.apply.plan.job import JOB
from wizard.apply.plan.rehearsed import comparing, is_half_found
from wizard.apply.plan.run_drives import TWICE
from wizard.apply.plan.run_summary import SETTLED
from wizard.apply.run import backup_store, kinds, process, runs
from wizard.apply.run.job import check_root, check_tokens
from wizard.apply.run.journal import BACKUPS, RECORD, Journal, state
from wizard.apply.run.journal import FILE as JOURNAL
from wizard.apply.steps.containers import write_header
from wizard.model.errors import BadInput, DiskwrightError, Refused
from wizard.model.finding import Notice
from wizard.model.geometry import Identity
from wizard.model.layout import Member
from wizard.model.machine import Drive, Extent
from wizard.model.run import Event
from wizard.model.said import Sentence, t
from wizard.plan.documents import PLANS
from wizard.plan.plan import Plan
from wizard.probe.content.notices import is_bare, notices
from wizard.probe.machine import list_drive_paths, probe_drive

LABEL = Sentence("The recovery label on {drive}")


class RecoveryLabel(Struct, frozen=True):
    """The recovery label of a drive, and its raw bytes."""

    drive: Drive
    notice: Notice
    data: bytes


class FoundRun(Struct, frozen=True):
    """A waiting run found on drives: the plan with current device names and without mounts, the recovery
    label of each drive, and differences from the plan's drives."""

    plan: Plan
    labels: tuple[RecoveryLabel, ...]
    differences: tuple[str, ...]

    @property
    def run(self) -> str:
        """The name of the run."""
        return self.labels[0].notice.run

    def written(self) -> tuple[tuple[str, Extent], ...]:
        """Return all places that keep writes to, with their drives."""
        return tuple(
            (label.drive.path, place)
            for label in self.labels
            for place in extents.merged(
                (*(one.extent for one in label.notice.withheld), *label.notice.zeros, label.notice.extent),
                1,
                label.notice.drive_bytes,
            )
        )


def found_on(path: str, journal_dir: Path | None = None) -> FoundRun:
    """Find the run that waits on a drive and the other drives. Raises BadInput for a path that is not a
    drive, and Refused if nothing is waiting, if keep has already started, or if drives are missing."""
    check_root()
    drive = probe_drive(path, seconds=backup_store.LOOK_SECONDS)
    mine = _label_on(drive)
    if mine is None:
        for run in reversed(runs.list_runs(journal_dir)):
            with suppress(BadInput):
                record = load_record(run)
                is_begun = record and record.phase in (Phase.RELEASING, Phase.RELEASED, Phase.KEPT)
                if is_begun and state(run) not in SETTLED and drive.path in runs.load_plan(run).devices:
                    raise process.refused(
                        t(
                            "Keep has already started for the run {name} on {drive}: `diskwright keep {run}` "
                            "continues.",
                            name=run.name,
                            drive=drive.path,
                            run=runs.run_argument(run),
                        )
                    )
        raise process.refused(
            t(
                "No result is waiting on {drive}: the recovery label is missing, or the hidden "
                "blocks were modified.",
                drive=drive.path,
            )
        )
    plan = PLANS.read_kept(mine.notice.plan, str(LABEL(drive=drive.path)))
    found = {mine.notice.number: mine}
    for other in list_drive_paths(all_devices=True) if len(plan.members) > 1 else ():
        label = None
        with suppress(DiskwrightError):
            label = _label_on(probe_drive(other, seconds=5.0)) if other != drive.path else None
        if label and (label.notice.run, label.notice.plan) == (mine.notice.run, mine.notice.plan):
            if label.notice.number in found:
                raise process.refused(TWICE(drive=other))
            found[label.notice.number] = label
    if missing := [member.drive for number, member in enumerate(plan.members) if number not in found]:
        absent = tuple(
            t("{model} of {size:size}", model=drive.model or drive.token, size=drive.size_bytes)
            for drive in missing
        )
        partly = Sentence(
            "The run {run} wrote to {drives} drives, not all attached. Missing: {missing:list}."
        )
        raise process.refused(partly(run=mine.notice.run, drives=len(plan.members), missing=absent))
    labels = tuple(found[number] for number in range(len(plan.members)))
    known = tuple(_as_now(plan, member, label) for member, label in zip(plan.members, labels, strict=True))
    differs = Sentence("{drive} differs from the plan's drive: {difference}.")
    differences = tuple(
        str(differs(drive=label.drive.path, difference=difference))
        for member, label in zip(plan.members, labels, strict=True)
        if (difference := identity_difference(member.drive, label.drive))
    )
    return FoundRun(plan.on_drives(known).on_drive_only(), labels, differences)


def _label_on(drive: Drive) -> RecoveryLabel | None:
    waiting = drive.waiting
    if waiting is None or not waiting.bare or drive.size_bytes is None:
        return None
    with extents.DeviceMedium(drive.path) as medium:

        def read(start: int, length: int) -> bytes:
            place = Extent(start, min(length, medium.size_bytes - start))
            return extents.read_all((place,), medium.read)

        for notice, data in notices(read, medium.size_bytes):
            if notice.start_bytes == waiting.start_bytes and is_bare(notice, read):
                return RecoveryLabel(drive, notice, data)
    return None


def _as_now(plan: Plan, member: Member, label: RecoveryLabel) -> Identity:
    """Return the drive's current identity. Raises Refused if its size or block size has changed, or if a
    recovery label, perhaps forged, names places outside the change or its own, or data of the wrong size."""
    planned, drive, notice, geometry = member.drive, label.drive, label.notice, label.drive.geometry
    block_bytes = geometry.logical_block_bytes if geometry else 1
    is_wrong = any(place.without((notice.extent,)) != (place,) for place in notice.places)
    volumes = new_volumes(plan, member, plan.filesystems)
    for place in notice.zeros:
        is_part = bool(place.start_bytes % block_bytes or place.size_bytes % block_bytes)
        is_outside = is_part or bool(place.without(volumes))
        is_wrong = is_wrong or is_outside or place.without((*notice.places, notice.extent)) != (place,)
    for one in notice.withheld:
        size = -1
        with suppress(ValueError):
            size = len(b64decode(one.data, validate=True))
        is_outside = bool(one.extent.without(notice.places))
        is_part = bool(size % block_bytes or one.start_bytes % block_bytes)
        is_wrong = is_wrong or size != one.size_bytes or is_outside or is_part
    if is_wrong:
        raise process.refused(process.DAMAGED(place=LABEL(drive=drive.path)))
    if (
        drive.size_bytes != planned.size_bytes
        or geometry is None
        or geometry.logical_block_bytes != planned.geometry.logical_block_bytes
    ):
        raise process.refused(
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


CHANGED = Sentence(
    "The waiting result on {drive} is incomplete or was modified. Nothing was "
    "written. To set up the drive again, make a plan with --replace."
)


def make_found_run(
    found: FoundRun, tokens: Sequence[str], journal_dir: Path | None, environment: backup_store.Environment
) -> Path:
    """Create the folder of a found run, so `keep` can finish it. Writes to no drive. Raises Refused if the
    tokens are wrong, the original folder exists, or a drive has changed."""
    check_tokens(found.plan, tokens)
    refuse_known(found, journal_dir)
    folder = runs.runs_folder(journal_dir)
    runs.check_room(folder, 0, make=True)
    locks = JOB.lock(found.plan, found.plan.devices)
    try:
        for path, notice in ((label.drive.path, label.notice) for label in found.labels):
            check_unused(probe_drive(path, seconds=backup_store.LOOK_SECONDS), part=found.plan.part_path)
            with extents.DeviceMedium(path) as drive:
                if stores.digest_of(notice.places, drive.read) != notice.digest:
                    raise Refused(CHANGED(drive=path))
        for run in tuple(_of_plan(found, journal_dir)):
            begun = any((run / name).exists() for name in (JOURNAL, RECORD, stores.FOLDER, *BACKUPS))
            if (not begun or is_half_found(run)) and not process.is_locked(run):
                # An interrupted rebuild has left this. Only the process with the drives' locks creates it.
                rmtree(run)
        run = runs.make_run(folder, found.plan.devices, runs.PLAN, found.labels[0].notice.plan, environment)
        run_lock = process.lock_run(run)
        try:
            # The phase LEFT blocks all commands until the folder is complete.
            save_record(run, Record(Phase.LEFT, of_plan=runs.plan_digest(run)))
            runs.save_drives(run, tuple(member.drive for member in found.plan.members), found=True)
            with closing(Journal(run)) as journal:
                found_on = t(
                    "Found the run {run} on {drives:list}.", drives=found.plan.devices, run=found.run
                )
                journal.add(Event.STARTED, found_on)
                changes = tuple(_save_change(run, number, label) for number, label in enumerate(found.labels))
                _save_headers(run, found.plan, changes)
                save_record(run, Record(Phase.HIDDEN, changes, of_plan=runs.plan_digest(run)))
                backup_store.save_backup(run)
                journal.add(Event.WAITING, t("Waiting to be kept."))
        except DiskwrightError:
            rmtree(run, ignore_errors=True)
            raise
        finally:
            os.close(run_lock)
        backup_store.keep_facts(run, found.plan.devices)
    finally:
        process.unlock(locks)
    return run


def refuse_known(found: FoundRun, journal_dir: Path | None) -> None:
    """Raises Refused if the original folder exists, which also allows undo."""
    for run in _of_plan(found, journal_dir):
        if not is_half_found(run) and _can_be_kept(run):
            raise process.refused(
                t(
                    "The run's folder exists here: `diskwright keep {run}` accepts the result, "
                    "`diskwright undo {run}` restores the old contents.",
                    run=runs.run_argument(run),
                )
            )


def _can_be_kept(run: Path) -> bool:
    with suppress(DiskwrightError), comparing(run, runs.load_plan(run)) as exchange:
        sides = exchange.sides
        return all(side.is_new_intact() for side in sides) or all(side.is_old_intact() for side in sides)
    return False


def _of_plan(found: FoundRun, journal_dir: Path | None) -> Iterator[Path]:
    for run in kinds.PLAN.found(journal_dir):
        with suppress(OSError):
            if (run / runs.PLAN).read_text() == found.labels[0].notice.plan:
                yield run


def _save_change(run: Path, number: int, label: RecoveryLabel) -> DriveChange:
    """Save the remaining changes of one drive in the run's folder, and return them."""
    path, notice = label.drive.path, label.notice
    marks = tuple(SavedSignature(one.start_bytes, one.size_bytes, one.stays) for one in notice.withheld)
    (run / "engine").mkdir(mode=0o700, exist_ok=True)
    with (
        extents.DeviceMedium(path) as drive,
        stores.Store(stores.new_file(run, number), make_bytes=notice.drive_bytes) as new,
        stores.Store(stores.notice_file(run, number), make_bytes=notice.drive_bytes) as kept,
    ):
        digest = sha256()
        for start, held in extents.pieces(notice.places, drive.read):
            digest.update(held)
            for piece in Extent(start, len(held)).without(marks):
                new.write(piece.start_bytes, held[piece.start_bytes - start :][: piece.size_bytes])
        if digest.hexdigest() != notice.digest:
            raise Refused(CHANGED(drive=path))
        # The hidden signatures fill the file's holes.
        for one in notice.withheld:
            new.write(one.start_bytes, b64decode(one.data))
        kept.write(notice.start_bytes, label.data)
        new.sync()
        kept.sync()
        block = drive.logical_block_bytes
        change = DriveChange(
            path=path,
            size_bytes=notice.drive_bytes,
            places=extents.merged((*notice.places, notice.extent), block, notice.drive_bytes),
            old_marks=(),
            new_marks=marks,
            old_digest="",
            new_digest="",
            barred_digest="",
            blank=False,
            notice=notice.extent,
            zeros=notice.zeros,
        )
        shown = stores.hidden_reader(
            change, drive.read, new.read, kept.read(notice.start_bytes, notice.room_bytes)
        )
        return replace(
            change,
            new_digest=stores.digest_of(change.places, new.read),
            barred_digest=stores.digest_of(change.places, shown),
        )


def _save_headers(run: Path, plan: Plan, changes: Sequence[DriveChange]) -> None:
    """Save the headers of encrypted partitions, to check a passphrase before the first write. Containers on a
    volume group or array are checked once it is assembled."""
    by_device = {one.device: one for one in plan.containers}
    for number, (member, change) in enumerate(zip(plan.members, changes, strict=True)):
        for slot in member.after.partitions:
            if one := by_device.get(member.node(slot.number)):
                place = Extent(slot.start_bytes, one.offset_bytes)
                with (
                    extents.DeviceMedium(change.path) as drive,
                    stores.Store(stores.new_file(run, number)) as new,
                ):
                    header = bytearray(extents.read_all((place,), drive.read))
                    for part in extents.clipped(change.places, (place,)):
                        at = part.start_bytes - place.start_bytes
                        header[at : at + part.size_bytes] = new.read(part.start_bytes, part.size_bytes)
                write_header(run, one.uuid, bytes(header))
