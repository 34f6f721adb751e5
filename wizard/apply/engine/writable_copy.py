"""Copy-on-write scratch copy of a device: unchanged blocks come from the device. No device mapper.

A FUSE server for a single file, in a process of its own, reads the device, and stores the pages written to
the file in a sparse file at their offsets. If the process that uses the file is killed, the kernel can still
write its cache there. The file is mounted only on a descriptor (fsmount(2)), below a loop device. So the
kernel removes all of it with the process that uses it, even if killed, which ends the server.
Source: Linux include/uapi/linux/fuse.h, Documentation/filesystems/fuse.rst; fuse(4), prctl(2).
"""

import ctypes
import errno
import json
import os
import stat
import struct
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from enum import IntEnum
from hashlib import sha256
from operator import itemgetter
from pathlib import Path
from select import select

from wizard.apply.block import devices, extents, scratch_device
from wizard.apply.engine.stores import FullError, Store
from wizard.apply.tree.mount_read_only import mount_served_file
from wizard.model.errors import Failed
from wizard.model.machine import Extent
from wizard.model.said import KERNEL_SECTOR_BYTES, MIB, Message, t
from wizard.process.module import module_argv

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

PAGES_PER_CHUNK = MIB // extents.GRAIN_BYTES


@dataclass(slots=True)
class WrittenPages:
    """Reads of a drive, covered by the pages written to `store`. The `hidden` places, whole pages in order,
    are not read from the drive, and contain zeros. `spare_bytes`: free space to leave for other files of the
    run, besides that for the overwritten data; 0 to use all."""

    drive: extents.Medium
    store: Store
    hidden: Sequence[Extent] = ()
    spare_bytes: int = 0
    _written: dict[int, int] = field(default_factory=dict)
    """For each chunk of 1 MiB, a bit for each written page."""

    def written(self) -> Iterator[Extent]:
        """Yield the written pages in order, joined within a chunk."""
        for chunk in sorted(self._written):
            bits, start = self._written[chunk], chunk * MIB
            while bits:
                skipped = (bits & -bits).bit_length() - 1
                bits >>= skipped
                pages = (~bits & (bits + 1)).bit_length() - 1
                start += skipped * extents.GRAIN_BYTES
                end = min(start + pages * extents.GRAIN_BYTES, self.drive.size_bytes)
                yield Extent(start, end - start)
                bits >>= pages
                start = end

    def read(self, offset_bytes: int, length_bytes: int) -> bytes:
        """Read a range as the scratch copy has it. Raises Failed."""
        end, parts = min(offset_bytes + length_bytes, self.drive.size_bytes), []
        while offset_bytes < end:
            stored, to = self._run_at(offset_bytes, end)
            source = self.store.read if stored else self.drive.read
            parts.append(source(offset_bytes, to - offset_bytes))
            offset_bytes = to
        return b"".join(parts)

    def _run_at(self, start: int, end: int) -> tuple[bool, int]:
        """Return True if the page at `start` is stored, and the end of such pages in this chunk."""
        for place in self.hidden:
            if place.start_bytes <= start < place.end_bytes:
                return True, min(end, place.end_bytes)
            if start < place.start_bytes:
                end = min(end, place.start_bytes)
        chunk, within = divmod(start, MIB)
        bits, page = self._written.get(chunk, 0), within // extents.GRAIN_BYTES
        stored, to = bool(bits >> page & 1), page + 1
        while to < PAGES_PER_CHUNK and bool(bits >> to & 1) == stored:
            to += 1
        return stored, min(end, chunk * MIB + to * extents.GRAIN_BYTES)

    def write(self, offset_bytes: int, data: bytes) -> None:
        """Write to the store, with the rest of the pages at both ends. Raises Failed."""
        room = os.fstatvfs(self.store.fd)
        needed = os.fstat(self.store.fd).st_blocks * KERNEL_SECTOR_BYTES + self.spare_bytes
        if self.spare_bytes and needed > room.f_bavail * room.f_frsize:
            with self.store.failing():
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        end = offset_bytes + len(data)
        first, last = offset_bytes // extents.GRAIN_BYTES, (end - 1) // extents.GRAIN_BYTES
        for edge in {first, last}:
            # Store the drive's bytes of a page that the write covers only in part.
            page = edge * extents.GRAIN_BYTES
            page_end = min(page + extents.GRAIN_BYTES, self.drive.size_bytes)
            stored, _ = self._run_at(page, page_end)
            if not stored and (page < offset_bytes or page_end > end):
                self.store.put(page, self.drive.read(page, page_end - page))
        self.store.put(offset_bytes, data)
        for page in range(first, last + 1):
            chunk, bit = divmod(page, PAGES_PER_CHUNK)
            self._written[chunk] = self._written.get(chunk, 0) | 1 << bit

    def serve(self, fuse: int) -> Iterator[Failed]:
        """Answer the kernel's requests until the file is unmounted. Yield errors: programs see only an
        input/output error."""
        buffer = bytearray(MIB + 2 * extents.GRAIN_BYTES)
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
                failed = errno.EIO
                yield error
            except OSError as error:
                failed = error.errno or errno.EIO
            try:
                os.writev(fuse, [ANSWER.pack(ANSWER.size + len(answer), -failed, number), answer])
            except OSError as error:
                # The program that asked was killed.
                if error.errno != errno.ENOENT:
                    return

    def _answer(self, opcode: int, request: memoryview) -> bytes:
        """Return the answer to a request. Raises OSError for other requests, Failed if reading or storing
        fails."""
        match opcode:
            case FuseRequest.INIT:
                flags = BIG_WRITES | MAX_PAGES
                return STARTED.pack(*VERSION, MIB, flags, 16, 12, MIB, 1, PAGES_PER_CHUNK, 0)
            case FuseRequest.GETATTR:
                size, mode = self.drive.size_bytes, stat.S_IFREG | 0o600
                times = (0,) * 7
                return ATTRIBUTES.pack(0, 0, 0, 1, size, *times, mode, 1, 0, 0, 0, extents.GRAIN_BYTES, 0)
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


