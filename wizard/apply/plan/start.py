"""Prepare a new run: confirmation, passphrase, locks, and space for undo, measured by a rehearsal."""

import fcntl
import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from secrets import token_hex
from shutil import rmtree
from tempfile import TemporaryDirectory

from msgspec import Struct
from msgspec.structs import replace

from wizard.apply.block.extents import DeviceMedium
from wizard.apply.engine import scratch_copies
from wizard.apply.engine.changes import first_data, sample_of, unknown_data
from wizard.apply.engine.record import UNKNOWN_DATA
from wizard.apply.engine.scratch_copies import blocker, free_bytes
from wizard.apply.engine.stores import FOLDER
from wizard.apply.plan.identity_check import Where, probe_again, whereabouts
from wizard.apply.plan.rehearse import RehearsalWorkspace, rehearse
from wizard.apply.plan.rehearsed import LITTLE_BYTES
from wizard.apply.run import process
from wizard.apply.run.backup_store import Environment
from wizard.apply.run.journal import Journal
from wizard.apply.run.runs import ROOM_BYTES, make_private
from wizard.model.errors import Failed, Refused
from wizard.model.said import KERNEL_SECTOR_BYTES, MIB, Message, Sentence, join, t
from wizard.plan.plan import Plan
from wizard.plan.request.encryption import passphrase_fault
from wizard.plan.request.roles import content_fault
from wizard.plan.undo_policy import WORD, UndoSpace, needs_word, promise


def why_direct(plan: Plan, folder: Path) -> str:
    """Return why the plan must run directly on the drive, as a clause; empty if it can be rehearsed in this
    folder, which may not exist yet."""
    existing = next(above for above in (folder.absolute(), *folder.absolute().parents) if above.exists())
    return plan.direct_reason or blocker(existing, (member.drive.size_bytes for member in plan.members))


def check_word(plan: Plan, tokens: Sequence[str], why_direct: str) -> None:
    """Raises Refused if undo is impossible and the user has not confirmed this."""
    if WORD in tokens:
        return
    needs = needs_word(plan, why_direct)
    found = [] if needs or not why_direct else [*_unknown_data(plan)]
    if found or needs:
        said = join(
            *found,
            t(
                "To continue anyway, add --confirm {word}. Nothing was written.",
                word=shlex.quote(WORD),
            ),
        )
        raise Refused(f"{promise(plan, why_direct)} {said}")


def _unknown_data(plan: Plan) -> Iterator[Message]:
    """Sample drives for unrecognised data, which tools discard when run directly on the drive."""
    for member in plan.members:
        path, block = member.drive.path, member.drive.geometry.logical_block_bytes
        with DeviceMedium(path) as drive:
            byte = first_data(drive, sample_of(member.drive.size_bytes, block))
        if byte is not None:
            yield UNKNOWN_DATA(drive=path, byte=byte)


def check_secret(plan: Plan, secret: bytes | None) -> None:
    """Raises Refused if the passphrase is missing, invalid, or not needed by the plan."""
    if not plan.containers:
        if secret is not None:
            raise process.refused(t("This plan does not encrypt: omit the passphrase."))
        return
    if secret is None:
        raise process.refused(
            t(
                "The plan encrypts {devices:list} and needs a passphrase.",
                devices=tuple(one.device for one in plan.containers),
            )
        )
    by_key = any(one.key for one in plan.containers)
    if fault := content_fault(secret) if by_key else passphrase_fault(secret):
        raise process.refused(t("The passphrase {fault}.", fault=fault))


def lock_all(plan: Plan, where: Where = whereabouts) -> tuple[int, ...]:
    """Lock the plan's drives. Raises Refused if a drive is missing, naming `where` it is, or locked."""
    process.settle()
    for member in plan.members:
        if not Path(member.drive.path).is_block_device():
            probe_again(member.drive, where)
    return process.lock_drives(plan.devices)


def room_bytes(plan: Plan) -> int:
    """Return the bytes that a run needs free at the start: 2 MiB for each device of each operation that
    writes."""
    return 2 * MIB * sum(len(step.operation.devices) for step in plan.steps if step.operation.writes)


