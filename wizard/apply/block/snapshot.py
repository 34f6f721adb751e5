"""Copy-on-write snapshot of a device by the device mapper, with a file behind a loop device as store.

The origin is opened read-only and claimed. While the snapshot exists, nobody can mount the origin or write to
the filesystem. A udev rule hides the snapshot and the store, since a snapshot looks like the filesystem. So
udev creates no links, and desktops do not offer to mount them.
Source: Linux Documentation/admin-guide/device-mapper/snapshot.rst, dmsetup(8), losetup(8).
"""

from __future__ import annotations

import errno
import os
import struct
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import BinaryIO

from wizard.advice.missing import missing
from wizard.apply.block.devices import forget_caches, size_bytes, take_writes
from wizard.apply.block.extents import Read
from wizard.apply.block.scratch_device import ignore_mapped, stop_ignoring
from wizard.apply.run.runs import is_in_memory, refuse_open_folder
from wizard.apply.system.edited_file import kernel_has
from wizard.model.errors import Failed, Refused
from wizard.model.machine import Extent
from wizard.model.said import KERNEL_SECTOR_BYTES, MIB, Message, Sentence, t
from wizard.probe.host.environment import family_of, os_release
from wizard.process.program import find, run

CHUNK_BYTES = 4096
ENTRY_BYTES = 16
LOOK_SECONDS = 60.0
MODULES = ("loop", "dm_snapshot")

Tell = Callable[[Sequence[str]], str]
"""Function that runs a command, journals it, and returns the output. Raises Failed."""


def snapshot_obstacle() -> str:
    """Return why no snapshot can be made on this system, as a sentence. Empty if it can."""
    if absent := [name for name in ("dmsetup", "losetup") if find(name) is None]:
        return str(missing(absent, family_of(os_release())).said)
    lacking = [module for module in MODULES if not kernel_has(module)]
    return str(t("This kernel lacks {module}.", module=lacking[0])) if lacking else ""


def check_store_room(folder: Path, needed_bytes: int) -> None:
    """Raises Refused if snapshots are impossible here, or if the folder is open to other users, in memory or
    too small."""
    shown = str(folder)
    if obstacle := snapshot_obstacle():
        raise Refused(t("Cannot create a snapshot. {why} Nothing was written.", why=obstacle))
    existing = next(above for above in (folder.absolute(), *folder.absolute().parents) if above.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK):
        raise Refused(
            t(
                "The snapshot store cannot be in {folder}: not a writable folder. Nothing was written.",
                folder=shown,
            )
        )
    refuse_open_folder(existing)
    if is_in_memory(existing):
        raise Refused(
            t(
                "The snapshot store cannot be in {folder}: the folder is in memory and does "
                "not survive a power cut. Nothing was written. Name a folder on another "
                "volume with --store DIR.",
                folder=shown,
            )
        )
    status = os.statvfs(existing)
    free = status.f_bavail * status.f_frsize
    if free < needed_bytes:
        raise Refused(
            t(
                "The snapshot store cannot be in {folder}: {free:exact} free, up to "
                "{needed:exact} needed. Nothing was written. Name a folder on another volume "
                "with --store DIR.",
                folder=shown,
                free=free,
                needed=needed_bytes,
            )
        )


