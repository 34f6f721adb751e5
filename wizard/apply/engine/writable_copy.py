"""Copy-on-write scratch copy of a device: unchanged blocks come from the device. No device mapper.

A process of its own serves the file (`written_pages`), below a loop device. The file is mounted only on a
descriptor (fsmount(2)). So the kernel removes all of it with this process, even if killed.
"""

import json
import os
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from operator import itemgetter
from pathlib import Path
from select import select

from wizard.apply.block import devices, scratch_device
from wizard.apply.engine.stores import FullError, Store
from wizard.apply.tree.mount_read_only import mount_served_file
from wizard.model.errors import Failed
from wizard.model.machine import Extent
from wizard.model.said import KERNEL_SECTOR_BYTES, MIB, Message, t
from wizard.process.module import module_argv

FUSE = "/dev/fuse"
SERVER = "wizard.apply.engine.written_pages"
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
