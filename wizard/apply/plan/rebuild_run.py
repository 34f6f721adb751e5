"""Rebuild the lost folder of a run from the drives, to keep the run. Undo stays impossible."""

import os
from base64 import b64decode
from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from shutil import rmtree

from msgspec.structs import replace

from wizard.apply.block import extents
from wizard.apply.engine import stores
from wizard.apply.engine.record import DriveChange, Phase, Record, SavedSignature, save_record
from wizard.apply.plan.guard import check_unused
from wizard.apply.plan.recover import FoundRun
from wizard.apply.plan.rehearsed import comparing, is_half_found
from wizard.apply.plan.start import lock_all
from wizard.apply.run import kinds, process, runs
from wizard.apply.run.backup_store import LOOK_SECONDS, Environment, keep_facts, save_backup
from wizard.apply.run.job import check_tokens
from wizard.apply.run.journal import BACKUPS, RECORD, Journal
from wizard.apply.run.journal import FILE as JOURNAL
from wizard.apply.steps.containers import write_header
from wizard.model.errors import DiskwrightError, Refused, partition_path
from wizard.model.finding import Notice
from wizard.model.machine import Extent
from wizard.model.run import Event
from wizard.model.said import Sentence, t
from wizard.plan.plan import Plan
from wizard.probe.machine import probe_drive

CHANGED = Sentence(
    "The waiting result on {drive} is incomplete or was modified. Nothing was "
    "written. To set up the drive again, make a plan with --replace."
)


def make_found_run(
    found: FoundRun, tokens: Sequence[str], journal_dir: Path | None, environment: Environment
) -> Path:
    """Create the folder of a found run, so `keep` can finish it. Does not write to any drive. Raises Refused
    if the tokens are wrong, the original folder exists, or a drive has changed."""
    check_tokens(found.plan, tokens)
    refuse_known(found, journal_dir)
    folder = runs.runs_folder(journal_dir)
    runs.check_room(folder, 0, make=True)
    process.settle()
    locks = lock_all(found.plan)
    try:
        for path in found.plan.devices:
            check_unused(probe_drive(path, seconds=LOOK_SECONDS), part=found.plan.part_path)
        for path, notice in zip(found.plan.devices, found.notices, strict=True):
            with extents.DeviceMedium(path) as drive:
                if stores.digest_of(notice.places, drive.read) != notice.digest:
                    raise Refused(CHANGED(drive=path))
        _clear_half_found(found, journal_dir)
        run = runs.make_run(folder, found.plan.devices, runs.PLAN, found.notices[0].plan, environment)
        run_lock = process.lock_run(run)
        try:
            # The phase LEFT blocks all commands until the folder is complete.
            save_record(run, Record(Phase.LEFT, of_plan=runs.plan_digest(run)))
            runs.save_drives(run, tuple(member.drive for member in found.plan.members), found=True)
            _fill_folder(run, found)
        except DiskwrightError:
            rmtree(run, ignore_errors=True)
            raise
        finally:
            os.close(run_lock)
        keep_facts(run, found.plan.devices)
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
    try:
        with comparing(run, runs.load_plan(run)) as exchange:
            sides = exchange.sides
            return all(side.is_new_intact() for side in sides) or all(side.is_old_intact() for side in sides)
    except DiskwrightError:
        return False


def _of_plan(found: FoundRun, journal_dir: Path | None) -> Iterator[Path]:
    for run in kinds.PLAN.found(journal_dir):
        with suppress(OSError):
            if (run / runs.PLAN).read_text() == found.notices[0].plan:
                yield run


def _clear_half_found(found: FoundRun, journal_dir: Path | None) -> None:
    """Delete the leftovers of an interrupted rebuild. Only the process with the drives' locks creates such
    folders."""
    for run in tuple(_of_plan(found, journal_dir)):
        begun = any((run / name).exists() for name in (JOURNAL, RECORD, stores.FOLDER, *BACKUPS))
        if (not begun or is_half_found(run)) and not process.is_locked(run):
            rmtree(run)


def _fill_folder(run: Path, found: FoundRun) -> None:
    """Save the planned bytes of all drives in the run's folder, and journal that it is waiting."""
    journal = Journal(run)
    try:
        found_on = t("Found the run {run} on {drives:list}.", drives=found.plan.devices, run=found.run)
        journal.add(Event.STARTED, found_on)
        drives = zip(found.plan.devices, found.notices, found.data, strict=True)
        changes = tuple(_save_change(run, number, *drive) for number, drive in enumerate(drives))
        _save_headers(run, found.plan, changes)
        save_record(run, Record(Phase.HIDDEN, changes, of_plan=runs.plan_digest(run)))
        save_backup(run)
        journal.add(Event.WAITING, t("Waiting to be kept."))
    finally:
        journal.close()


def _save_change(run: Path, number: int, path: str, notice: Notice, data: bytes) -> DriveChange:
    """Save the remaining changes of one drive in the run's folder, and return them."""
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
            for piece in extents.without(Extent(start, len(held)), [mark.extent for mark in marks]):
                new.write(piece.start_bytes, held[piece.start_bytes - start :][: piece.size_bytes])
        if digest.hexdigest() != notice.digest:
            raise Refused(CHANGED(drive=path))
        # The hidden signatures fill the file's holes.
        for one in notice.withheld:
            new.write(one.start_bytes, b64decode(one.data))
        kept.write(notice.start_bytes, data)
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
    """Save the headers of encrypted partitions, so a passphrase can be checked before the first write.
    Containers on a volume group or array are checked once it is assembled."""
    by_device = {one.device: one for one in plan.containers}
    for number, (member, change) in enumerate(zip(plan.members, changes, strict=True)):
        for slot in member.after.partitions:
            if one := by_device.get(partition_path(member.drive.path, slot.number)):
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
