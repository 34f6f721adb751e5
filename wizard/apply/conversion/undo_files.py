"""The e2fsprogs undo files of a run: one per step, durable before the next step, applied in reverse.

An interrupted step leaves an incomplete file. When e2undo applies such a file, the superblock is marked for a
check (e2undo.c). So the device would not be restored bit for bit. To prevent this, the superblock is saved
before each step and restored afterwards.
"""

import os
import shutil
import struct
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from wizard.apply.block.devices import forget_caches, put_superblock, read_range, superblock_on
from wizard.apply.run.backup_store import read_kept, replace_document
from wizard.apply.run.journal import sync_folder
from wizard.apply.run.runs import is_root_only, refuse_open_folder
from wizard.documents.codec import from_json, parse_document
from wizard.ext4.superblock import SUPERBLOCK_BYTES
from wizard.model.errors import Failed, Refused
from wizard.model.said import Message, t
from wizard.process.program import Result

UNDO = "undo.e2undo"

MAGIC, HEADER = b"E2UNDO02", struct.Struct("<8sQQQII")
"""Header of an undo file: magic, number of entries, block of the superblock, block of the entries, block
size, block size on the device."""

ENTRY = struct.Struct("<QII")
"""Entry of an undo file: block on the device, checksum, bytes."""

MARK = slice(0x38, 0x3A)
"""s_magic in a superblock."""

Command = Callable[..., Result]
"""`MigratingSite.command`."""


def check_undo_room(folder: Path, needed_bytes: int) -> None:
    """Raises Refused unless only root can write to the folder, and the folder has enough space."""
    shown = str(folder)
    existing = next(above for above in (folder, *folder.parents) if above.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK):
        raise Refused(
            t(
                "Cannot store undo files in {folder}: not a writable folder. Nothing was written.",
                folder=shown,
            )
        )
    refuse_open_folder(existing)
    status = os.statvfs(existing)
    free = status.f_bavail * status.f_frsize
    if free < needed_bytes:
        raise Refused(
            t(
                "Cannot store undo files in {folder}: {free:exact} free, up to "
                "{needed:exact} required. Nothing was written. Choose a folder on another "
                "volume with --undo-dir DIR.",
                folder=shown,
                free=free,
                needed=needed_bytes,
            )
        )


def folder_of(undo_dir: Path, run_name: str, step: int) -> Path:
    """Return the folder for the undo file of one step, since `tune2fs -I` chooses the name."""
    return undo_folder_of(undo_dir, run_name) / f"{step:02}"


def undo_folder_of(undo_dir: Path, run_name: str) -> Path:
    """Return the folder of all undo files of a run.

    The name differs from the run's name, since both can be in the runs' folder.
    """
    return undo_dir / f"undo-{run_name}"


def new_folder(folder: Path) -> str:
    """Create the empty folder of a step, and return the path of the future undo file. Raises Failed."""
    try:
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if fault := folder_fault(folder):
            raise Failed(
                t(
                    "The folder {folder} for the undo file {fault}.",
                    folder=str(folder),
                    fault=fault,
                )
            )
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700)
        sync_folder(folder.parent)
    except OSError as error:
        shown = str(folder)
        raise Failed(
            t(
                "Cannot create the folder {folder} for the undo file: {why}.",
                folder=shown,
                why=str(error.strerror),
            )
        ) from None
    return str(folder / UNDO)


def _undo_file_in(folder: Path) -> Path | None:
    """Return the undo file of a step, or None if it is missing or empty."""
    return next((file for file in sorted(folder.glob("*.e2undo")) if file.stat().st_size), None)


def made_durable(folder: Path) -> int:
    """Flush the undo file of a step, and return its size. Raises Failed if it is missing."""
    file = _undo_file_in(folder)
    if file is None:
        raise Failed(
            t(
                "No undo file was created in {folder}, so this step could not be undone.",
                folder=str(folder),
            )
        )
    fd = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
        sync_folder(folder)
        return os.fstat(fd).st_size
    except OSError as error:
        shown = str(file)
        raise Failed(
            t("The undo file {file} is not safely on disk: {why}.", file=shown, why=str(error.strerror))
        ) from None
    finally:
        os.close(fd)


