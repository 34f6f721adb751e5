"""Copy-on-write scratch copy of a device, without the device mapper: reads fall through to the device.

A thread serves a FUSE file of the device's size, behind a loop device. Written pages are stored at their
offsets in a sparse file. All others are read from the device, which is never written. The FUSE file is
mounted only on a descriptor (fsmount(2)). So the kernel removes all of it with the process, even if killed.
Source: Linux include/uapi/linux/fuse.h, Documentation/filesystems/fuse.rst; fuse(4), prctl(2).
"""

import ctypes
import errno
import os
import stat
import struct
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from threading import Lock, Thread

from wizard.apply.block.devices import forget_caches, open_exclusively
from wizard.apply.block.extents import GRAIN_BYTES, DeviceMedium, Medium
from wizard.apply.block.scratch_device import CONTROL, NoScratchDeviceError, attached, load_loop
from wizard.apply.engine.record import IN_USE
from wizard.apply.engine.stores import Store
from wizard.apply.tree.mount_read_only import mount_served_file
from wizard.model.errors import Failed
from wizard.model.machine import Extent
from wizard.model.said import KERNEL_SECTOR_BYTES, MIB, Message, t
from wizard.process.program import find, run

FUSE = "/dev/fuse"
IO_FLUSHER = 57
"""PR_SET_IO_FLUSHER: memory that this thread requests must not wait for writes that it serves (Linux 5.6)."""


class FuseRequest(IntEnum):
    """Requests of the kernel that are needed for one file."""

    FORGET = 2
    GETATTR = 3
    OPEN = 14
    READ = 15
    WRITE = 16
    RELEASE = 18
    FSYNC = 20
    INIT = 26
    INTERRUPT = 36
    BATCH_FORGET = 42


UNANSWERED = frozenset({FuseRequest.FORGET, FuseRequest.INTERRUPT, FuseRequest.BATCH_FORGET})

REQUEST, ANSWER = struct.Struct("=IIQQ3I4x"), struct.Struct("=IiQ")
PLACE = struct.Struct("=QQI20x")
"""struct fuse_read_in and struct fuse_write_in: handle, offset, size."""

STARTED = struct.Struct("=4I2H2I2H32x")
"""struct fuse_init_out: version, read-ahead, flags, background requests, largest write, pages."""

ATTRIBUTES = struct.Struct("=QII6Q10I")
OPENED = struct.Struct("=QI4x")
VERSION = (7, 31)
BIG_WRITES, MAX_PAGES = 1 << 5, 1 << 22
"""FUSE_BIG_WRITES and FUSE_MAX_PAGES."""

PAST_CACHE, NO_FLUSH = 1, 1 << 5
"""FOPEN_DIRECT_IO and FOPEN_NOFLUSH."""

LOAD_SECONDS = 5.0
STOP_SECONDS = 20.0
PAGES_PER_CHUNK = MIB // GRAIN_BYTES


def obstacle() -> Message | None:
    """Return why this system cannot make such a copy, as a clause, or None."""
    load_loop()
    if not Path(FUSE).exists() and find("modprobe"):
        run(("modprobe", "--quiet", "fuse"), seconds=LOAD_SECONDS, accept=range(256))
    for node in (FUSE, CONTROL):
        try:
            os.close(os.open(node, os.O_RDWR | os.O_CLOEXEC))
        except OSError as error:
            return t("{node} is not available ({why})", node=node, why=str(error.strerror))
    return None