PREFIX = ".measuring-"


class Room(Struct, frozen=True):
    """Space that a run needs in the folder until keep or undo, including the run's own files: `needed_bytes`,
    None if space ran out while measuring. `blanks`: for each drive, if only zeros are overwritten. `unknown`:
    unrecognised data."""

    folder: Path
    free_bytes: int
    needed_bytes: int | None = None
    blanks: tuple[bool, ...] = ()
    unknown: tuple[Message, ...] = ()

    @property
    def blank(self) -> bool:
        """Return True if only zeros would be overwritten on all drives."""
        return bool(self.blanks) and all(self.blanks)

    @property
    def fits(self) -> bool:
        """Return True if the space is enough."""
        return self.needed_bytes is not None and self.needed_bytes <= self.free_bytes

    @property
    def said(self) -> Message:
        """The result, for display before the first write."""
        folder, free = self.folder, self.free_bytes
        if self.needed_bytes is None:
            return t(
                "Not enough free space for undo in {folder}: more than the free {free:size} "
                "is needed. Name another folder with --journal DIR.",
                folder=folder,
                free=free,
            )
        takes = (
            Sentence("Undo needs {needed:size} in {folder}; {free:size} is free.")
            if self.fits
            else Sentence(
                "Not enough free space for undo in {folder}: {needed:size} needed, "
                "{free:size} free. Name another folder with --journal DIR."
            )
        )
        return join(*self.unknown, takes(folder=folder, needed=self.needed_bytes, free=free))


def undo_space(plan: Plan, folder: Path, environment: Environment) -> UndoSpace:
    """Measure the space for undo. If the plan must run directly on the drive, describe the consequences
    instead, and whether the user has to confirm them. Raises as `measure` does."""
    if why := why_direct(plan, folder):
        return UndoSpace(promise(plan, why), not needs_word(plan, why))
    room = measure(plan, folder, environment)
    return UndoSpace(str(room.said), room.fits, tuple(map(str, room.unknown)))


def measure(plan: Plan, folder: Path, environment: Environment) -> Room:
    """Rehearse the plan in the folder, return the space needed and delete everything. Takes seconds. Raises
    DiskwrightError."""
    missing = [above for above in (folder.absolute(), *folder.absolute().parents) if not above.exists()]
    try:
        make_private(folder)
        with ExitStack() as held:
            folder_fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            held.callback(os.close, folder_fd)
            # Only one process may measure here: two scratch copies would have the same UUIDs.
            fcntl.flock(folder_fd, fcntl.LOCK_EX)
            for left in folder.glob(f"{PREFIX}*"):
                # A killed process has left this.
                if not process.is_locked(left):
                    scratch_copies.release_left(left)
                    rmtree(left)
            room = Room(folder, free_bytes(folder))
            with TemporaryDirectory(prefix=PREFIX, dir=folder) as run:
                return _rehearse_in(plan, Path(run), room, environment)
    except OSError as error:
        raise process.refused(t("Cannot use {folder} for a run: {why}.", folder=folder, why=error)) from None
    finally:
        for made in missing:
            # Restore the previous state. Another run may have created its folder there since.
            with suppress(OSError):
                made.rmdir()


def _rehearse_in(plan: Plan, run: Path, room: Room, environment: Environment) -> Room:
    lock, journal = process.lock_run(run), Journal(run)
    # No passphrase has been entered yet. Any passphrase needs the same space.
    secret = token_hex().encode() if plan.containers else None
    try:
        record = rehearse(plan, RehearsalWorkspace(run, environment, journal, secret))
    except Failed:
        if free_bytes(run) < LITTLE_BYTES:
            return room
        raise
    finally:
        journal.close()
        os.close(lock)
    needed = sum(file.stat().st_blocks * KERNEL_SECTOR_BYTES for file in (run / FOLDER).iterdir())
    return replace(
        room,
        needed_bytes=needed + ROOM_BYTES,
        blanks=tuple(change.blank for change in record.changes),
        unknown=unknown_data(run, plan, record.changes),
    )
