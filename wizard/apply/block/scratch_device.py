"""Scratch device of a drive's size and block size, in memory behind a loop device.

Writes reach no drive. The loop device and the memory disappear with the process that opened them. Other
programs do not see the device: udev ignores events of a locked drive and the partitions (systemd,
src/udev/udev-worker.c). The partitions are removed before the lock is released.
Source: Linux include/uapi/linux/loop.h, Documentation/admin-guide/blockdev; memfd_create(2).
"""

import errno
import fcntl
import os
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

from wizard.apply.block.devices import (
    SYS_BLOCK,
    forget_partitions,
    kernel_name,
    take_writes,
    tell_kernel,
    wait_for,
)
from wizard.apply.table.proof import Image
from wizard.model.errors import DiskwrightError, Failed
from wizard.model.machine import Extent
from wizard.model.said import MIB, Sentence, t
from wizard.process.program import find, run

NO_MEMORY = Sentence("no memory available: {why}")

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
            raise Failed(t("The scratch copy {node} is in use by another program.", node=node))
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
                    t("no loop device is available ({why})", why=str(error.strerror))
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


RULES = Path("/run/udev/rules.d")
RULE_NAME = "00-diskwright-{}-{}.rules"
"""With the number of the process whose rule it is, and what it is about."""

RELOAD_SECONDS = 30.0

_ALONE = 'ENV{UDISKS_IGNORE}="1", ENV{SYSTEMD_READY}="0", OPTIONS:="nowatch"'
_MAPPED = (
    'SUBSYSTEM=="block", KERNEL=="dm-*", ATTR{{dm/name}}=="{name}*", '
    'ENV{{DM_UDEV_DISABLE_OTHER_RULES_FLAG}}="1", ENV{{DM_UDEV_DISABLE_DISK_RULES_FLAG}}="1", '
    'ENV{{DM_UDEV_DISABLE_SUBSYSTEM_RULES_FLAG}}="1", {alone}'
)
_STORE = (
    'SUBSYSTEM=="block", KERNEL=="loop*", ATTRS{{loop/backing_file}}=="*/{folder}/*", '
    'ENV{{UDEV_DISABLE_PERSISTENT_STORAGE_RULES_FLAG}}="1", {alone}'
)


def ignore_mapped(name: str, folder: str = "") -> None:
    """Have udev ignore the device of the device mapper's with this name, those whose names begin so, and loop
    devices over files in a folder that is called `folder`, or else so, too, with their partitions, until
    `heed(name)`. To be said before any of them is made. Raises OSError where udev cannot be told.
    """
    ignore(
        name,
        [rule.format(name=name, folder=folder or name, alone=_ALONE) for rule in (_MAPPED, _STORE)],
    )


def ignore(what: str, lines: Sequence[str]) -> None:
    """Give udev these rules until `heed(what)`; on return it goes by them. Raises OSError where that cannot
    be."""
    rule = _rule(what)
    RULES.mkdir(parents=True, exist_ok=True)
    # Another process may have udev read its rules anew at any moment.
    half = rule.with_suffix(".half")
    half.write_text("\n".join(["# Gone when diskwright is done with it.", *lines, ""]))
    half.rename(rule)
    _reload()


def heed(what: str) -> None:
    """Take back what this process said with `ignore`, and what is left of others."""
    _take_away((_rule(what), *_left_rules()))


def forget_left_rules() -> None:
    """Take away the rules of processes that were killed. A device that is still there stays unseen."""
    _take_away(_left_rules())


def _rule(what: str) -> Path:
    return RULES / RULE_NAME.format(os.getpid(), what)


def _left_rules() -> tuple[Path, ...]:
    mapped = _mapped_names()
    return tuple(rule for rule in RULES.glob(RULE_NAME.format("[0-9]*", "*")) if _is_left(rule, mapped))


def _is_left(rule: Path, mapped: frozenset[str]) -> bool:
    # It takes a moment to load, and there is hardly ever such a rule.
    from psutil import pid_exists

    _, _, process, what = rule.stem.split("-", 3)
    return what not in mapped and not pid_exists(int(process))


def _mapped_names() -> frozenset[str]:
    found = set()
    for block in SYS_BLOCK.glob("dm-*"):
        # Any of them can go meanwhile.
        with suppress(OSError):
            found.add((block / "dm/name").read_text().strip())
    return frozenset(found)


def _take_away(rules: Iterable[Path]) -> None:
    there = [rule for rule in rules if rule.exists()]
    for rule in there:
        with suppress(OSError):
            rule.unlink()
    if there:
        _reload()


def _reload() -> None:
    # Systems without udev need no reload.
    with suppress(DiskwrightError):
        run(["udevadm", "control", "--reload"], seconds=RELOAD_SECONDS)