def folder_fault(folder: Path) -> Message | None:
    """Return why the folder of a step is not trusted, as a clause.

    Anybody who can replace an undo file could make root write anything.
    """
    for place in (folder.parent, folder):
        if os.path.lexists(place) and not is_root_only(place):
            return t("does not belong to root alone")
    return None


def undo_file_fault(folder: Path, device: str, command: Command) -> Message | None:
    """Return the fault of a completed step's undo file, as a clause, or None if all checksums match. Writes
    nothing."""
    file = _undo_file_in(folder)
    if file is None:
        return t("is missing")
    return None if _is_readable(file, device, command) else t("is damaged")


def _is_readable(file: Path, device: str, command: Command) -> bool:
    """Return True if a dry run can read the whole file.

    With -f, e2undo does not compare the superblock, which matches only the file of the last step.
    """
    return command(("e2undo", "-f", "-n", str(file), device), accept=range(256)).status == 0


def undo_step(
    folder: Path, device: str, superblock: bytes, command: Command, *, again: bool, compare: bool
) -> None:
    """Restore the blocks that a step replaced, and the superblock from before. Raises Failed.

    `compare`: the undo file is complete, so compare its blocks with the device. `again`: the step or its undo
    was interrupted, so the device may be in any state. e2undo expects the superblock in the undo file, so
    that superblock is written first. The option -f would skip this comparison, but also the checksums.
    """
    file = _undo_file_in(folder)
    recorded = _recorded_superblock(file) if file else None
    if file is None or recorded is None:
        why = t("no intact undo file in {folder}", folder=str(folder))
        _check_untouched(device, superblock, why)
        return
    undo = ("e2undo", str(file), device)
    if not again:
        command(undo)
    else:
        found = superblock_on(device)
        put_superblock(device, recorded)
        if command(undo, accept=range(256)).status:
            if not _is_readable(file, device, command):
                put_superblock(device, found)
                why = t("the undo file {file} is damaged", file=str(file))
                _check_untouched(device, superblock, why)
                return
            # A killed program may have listed fewer blocks than it counted. All listed blocks are complete.
            command(("e2undo", "-f", str(file), device))
    if superblock_on(device) != superblock:
        put_superblock(device, superblock)
    if compare:
        _check_restored(file, device)


def _recorded_superblock(file: Path) -> bytes | None:
    """Return the superblock that an undo file expects (e2fsprogs, lib/ext2fs/undo_io.c), or None if the
    header is missing."""
    with file.open("rb") as undo:
        header = undo.read(HEADER.size)
        if len(header) < HEADER.size or not header.startswith(MAGIC):
            return None
        _, _, place, _, block_bytes, _ = HEADER.unpack(header)
        undo.seek(place * block_bytes)
        found = bytearray(undo.read(SUPERBLOCK_BYTES))
    if len(found) < SUPERBLOCK_BYTES:
        return None
    # s_magic is inverted, so that the file is not taken for a filesystem.
    found[MARK] = bytes(byte ^ 0xFF for byte in found[MARK])
    return bytes(found)


