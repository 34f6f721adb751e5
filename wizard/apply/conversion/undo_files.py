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

from wizard.apply.block.devices import put_superblock, superblock_on
from wizard.apply.run.backup_store import read_kept, replace_document
from wizard.apply.run.journal import sync_folder
from wizard.apply.run.runs import is_roots_alone, refuse_open_folder
from wizard.documents.codec import from_json, parse_document
from wizard.ext4.superblock import SUPERBLOCK_BYTES
from wizard.model.errors import Failed, Refused, printable
from wizard.model.said import Message, Sentence, t
from wizard.process.program import Result

UNDO = "undo.e2undo"

MAGIC, HEADER = b"E2UNDO02", struct.Struct("<8sQQQI")
"""How an undo file begins: its mark, the number of entries, the block of the superblock, that of the entries,
the size of a block."""

MARK = slice(0x38, 0x3A)
"""Where a superblock has s_magic."""

Command = Callable[..., Result]
"""`MigratingSite.command`."""


def check_undo_room(folder: Path, needed_bytes: int) -> None:
    """Raises Refused unless the folder is one that root alone can write to, with so much room."""
    shown = printable(str(folder), 200)
    there = next(above for above in (folder, *folder.parents) if above.exists())
    if not there.is_dir() or not os.access(there, os.W_OK):
        raise Refused(
            t(
                "Cannot store undo files in {folder}: not a writable folder. Nothing was written.",
                folder=shown,
            )
        )
    refuse_open_folder(there)
    status = os.statvfs(there)
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
    """Where the undo file of a step lies: alone, because `tune2fs -I` names its own."""
    return undo_folder_of(undo_dir, run_name) / f"{step:02}"


def undo_folder_of(undo_dir: Path, run_name: str) -> Path:
    """Where all undo files of a run lie. Never called as the run itself, which lies beside it where undo
    files are kept among the runs."""
    return undo_dir / f"undo-{run_name}"


def new_folder(folder: Path) -> str:
    """Make the folder of a step, empty, and give the undo file to be; raises Failed."""
    try:
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if fault := folder_fault(folder):
            raise Failed(
                t(
                    "The folder {folder} for the undo file {fault}.",
                    folder=printable(str(folder), 200),
                    fault=fault,
                )
            )
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700)
        sync_folder(folder.parent)
    except OSError as error:
        shown = printable(str(folder), 200)
        raise Failed(
            t(
                "Cannot create the folder {folder} for the undo file: {why}.",
                folder=shown,
                why=str(error.strerror),
            )
        ) from None
    return str(folder / UNDO)


def undo_file_in(folder: Path) -> Path | None:
    """The undo file of a step; None where there is none with anything in it."""
    return next((file for file in sorted(folder.glob("*.e2undo")) if file.stat().st_size), None)


def made_durable(folder: Path) -> int:
    """The size of a step's undo file, which is on the medium on return; raises Failed where there is none."""
    file = undo_file_in(folder)
    if file is None:
        raise Failed(
            t(
                "No undo file was created in {folder}, so this step could not be undone.",
                folder=printable(str(folder), 200),
            )
        )
    fd = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
        sync_folder(folder)
        return os.fstat(fd).st_size
    except OSError as error:
        shown = printable(str(file), 200)
        raise Failed(
            t("The undo file {file} is not safely on disk: {why}.", file=shown, why=str(error.strerror))
        ) from None
    finally:
        os.close(fd)


def folder_fault(folder: Path) -> Message | None:
    """Why the folder of a step is not trusted, as a clause: who could put another undo file there could have
    root write anything."""
    for place in (folder.parent, folder):
        if os.path.lexists(place) and not is_roots_alone(place):
            return t("does not belong to root alone")
    return None


def undo_file_fault(folder: Path, device: str, command: Command) -> Message | None:
    """What is wrong with the undo file of a step that was done, as a clause; None where all its checksums are
    right. Writes nothing."""
    file = undo_file_in(folder)
    if file is None:
        return t("is missing")
    return None if _reads_well(file, device, command) else t("is damaged")


def _reads_well(file: Path, device: str, command: Command) -> bool:
    """A dry run reads everything; without -f it would compare the superblock too, which only the last step's
    file is to fit."""
    return command(("e2undo", "-f", "-n", str(file), device), accept=range(256)).status == 0


def put_step_back(folder: Path, device: str, superblock: bytes, command: Command, *, again: bool) -> None:
    """Put back what a step replaced, and the superblock that it found. Raises Failed.

    `again` where the device can hold anything between, since the step or the putting back was cut off. e2undo
    wants to find the superblock that the undo file was closed or cut off with, so that one is put there
    first: skipping the comparison by -f would skip checksums, too.
    """
    file = undo_file_in(folder)
    recorded = _recorded_superblock(file) if file else None
    if file is None or recorded is None:
        why = t("no intact undo file in {folder}", folder=printable(str(folder), 200))
        _check_untouched(device, superblock, why)
        return
    undo = ("e2undo", str(file), device)
    if not again:
        command(undo)
    else:
        found = superblock_on(device)
        put_superblock(device, recorded)
        if command(undo, accept=range(256)).status:
            if not _reads_well(file, device, command):
                put_superblock(device, found)
                why = t("the undo file {file} is damaged", file=printable(str(file), 200))
                _check_untouched(device, superblock, why)
                return
            # A killed program can have left the list of blocks shorter than its count says; every block that
            # is listed is whole.
            command(("e2undo", "-f", str(file), device))
    if superblock_on(device) != superblock:
        put_superblock(device, superblock)