def main(device: str, file: str, fuse: int, report: int, hidden: Sequence[Extent], spare_bytes: int) -> None:
    """Serve on the descriptor `fuse`. Report the first error, the first for lack of space, and finally all
    written pages on the descriptor `report`, as lines of JSON.

    Nobody reads while a program waits for an answer, so reports of all errors would fill the pipe.
    """
    ctypes.CDLL(None).prctl(IO_FLUSHER, 1, 0, 0, 0)
    with extents.DeviceMedium(device) as drive, Store(Path(file), grow=True) as store:
        pages, reported = WrittenPages(drive, store, hidden, spare_bytes), set[bool]()
        for error in pages.serve(fuse):
            full = isinstance(error, FullError)
            if full not in reported:
                reported.add(full)
                _report(report, {"said": str(error), "full": full})
        _report(report, [(place.start_bytes, place.size_bytes) for place in pages.written()])


def _report(report: int, line: object) -> None:
    # The other process may have been killed.
    with suppress(BrokenPipeError), os.fdopen(report, "w", closefd=False) as lines:
        lines.write(json.dumps(line) + "\n")


FUSE = "/dev/fuse"
SERVER = "wizard.apply.engine.writable_copy"
NAME_BYTES = 63
"""Longest name of a loop device."""

SPARE_BYTES = 8 * MIB
"""Free space to leave for the record, the journal and the notice of a plan."""

STOP_SECONDS = 30.0


def obstacle() -> Message | None:
    """Return why this system cannot make such a copy, as a clause, or None."""
    if not Path(FUSE).exists():
        scratch_device.load_module("fuse")
    return scratch_device.unavailable(FUSE, scratch_device.CONTROL)