def _check_restored(file: Path, device: str) -> None:
    """Raises Failed unless the device contains every block of a complete undo file."""
    forget_caches(device)
    with file.open("rb") as undo:
        _, entries, _, place, block_bytes, device_block_bytes = HEADER.unpack(undo.read(HEADER.size))
        undo.seek(place * block_bytes)
        while entries:
            # A block of entries, after a header as long as an entry, precedes their data.
            index = undo.read(block_bytes)
            count = min(entries, block_bytes // ENTRY.size - 1)
            for number in range(1, count + 1):
                block, _, size = ENTRY.unpack_from(index, number * ENTRY.size)
                if undo.read(size) != read_range(device, block * device_block_bytes, size):
                    raise Failed(
                        t("Block {block} of {device} differs from its undo data.", block=block, device=device)
                    )
                undo.seek(-size % block_bytes, os.SEEK_CUR)
            entries -= count


def _check_untouched(device: str, superblock: bytes, why: Message) -> None:
    """Raises Failed if a step without an undo file changed the superblock. Programs make the file before they
    write."""
    if superblock_on(device) != superblock:
        raise Failed(
            t(
                "This step changed {device} and cannot be undone: {why}.",
                device=device,
                why=why,
            )
        )


def drop(undo_dir: Path, run_name: str) -> int:
    """Delete all undo files of a run, and return the freed bytes. Raises Failed."""
    folder = undo_folder_of(undo_dir, run_name)
    if not folder.exists():
        return 0
    freed = sum(file.stat().st_size for file in folder.glob("*/*"))
    try:
        shutil.rmtree(folder)
        sync_folder(undo_dir)
    except OSError as error:
        shown = str(folder)
        raise Failed(
            t(
                "Cannot delete the undo files in {folder}: {why}.",
                folder=shown,
                why=str(error.strerror),
            )
        ) from None
    return freed


FILE = "direct.json"
UNDO_INTERRUPTED = "taking-back"
"""File in a run's folder: an undo has begun, so the device can be in any state."""

SCHEMA = "diskwright.direct/1"


@dataclass(frozen=True, slots=True)
class StepMark:
    """Step on the device, counted from 1, with the superblock `before` and `after`, in hexadecimal.

    `after` is empty if the step is not done.
    """

    step: int
    before: str
    after: str = ""


@dataclass(frozen=True, slots=True)
class UndoRecord:
    """SHA-256 of the device before the first step, empty if not taken, the seconds this took, and the started
    steps. `interrupted`: an interrupted step was undone."""

    sha256: str
    seconds: float
    marks: tuple[StepMark, ...] = ()
    interrupted: bool = False

    def begun(self, step: int, before: bytes) -> "UndoRecord":
        """Return the record with a started step."""
        return replace(self, marks=(*self.marks, StepMark(step, before.hex())))

    def done(self, after: bytes) -> "UndoRecord":
        """Return the record with the last step done."""
        return replace(self, marks=(*self.marks[:-1], replace(self.marks[-1], after=after.hex())))

    def without_last(self) -> "UndoRecord":
        """Return the record without the last step."""
        return replace(self, marks=self.marks[:-1], interrupted=self.interrupted or self.cut_off)

    @property
    def cut_off(self) -> bool:
        """True if the last step was started, but not done."""
        return bool(self.marks) and not self.marks[-1].after

    @property
    def last_superblock(self) -> bytes:
        """Last known superblock of the device, empty before the first step."""
        return bytes.fromhex(self.marks[-1].after or self.marks[-1].before) if self.marks else b""

    @property
    def superblocks(self) -> tuple[bytes, ...]:
        """All superblocks of the device before or after a step."""
        return tuple(bytes.fromhex(one) for mark in self.marks for one in (mark.before, mark.after))

    def is_done(self, step: int) -> bool:
        """Return True if the step is done."""
        return any(mark.step == step and mark.after for mark in self.marks)


def load_record(run: Path) -> UndoRecord | None:
    """Return the record of a run, or None if it does not exist yet. Raises BadInput if the record cannot be
    read."""
    where = str(run / FILE)
    if (text := read_kept(run / FILE)) is None:
        return None
    return from_json(parse_document(text, SCHEMA, where), UndoRecord, where)


def keep_record(run: Path, record: UndoRecord) -> UndoRecord:
    """Replace the record durably, and return the new one. Raises Failed."""
    replace_document(run / FILE, SCHEMA, record)
    return record