def _recorded_superblock(file: Path) -> bytes | None:
    """The superblock that an undo file says it fits (e2fsprogs, lib/ext2fs/undo_io.c); None where not even
    its header was written."""
    with file.open("rb") as undo:
        header = undo.read(HEADER.size)
        if len(header) < HEADER.size or not header.startswith(MAGIC):
            return None
        _, _, place, _, block_bytes = HEADER.unpack(header)
        undo.seek(place * block_bytes)
        found = bytearray(undo.read(SUPERBLOCK_BYTES))
    if len(found) < SUPERBLOCK_BYTES:
        return None
    # Its mark is turned round, so that nobody takes the file for a filesystem.
    found[MARK] = bytes(byte ^ 0xFF for byte in found[MARK])
    return bytes(found)


def _check_untouched(device: str, superblock: bytes, why: Message) -> None:
    """A program makes its undo file before it writes: without one, the superblock it found must still be
    there. Raises Failed."""
    if superblock_on(device) != superblock:
        raise Failed(
            t(
                "This step changed {device} and cannot be undone: {why}.",
                device=device,
                why=why,
            )
        )


def drop(undo_dir: Path, run_name: str) -> int:
    """Delete all undo files of a run; how many bytes that freed. Raises Failed."""
    folder = undo_folder_of(undo_dir, run_name)
    if not folder.exists():
        return 0
    freed = sum(file.stat().st_size for file in folder.glob("*/*"))
    try:
        shutil.rmtree(folder)
        sync_folder(undo_dir)
    except OSError as error:
        shown = printable(str(folder), 200)
        raise Failed(
            t(
                "Cannot delete the undo files in {folder}: {why}.",
                folder=shown,
                why=str(error.strerror),
            )
        ) from None
    return freed


FILE = "direct.json"
TAKING_BACK = "taking-back"
"""The file in a run that says that the device is being put back, so that it can hold anything between."""

SCHEMA = "diskwright.direct/1"


@dataclass(frozen=True, slots=True)
class StepMark:
    """A step on the device, which counts from 1, with its superblock `before` and `after`, in hexadecimal;
    empty after where it was not done.
    """

    step: int
    before: str
    after: str = ""


@dataclass(frozen=True, slots=True)
class UndoRecord:
    """SHA-256 of the whole device before the first step, how long that took, and the steps that were
    begun."""

    sha256: str
    seconds: float
    marks: tuple[StepMark, ...] = ()

    def begun(self, step: int, before: bytes) -> "UndoRecord":
        """With a step that begins."""
        return replace(self, marks=(*self.marks, StepMark(step, before.hex())))

    def done(self, after: bytes) -> "UndoRecord":
        """With its last step done."""
        return replace(self, marks=(*self.marks[:-1], replace(self.marks[-1], after=after.hex())))

    def without_last(self) -> "UndoRecord":
        """With its last step put back."""
        return replace(self, marks=self.marks[:-1])

    @property
    def cut_off(self) -> bool:
        """Whether the last step was begun and not done."""
        return bool(self.marks) and not self.marks[-1].after

    @property
    def last_superblock(self) -> bytes:
        """What the device's superblock was last known to be; empty where no step was begun."""
        return bytes.fromhex(self.marks[-1].after or self.marks[-1].before) if self.marks else b""

    @property
    def superblocks(self) -> tuple[bytes, ...]:
        """Every superblock that the device had before or after a step."""
        return tuple(bytes.fromhex(one) for mark in self.marks for one in (mark.before, mark.after))

    def is_done(self, step: int) -> bool:
        """Whether the step is done."""
        return any(mark.step == step and mark.after for mark in self.marks)


def load_record(run: Path) -> UndoRecord | None:
    """The record of a run; None where it has none yet. Raises BadInput where it cannot be read."""
    where = str(run / FILE)
    if (text := read_kept(run / FILE)) is None:
        return None
    return from_json(parse_document(text, SCHEMA, where), UndoRecord, where)


def keep_record(run: Path, record: UndoRecord) -> UndoRecord:
    """Put the record in the place of the one before, and give it; on return it is on the medium. Raises
    Failed."""
    replace_document(run / FILE, SCHEMA, record)
    return record


# Steps.
ELSEWHERE = Sentence("Step {step} uses a device other than {device}.")

# Why the undo files cannot be relied on.

# Undoing and keeping.

# Reading it.
