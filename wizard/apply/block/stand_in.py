"""A stand-in for a drive: as large, with blocks as large, its bytes in memory behind a loop device. What is
written to it reaches no drive.

Nothing of it outlives the process: the loop device goes when its last user closes it, and the memory with it.
Nobody else sees it: udev takes up no event of a drive that is locked, nor of its partitions (systemd,
src/udev/udev-worker.c), and those are gone before the lock is.
Source: Linux include/uapi/linux/loop.h, Documentation/admin-guide/blockdev; memfd_create(2).
"""

import errno
import fcntl
import os
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from time import monotonic, sleep

from wizard.apply.block.devices import SYS_BLOCK, forget_partitions, kernel_name, tell_kernel, wait_for
from wizard.apply.block.write_protect import take_writes
from wizard.apply.table.image import Image
from wizard.model.errors import Failed
from wizard.model.machine import Extent
from wizard.model.said import Sentence, t
from wizard.model.units import MIB
from wizard.tools.program import find, run

NO_MEMORY = Sentence("there is no memory for it: {why}")

CONTROL = "/dev/loop-control"
GET_FREE, CONFIGURE, DETACH = 0x4C82, 0x4C0A, 0x4C01
"""LOOP_CTL_GET_FREE, LOOP_CONFIGURE (Linux 5.8) and LOOP_CLR_FD."""

CONFIG = struct.Struct("=II5Q4I64s64s32s2Q64x")
"""loop_config: the file, the size of a logical block, loop_info64, and what is reserved."""

GOES_WITH_LAST_USER, WITH_PARTITIONS = 4, 8
"""LO_FLAGS_AUTOCLEAR and LO_FLAGS_PARTSCAN."""

NAME = "diskwright stand-in"
TAKE_SECONDS = 5.0
PAUSE_SECONDS = 0.05


class NoStandInError(Exception):
    """Why no stand-in can be had here, as a clause."""


@dataclass(frozen=True, slots=True)
class StandIn:
    """One that is there: `node` is its loop device, `memory` the descriptor of what it holds."""

    node: str
    memory: int

    def written_outside(self, places: Sequence[Extent]) -> int | None:
        """The first byte outside these places, in order and apart, that is not zero any more; None where
        there is none."""
        end = os.fstat(self.memory).st_size
        position = 0
        for place in (*places, Extent(end, 0)):
            if (found := self._first_written(position, place.start_bytes)) is not None:
                return found
            position = place.end_bytes
        return None

    def _first_written(self, start: int, end: int) -> int | None:
        while start < end:
            try:
                start = os.lseek(self.memory, start, os.SEEK_DATA)
            except OSError as error:
                if error.errno == errno.ENXIO:
                    return None
                raise
            if start >= end:
                return None
            data = os.pread(self.memory, min(MIB, end - start), start)
            if rest := data.lstrip(b"\0"):
                return start + len(data) - len(rest)
            start += len(data)
        return None


@contextmanager
def standing_in(image: Image) -> Iterator[StandIn]:
    """A stand-in that holds the image, and zeros elsewhere, for as long as the block lasts; raises
    NoStandInError where none can be had, and Failed where it is still there at the end.
    """
    try:
        memory = os.memfd_create(f"{NAME} {os.getpid()}", os.MFD_CLOEXEC)
    except OSError as error:
        raise NoStandInError(NO_MEMORY(why=str(error.strerror))) from None
    try:
        try:
            os.ftruncate(memory, image.size_bytes)
            for offset, data in image.pieces:
                os.pwrite(memory, data, offset)
        except OSError as error:
            raise NoStandInError(NO_MEMORY(why=str(error.strerror))) from None
        with attached(memory, image.block_bytes) as node:
            yield StandIn(node, memory)
    finally:
        os.close(memory)


@contextmanager
def attached(file: int, block_bytes: int) -> Iterator[str]:
    """The node of a loop device over an open file, with logical blocks of so many bytes, for as long as the
    block lasts; raises NoStandInError where none can be had, and Failed where it is still there at the end.
    """
    loop, node = _attached(file, block_bytes)
    try:
        yield node
    finally:
        _detach(loop, node)


def _detach(loop: int, node: str) -> None:
    """First the partitions, then the loop device, and the lock at last: whoever looks when it goes finds
    nothing that looks like the drive. Raises Failed where somebody keeps hold of one of them.
    """
    file = _file_behind(node)
    try:
        forget_partitions(node)
        with suppress(OSError):
            fcntl.ioctl(loop, DETACH)
    finally:
        os.close(loop)
    until = monotonic() + TAKE_SECONDS
    # What has become free can be another's at once.
    while file and _file_behind(node) == file:
        if monotonic() > until:
            raise Failed(t("The stand-in {node} is held by another program.", node=node))
        sleep(PAUSE_SECONDS)


def _file_behind(node: str) -> str:
    """The name of the file behind a loop device; empty where it has none."""
    with suppress(OSError):
        return (SYS_BLOCK / kernel_name(node) / "loop/backing_file").read_text()
    return ""


def load_loop() -> None:
    """Have the kernel load what makes loop devices: without udev, /dev/loop-control is not there before."""
    # What is built in cannot be loaded, and what is missing shows when it is opened.
    if find("modprobe"):
        with suppress(Failed):
            run(("modprobe", "--quiet", "loop"), seconds=TAKE_SECONDS, accept=range(256))


def _attached(memory: int, block_bytes: int) -> tuple[int, str]:
    """The locked descriptor of a loop device over the file, and its node."""
    load_loop()
    until = monotonic() + TAKE_SECONDS
    while True:
        try:
            return _attach(memory, block_bytes)
        except OSError as error:
            # Somebody else was faster with the free one.
            if error.errno not in (errno.EBUSY, errno.EAGAIN) or monotonic() > until:
                raise NoStandInError(
                    t("the kernel gave no loop device: {why}", why=str(error.strerror))
                ) from None
            sleep(PAUSE_SECONDS)


def _attach(memory: int, block_bytes: int) -> tuple[int, str]:
    control = os.open(CONTROL, os.O_RDWR | os.O_CLOEXEC)
    try:
        node = f"/dev/loop{fcntl.ioctl(control, GET_FREE)}"
    finally:
        os.close(control)
    if wait_for((node,)):
        raise OSError(errno.ENOENT, str(t("{node} did not appear", node=node)))
    loop = os.open(node, os.O_RDWR | os.O_CLOEXEC)
    try:
        fcntl.flock(loop, fcntl.LOCK_EX | fcntl.LOCK_NB)
        flags = GOES_WITH_LAST_USER | WITH_PARTITIONS
        told = (memory, block_bytes, 0, 0, 0, 0, 0, 0, 0, 0, flags, NAME.encode(), b"", b"", 0, 0)
        fcntl.ioctl(loop, CONFIGURE, CONFIG.pack(*told))
        # A loop device keeps the read-only flag and the partitions of whoever had it before.
        take_writes(node)
        tell_kernel(node, anew=True)
    except BaseException:
        os.close(loop)
        raise
    return loop, node