@dataclass(slots=True)
class WritableCopy:
    """Scratch copy of a device at `node`, with all writes in `file`."""

    file: Path
    _report: int
    _stack: ExitStack
    node: str = ""
    _received: bytes = b""
    _written: list[Extent] = field(default_factory=list)

    @property
    def used_bytes(self) -> int:
        """Bytes that the writes use."""
        return self.file.stat().st_blocks * KERNEL_SECTOR_BYTES

    def check(self) -> None:
        """Raises Failed if the device could not be read, or FullError if a write could not be stored."""
        while select([self._report], [], [], 0)[0]:
            self._receive()

    def written(self) -> tuple[Extent, ...]:
        """Flush all writes, remove the copy except the file, and return the written pages in order. Raises
        Failed like `check`."""
        devices.forget_caches(self.node)
        self.check()
        self._stack.close()
        while not self._written:
            self._receive()
        return tuple(self._written)

    def _receive(self) -> None:
        """Receive a report of the server. Raises Failed with a reported error, or if the server has ended."""
        waiting = select([self._report], [], [], STOP_SECONDS)[0]
        data = os.read(self._report, 1 << 16) if waiting else b""
        *lines, self._received = (self._received + data).split(b"\n")
        reports = [json.loads(line) for line in lines]
        errors = [one for one in reports if isinstance(one, dict)]
        if error := max(errors, key=itemgetter("full"), default=None):
            raise (FullError if error["full"] else Failed)(error["said"])
        for reported in reports:
            self._written = [Extent(start, size) for start, size in reported]
        if not data:
            raise Failed(t("The process of the scratch copy {node} has ended.", node=self.node))


@contextmanager
def scratch_copy_of(
    device: str, file: Path, *, part: str = "", hidden: Iterable[Extent] = ()
) -> Iterator[WritableCopy]:
    """Yield a scratch copy of an unused device, or of a drive of which only the partition `part` is unused,
    with all writes in a new file. The `hidden` places contain zeros.

    No program can mount the device or partition or write there until the end. Raises Failed.
    """
    unused = part or device
    with ExitStack() as held, ExitStack() as copied:
        devices.check_unclaimed(unused)
        try:
            held.callback(os.close, os.open(unused, os.O_RDONLY | os.O_EXCL | os.O_CLOEXEC))
            for node in {device, unused}:
                devices.forget_caches(node)
            # The process of a killed run may still write to an earlier file.
            file.unlink(missing_ok=True)
            with Store(file, make_bytes=devices.size_bytes(device)):
                pass
            fuse = os.open(FUSE, os.O_RDWR | os.O_CLOEXEC)
            # Only the server may hold this descriptor, so that reads and writes fail at once after a crash.
            with os.fdopen(fuse, "rb", buffering=0):
                mounted = mount_served_file(fuse)
                copied.callback(os.close, mounted)
                report, end = os.pipe()
                held.callback(os.close, report)
                try:
                    places = [(place.start_bytes, place.size_bytes) for place in hidden]
                    words = (device, str(file), fuse, end, places, SPARE_BYTES if part else 0)
                    subprocess.Popen(
                        module_argv(SERVER, json.dumps(words)),
                        stdin=subprocess.DEVNULL,
                        stdout=subprocess.DEVNULL,
                        start_new_session=True,
                        pass_fds=(fuse, end),
                        cwd="/",
                    )
                finally:
                    os.close(end)
            served = os.open(f"/proc/self/fd/{mounted}", os.O_RDWR | os.O_CLOEXEC)
            copied.callback(os.close, served)
            # Make the kernel ask for the size. Older loop drivers do not.
            os.fstat(served)
            copy = WritableCopy(file, report, copied)
            block_bytes, _ = devices.block_bytes(device)
            copy.node = copied.enter_context(scratch_device.attached(served, block_bytes, name_of(file)))
        except (OSError, scratch_device.NoScratchDeviceError) as error:
            raise Failed(
                t("Cannot make a scratch copy of {device}: {why}.", device=device, why=str(error))
            ) from None
        yield copy


def name_of(file: Path) -> bytes:
    """Return the name of the loop device of a scratch copy with its writes in this file."""
    return sha256(os.fsencode(file)).hexdigest()[:NAME_BYTES].encode()


if __name__ == "__main__":
    device, file, fuse, report, places, spare = json.loads(sys.argv[1])
    main(device, file, fuse, report, [Extent(*place) for place in places], spare)