def _store_bytes(device_bytes: int, chunk_bytes: int) -> int:
    """Return the size of a store for all chunks of the device and the metadata, so that it never fills up."""
    chunks = -(-device_bytes // chunk_bytes)
    areas = chunks // (chunk_bytes // ENTRY_BYTES) + 2
    return (1 + areas + chunks) * chunk_bytes + MIB


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Device-mapper snapshot `name` of a device. `store` is the backing file. Neither need exist yet."""

    name: str
    device: str
    store: Path
    tell: Tell

    def make(self, room_bytes: int, chunk_bytes: int) -> str:
        """Create the snapshot and return its node. The first `room_bytes` of the store are allocated now, the
        rest on demand.

        Raises Failed. Then only the store's file may be left.
        """
        self._make_store(room_bytes, _store_bytes(size_bytes(self.device), chunk_bytes))
        for module in MODULES:
            # modprobe fails for built-in modules. The commands below report missing ones.
            run(("modprobe", "--quiet", module), seconds=LOOK_SECONDS, accept=range(256))
        try:
            ignore_mapped(self.name)
        except OSError as error:
            raise Failed(
                t(
                    "udev cannot be made to ignore the snapshot {name}: {why}. The drive is unchanged.",
                    name=self.name,
                    why=str(error.strerror),
                )
            ) from None
        forget_caches(self.device)
        try:
            loop = self.tell(("losetup", "--find", "--show", str(self.store))).strip()
            # A loop device keeps the read-only flag of its last user.
            take_writes(loop)
            # Without direct I/O in the store's filesystem, the page cache is used.
            run(("losetup", "--direct-io=on", loop), seconds=LOOK_SECONDS, accept=range(256))
            sectors = size_bytes(self.device) // KERNEL_SECTOR_BYTES
            table = f"0 {sectors} snapshot {self.device} {loop} P {chunk_bytes // KERNEL_SECTOR_BYTES}"
            self.tell(("dmsetup", "create", self.name, "--noudevrules", "--noudevsync", "--table", table))
        except Failed:
            self.tear_down()
            raise
        return self.node() or self._raise_missing()

    def _make_store(self, room_bytes: int, whole_bytes: int) -> None:
        try:
            fd = os.open(self.store, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            try:
                if room_bytes:
                    os.posix_fallocate(fd, 0, min(room_bytes, whole_bytes))
                os.ftruncate(fd, whole_bytes)
                os.fsync(fd)
            finally:
                os.close(fd)
        except OSError as error:
            why: Message | str = str(error.strerror)
            if error.errno == errno.EFBIG:
                why = t("its filesystem does not support files of {size:exact}", size=whole_bytes)
            elif error.errno == errno.ENOSPC:
                why = t("not enough free space")
            raise Failed(
                t(
                    "Cannot create the snapshot store {store}: {why}. The drive is unchanged.",
                    store=str(self.store),
                    why=why,
                )
            ) from None

    def _raise_missing(self) -> str:
        raise Failed(t("The device mapper did not create {name}.", name=self.name))

    def node(self) -> str | None:
        """Return the kernel's node, or None if the snapshot does not exist. udev creates no link by name."""
        found = run(
            ("dmsetup", "info", "-c", "--noheadings", "-o", "minor", self.name),
            seconds=LOOK_SECONDS,
            accept=range(256),
        )
        return f"/dev/dm-{found.output.strip()}" if found.status == 0 else None

    def used_bytes(self) -> int:
        """Return how much of the store is used. Raises Failed if the snapshot became invalid, as when the
        store fills up."""
        return self._status()[0] * KERNEL_SECTOR_BYTES

    def chunks_written(self) -> int:
        """Return how many chunks were written, as the kernel counts. Raises Failed like `used_bytes`."""
        used, metadata = self._status()
        table = run(("dmsetup", "table", self.name), seconds=LOOK_SECONDS).output.split()
        return (used - metadata) // int(table[-1])

    def _status(self) -> tuple[int, int]:
        """Return the used sectors of the store, and how many of them are metadata."""
        status = run(("dmsetup", "status", self.name), seconds=LOOK_SECONDS).output.split()
        try:
            return int(status[3].partition("/")[0]), int(status[4])
        except (IndexError, ValueError):
            raise Failed(
                t(
                    "The snapshot became invalid ({status}): the store {store} is full or not "
                    "writable. The drive is unchanged.",
                    status=" ".join(status[3:]),
                    store=str(self.store),
                )
            ) from None

    def tear_down(self) -> None:
        """Remove the snapshot and its loop device, but not the file. Raises Failed if they are in use.

        Nothing is journaled: if the journal is on the same full volume, there is no space for it yet.
        """
        if self.node():
            run(("dmsetup", "remove", "--retry", self.name), seconds=LOOK_SECONDS)
        for loop in self._loops():
            run(("losetup", "--detach", loop), seconds=LOOK_SECONDS)
        stop_ignoring(self.name)

    def _loops(self) -> tuple[str, ...]:
        found = run(
            ("losetup", "--associated", str(self.store), "--noheadings", "--output", "NAME"),
            seconds=LOOK_SECONDS,
            accept=range(256),
        )
        return tuple(found.output.split())

    def synced(self) -> None:
        """Flush all writes to the store to its medium. Raises Failed."""
        try:
            fd = os.open(self.store, os.O_RDWR | os.O_CLOEXEC)
            try:
                os.fsync(fd)
            finally:
                os.close(fd)
        except OSError as error:
            raise Failed(
                t(
                    "Cannot write to the snapshot store {store}: {why}. The drive is unchanged.",
                    store=str(self.store),
                    why=str(error.strerror),
                )
            ) from None


STORE_UNREAD = Sentence("Cannot read the snapshot store {file}: {why}.")
STORE_CUT_OFF = Sentence("The snapshot store {file} is truncated.")

HEADER = struct.Struct("<IIII")
ENTRY = struct.Struct("<QQ")
MAGIC = 0x70416E53
VERSION = 1
LARGEST_CHUNK_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class CowStore:
    """Chunks written to a snapshot of a device of `size_bytes`. The last one may be cut off.

    `numbers` ascend and count chunks of `chunk_bytes` on the device. `places` are offsets in `file` in bytes,
    in the same order.
    """

    file: Path
    chunk_bytes: int
    size_bytes: int
    numbers: array[int]
    places: array[int]

    def written(self) -> Iterator[Extent]:
        """Yield the written ranges on the device."""
        for number in self.numbers:
            start = number * self.chunk_bytes
            yield Extent(start, min(self.chunk_bytes, self.size_bytes - start))

    def over(self, below: Read, files: ExitStack) -> Read:
        """Return a reader of the device as the snapshot showed it, with unwritten chunks from `below`.

        `files` closes the store. Raises Failed, and so does the reader if the file is truncated.
        """
        try:
            fd = os.open(self.file, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise self._read_error(error) from None
        files.callback(os.close, fd)

        def read(offset_bytes: int, length_bytes: int) -> bytes:
            end, parts = offset_bytes + length_bytes, []
            while offset_bytes < end:
                to = min(end, (offset_bytes // self.chunk_bytes + 1) * self.chunk_bytes)
                parts.append(self._part(fd, offset_bytes, to - offset_bytes, below))
                offset_bytes = to
            return b"".join(parts)

        return read

    def _part(self, fd: int, offset_bytes: int, length_bytes: int, below: Read) -> bytes:
        """Read a part of one chunk."""
        number, within = divmod(offset_bytes, self.chunk_bytes)
        index = bisect_left(self.numbers, number)
        if index == len(self.numbers) or self.numbers[index] != number:
            return below(offset_bytes, length_bytes)
        try:
            data = os.pread(fd, length_bytes, self.places[index] + within)
        except OSError as error:
            raise self._read_error(error) from None
        if len(data) != length_bytes:
            raise Failed(STORE_CUT_OFF(file=str(self.file)))
        return data

    def _read_error(self, error: OSError) -> Failed:
        return Failed(STORE_UNREAD(file=str(self.file), why=str(error.strerror)))


def read_cow_store(file: Path, size_bytes: int) -> CowStore:
    """Read the index of a snapshot store for a device of this size. No snapshot may use it. Raises Failed if
    it is incomplete."""
    try:
        with file.open("rb") as store:
            magic, valid, version, sectors = HEADER.unpack(store.read(HEADER.size))
            chunk_bytes = sectors * KERNEL_SECTOR_BYTES
            if (
                magic != MAGIC
                or version != VERSION
                or not 4096 <= chunk_bytes <= LARGEST_CHUNK_BYTES
                or chunk_bytes & (chunk_bytes - 1)
            ):
                raise Failed(t("{file} is not a snapshot store.", file=str(file)))
            if not valid:
                raise Failed(t("The snapshot store {file} is marked as invalid.", file=str(file)))
            places = {}
            for old, new in _entries(store, chunk_bytes):
                if old in places or old * chunk_bytes >= size_bytes:
                    raise Failed(
                        t(
                            "The snapshot store {file} is damaged at chunk {chunk}.",
                            file=str(file),
                            chunk=old,
                        )
                    )
                places[old] = new * chunk_bytes
    except (OSError, struct.error) as error:
        raise Failed(STORE_UNREAD(file=str(file), why=str(error))) from None
    numbers = array("Q", sorted(places))
    return CowStore(
        file, chunk_bytes, size_bytes, numbers, array("Q", (places[number] for number in numbers))
    )


def _entries(store: BinaryIO, chunk_bytes: int) -> Iterator[tuple[int, int]]:
    per_area = chunk_bytes // ENTRY.size
    for area in count():
        store.seek((1 + area * (per_area + 1)) * chunk_bytes)
        metadata = store.read(chunk_bytes)
        for old, new in ENTRY.iter_unpack(metadata[: len(metadata) // ENTRY.size * ENTRY.size]):
            if new == 0:
                return
            yield old, new
        if len(metadata) < chunk_bytes:
            raise Failed(STORE_CUT_OFF(file=store.name))