@dataclass(slots=True)
class Overlay:
    """Reads of a drive, covered by the pages written to `store`.

    The server alone reads `drive`. `fault` is the first error. `accepted`: the result is verified, so its
    change is wanted.
    """

    drive: Medium
    store: Store
    node: str = ""
    fault: Failed | None = None
    accepted: bool = False
    _written: dict[int, int] = field(default_factory=dict)
    """For each chunk of 1 MiB, a bit for each written page."""

    _lock: Lock = field(default_factory=Lock)

    def written(self) -> Iterator[Extent]:
        """Yield the written pages in order, joined within a chunk."""
        for chunk in sorted(self._written):
            bits, start = self._written[chunk], chunk * MIB
            while bits:
                skipped = (bits & -bits).bit_length() - 1
                bits >>= skipped
                pages = (~bits & (bits + 1)).bit_length() - 1
                start += skipped * GRAIN_BYTES
                end = min(start + pages * GRAIN_BYTES, self.drive.size_bytes)
                yield Extent(start, end - start)
                bits >>= pages
                start = end

    @property
    def used_bytes(self) -> int:
        """Bytes that the store uses."""
        return os.fstat(self.store.fd).st_blocks * KERNEL_SECTOR_BYTES

    def accept(self) -> None:
        """Want the change."""
        self.accepted = True

    def check(self) -> None:
        """Raises Failed if a read of the drive or a write to the store has failed."""
        if self.fault is not None:
            raise self.fault

    def read(self, offset_bytes: int, length_bytes: int) -> bytes:
        """Read a range as the scratch copy has it. Raises Failed."""
        end, parts = min(offset_bytes + length_bytes, self.drive.size_bytes), []
        with self._lock:
            while offset_bytes < end:
                stored, to = self._run_at(offset_bytes, end)
                source = self.store.read if stored else self.drive.read
                parts.append(source(offset_bytes, to - offset_bytes))
                offset_bytes = to
        return b"".join(parts)

    def _run_at(self, start: int, end: int) -> tuple[bool, int]:
        """Return whether the page at `start` is stored, and the end of the pages like it in this chunk."""
        chunk, within = divmod(start, MIB)
        bits, page = self._written.get(chunk, 0), within // GRAIN_BYTES
        stored, to = bool(bits >> page & 1), page + 1
        while to < PAGES_PER_CHUNK and bool(bits >> to & 1) == stored:
            to += 1
        return stored, min(end, chunk * MIB + to * GRAIN_BYTES)

    def write(self, offset_bytes: int, data: bytes) -> None:
        """Write to the store, with the rest of the pages at both ends. Raises Failed."""
        end = offset_bytes + len(data)
        first, last = offset_bytes // GRAIN_BYTES, (end - 1) // GRAIN_BYTES
        with self._lock:
            for edge in {first, last}:
                self._complete(edge * GRAIN_BYTES, offset_bytes, end)
            self.store.put(offset_bytes, data)
            for page in range(first, last + 1):
                chunk, bit = divmod(page, PAGES_PER_CHUNK)
                self._written[chunk] = self._written.get(chunk, 0) | 1 << bit

    def _complete(self, page: int, start: int, end: int) -> None:
        """Store the drive's bytes of a page that a write covers only in part."""
        page_end = min(page + GRAIN_BYTES, self.drive.size_bytes)
        stored, _ = self._run_at(page, page_end)
        if not stored and (page < start or page_end > end):
            self.store.put(page, self.drive.read(page, page_end - page))

    def serve(self, fuse: int) -> None:
        """Answer the kernel's requests until the file is unmounted."""
        ctypes.CDLL(None).prctl(IO_FLUSHER, 1, 0, 0, 0)
        buffer = bytearray(MIB + 2 * GRAIN_BYTES)
        while True:
            try:
                length = os.readv(fuse, [buffer])
            except OSError as error:
                if error.errno in (errno.ENOENT, errno.EINTR, errno.EAGAIN):
                    continue
                return
            _, opcode, number, *_ = REQUEST.unpack_from(buffer)
            if opcode in UNANSWERED:
                continue
            answer, failed = b"", 0
            try:
                answer = self._answer(opcode, memoryview(buffer)[REQUEST.size : length])
            except Failed as error:
                self.fault, failed = self.fault or error, errno.EIO
            except OSError as error:
                failed = error.errno or errno.EIO
            try:
                os.writev(fuse, [ANSWER.pack(ANSWER.size + len(answer), -failed, number), answer])
            except OSError as error:
                # The program that asked was killed.
                if error.errno != errno.ENOENT:
                    return

    def _answer(self, opcode: int, request: memoryview) -> bytes:
        """Return the answer to a request. Raises OSError if there is none, Failed if data cannot be read or
        stored."""
        match opcode:
            case FuseRequest.INIT:
                wide = MIB // GRAIN_BYTES
                return STARTED.pack(*VERSION, MIB, BIG_WRITES | MAX_PAGES, 16, 12, MIB, 1, wide, 0)
            case FuseRequest.GETATTR:
                return self._attributes()
            case FuseRequest.OPEN:
                return OPENED.pack(0, PAST_CACHE | NO_FLUSH)
            case FuseRequest.READ:
                _, offset, size = PLACE.unpack_from(request)
                return self.read(offset, size)
            case FuseRequest.WRITE:
                _, offset, size = PLACE.unpack_from(request)
                self.write(offset, bytes(request[PLACE.size : PLACE.size + size]))
                return struct.pack("=I4x", size)
            case FuseRequest.RELEASE | FuseRequest.FSYNC:
                return b""
            case _:
                raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    def _attributes(self) -> bytes:
        size, mode = self.drive.size_bytes, stat.S_IFREG | 0o600
        return ATTRIBUTES.pack(0, 0, 0, 1, size, 0, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, GRAIN_BYTES, 0)


@contextmanager
def scratch_copy_of(device: str, file: Path) -> Iterator[Overlay]:
    """Yield a copy-on-write scratch copy of an unused device, with its writes in a new `file`.

    Nobody can mount the device or write to it meanwhile. Raises Failed.
    """
    with ExitStack() as held:
        if reason := open_exclusively(device):
            raise Failed(IN_USE(device=device, why=reason))
        try:
            claimed = os.open(device, os.O_RDONLY | os.O_EXCL | os.O_CLOEXEC)
            held.callback(os.close, claimed)
            forget_caches(device)
            drive = held.enter_context(DeviceMedium(device))
            store = held.enter_context(Store(file, make_bytes=drive.size_bytes))
            fuse = os.open(FUSE, os.O_RDWR | os.O_CLOEXEC)
            held.callback(os.close, fuse)
            copy = Overlay(drive, store)
            server = Thread(target=copy.serve, args=(fuse,), daemon=True)
            mounted = mount_served_file(fuse)
            server.start()
            held.callback(server.join, STOP_SECONDS)
            held.callback(os.close, mounted)
            # Refuse one flush, then the kernel asks for no more (before Linux 5.16). Otherwise a new process
            # would ask when it closes its copy, while this process waits for it and cannot answer.
            os.close(os.open(f"/proc/self/fd/{mounted}", os.O_RDWR | os.O_CLOEXEC))
            served = os.open(f"/proc/self/fd/{mounted}", os.O_RDWR | os.O_CLOEXEC)
            held.callback(os.close, served)
            copy.node = held.enter_context(attached(served, drive.logical_block_bytes))
        except (OSError, NoScratchDeviceError) as error:
            raise Failed(
                t("Cannot make a scratch copy of {device}: {why}.", device=device, why=str(error))
            ) from None
        yield copy
