"""Scratch device in memory behind a loop device, of a drive's size and block size. Loop device and memory
disappear with the process that opened them. Other programs do not see the device: udev ignores events of a
locked drive (systemd, src/udev/udev-worker.c). The partitions are removed before the lock is released.
Source: Linux include/uapi/linux/loop.h, Documentation/admin-guide/blockdev; memfd_create(2)."""

import errno
import fcntl
import os
import struct
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep

from wizard.apply.block import devices
from wizard.model.errors import DiskwrightError, Failed
from wizard.model.said import Message, Sentence, failing, t
from wizard.probe.host.sysfs import text
from wizard.process.program import find, run

CONTROL = "/dev/loop-control"
GET_FREE, CONFIGURE, DETACH, GET_STATUS = 0x4C82, 0x4C0A, 0x4C01, 0x4C05
"""LOOP_CTL_GET_FREE, LOOP_CONFIGURE (Linux 5.8), LOOP_CLR_FD and LOOP_GET_STATUS64."""

CONFIG = struct.Struct("=II5Q4I64s64s32s2Q64x")
"""struct loop_config: the file, the logical block size, loop_info64, and reserved bytes."""

STATUS = struct.Struct("=56x64s112x")
"""struct loop_info64: the name."""

GOES_WITH_LAST_USER, WITH_PARTITIONS = 4, 8
"""LO_FLAGS_AUTOCLEAR and LO_FLAGS_PARTSCAN."""

NAME = b"diskwright stand-in"
TAKE_SECONDS = 5.0
PAUSE_SECONDS = 0.05


UNAVAILABLE = Sentence("{node} is not available ({why})")


class NoScratchDeviceError(Exception):
    """The message is a clause with the reason."""


@contextmanager
def attached(file: int, block_bytes: int, name: bytes = NAME) -> Iterator[str]:
    """Yield the node of a loop device with this logical block size and name over an open file.

    Raises NoScratchDeviceError if none is available, and Failed if it is still in use at the end.
    """
    load_module("loop")
    deadline = monotonic() + TAKE_SECONDS
    while True:
        try:
            loop, node = _attach(file, block_bytes, name)
            break
        except OSError as error:
            # Another program took the free device first.
            if error.errno not in (errno.EBUSY, errno.EAGAIN) or monotonic() > deadline:
                raise NoScratchDeviceError(UNAVAILABLE(node=CONTROL, why=error)) from None
            sleep(PAUSE_SECONDS)
    try:
        yield node
    finally:
        _detach(loop, node)


def _detach(loop: int, node: str) -> None:
    """Remove the partitions, then the loop device, then the lock, so that udev never sees a copy of the
    drive."""
    file = _file_behind(node)
    try:
        devices.forget_partitions(node)
        with suppress(OSError):
            fcntl.ioctl(loop, DETACH)
    finally:
        os.close(loop)
    deadline = monotonic() + TAKE_SECONDS
    # Another program may reuse a free loop device immediately.
    while file and _file_behind(node) == file:
        if monotonic() > deadline:
            raise Failed(t("The scratch copy {node} is in use by another program.", node=node))
        sleep(PAUSE_SECONDS)


def _file_behind(node: str) -> str:
    """Return the backing file of a loop device with the attachment number (Linux 5.15), or an empty
    string."""
    folder = devices.sysfs_folder(node)
    file = text(folder / "loop/backing_file")
    return f"{file} {text(folder / 'diskseq')}" if file else ""


def loop_name(node: str) -> bytes:
    """Return the name of an attached loop device. Raises OSError."""
    with devices.opened(node, os.O_RDONLY) as fd:
        status = fcntl.ioctl(fd, GET_STATUS, bytes(STATUS.size))
    return bytes(STATUS.unpack(status)[0]).rstrip(b"\0")


def load_module(name: str) -> None:
    """Load a kernel module. Without udev, /dev/loop-control and /dev/fuse appear only then."""
    # modprobe fails for built-in modules. Opening reports missing ones.
    if find("modprobe"):
        with suppress(Failed):
            run(("modprobe", "--quiet", name), seconds=TAKE_SECONDS, accept=range(256))


def unavailable(*nodes: str) -> Message | None:
    """Return why a node cannot be opened, as a clause. May load the loop module."""
    if not all(Path(node).exists() for node in nodes):
        load_module("loop")
    for node in nodes:
        try:
            os.close(os.open(node, os.O_RDWR | os.O_CLOEXEC))
        except OSError as error:
            return UNAVAILABLE(node=node, why=error)
    return None


def _attach(memory: int, block_bytes: int, name: bytes) -> tuple[int, str]:
    """Return the locked descriptor of a loop device over the file, and the node."""
    with devices.opened(CONTROL, os.O_RDWR) as control:
        node = f"/dev/loop{fcntl.ioctl(control, GET_FREE)}"
    try:
        devices.wait_for(node)
    except Failed as error:
        raise OSError(errno.ENOENT, str(error)) from None
    loop = os.open(node, os.O_RDWR | os.O_CLOEXEC)
    try:
        fcntl.flock(loop, fcntl.LOCK_EX | fcntl.LOCK_NB)
        flags = GOES_WITH_LAST_USER | WITH_PARTITIONS
        config = (memory, block_bytes, 0, 0, 0, 0, 0, 0, 0, 0, flags, name, b"", b"", 0, 0)
        fcntl.ioctl(loop, CONFIGURE, CONFIG.pack(*config))
        # A loop device keeps the read-only flag and the partitions of its last user.
        devices.take_writes(node)
        devices.reread_table(node, anew=True)
    except BaseException:
        os.close(loop)
        raise
    return loop, node


RULES = Path("/run/udev/rules.d")
RULE_NAME = "00-diskwright-{}-{}.rules"

RELOAD_SECONDS = 30.0

HIDDEN = 'ENV{UDISKS_IGNORE}="1", ENV{SYSTEMD_READY}="0", OPTIONS:="nowatch"'


def ignore_mapped(name: str, folder: str = "") -> None:
    """Make udev ignore device-mapper devices whose names begin with `name`, and loop devices over files in a
    folder named `folder` (`name` by default), until `stop_ignoring(name)`. Call it before the devices exist.
    Raises Failed."""
    mapped = (
        f'SUBSYSTEM=="block", KERNEL=="dm-*", ATTR{{dm/name}}=="{name}*", '
        'ENV{DM_UDEV_DISABLE_OTHER_RULES_FLAG}="1", ENV{DM_UDEV_DISABLE_DISK_RULES_FLAG}="1", '
        f'ENV{{DM_UDEV_DISABLE_SUBSYSTEM_RULES_FLAG}}="1", {HIDDEN}'
    )
    loop = (
        f'SUBSYSTEM=="block", KERNEL=="loop*", ATTRS{{loop/backing_file}}=="*/{folder or name}/*", '
        f'ENV{{UDEV_DISABLE_PERSISTENT_STORAGE_RULES_FLAG}}="1", {HIDDEN}'
    )
    ignore(name, [mapped, loop])


def ignore(what: str, lines: Sequence[str]) -> None:
    """Install these udev rules until `stop_ignoring(what)`. They apply on return. Raises Failed."""
    rule = _rule_path(what)
    # Another process can make udev reload its rules at any moment.
    unfinished = rule.with_suffix(".half")
    with failing(Sentence("Cannot make udev ignore {what}: {why}."), what=what):
        RULES.mkdir(parents=True, exist_ok=True)
        unfinished.write_text("\n".join(["# Gone when diskwright is done with it.", *lines, ""]))
        unfinished.rename(rule)
    _reload()


def stop_ignoring(*names: str) -> None:
    """Remove the rules of this process under these names, and those of killed processes, except for devices
    that still exist."""
    mapped = {text(block / "dm/name") for block in devices.SYS_BLOCK.glob("dm-*")}
    left = [rule for rule in RULES.glob(RULE_NAME.format("[0-9]*", "*")) if _is_stale(rule, mapped)]
    existing = [rule for rule in (*map(_rule_path, names), *left) if rule.exists()]
    for rule in existing:
        with suppress(OSError):
            rule.unlink()
    if existing:
        _reload()


def _is_stale(rule: Path, mapped: Collection[str | None]) -> bool:
    # psutil takes a moment to load, and such rules are rare.
    from psutil import pid_exists

    _, _, process, what = rule.stem.split("-", 3)
    return what not in mapped and not pid_exists(int(process))


def _rule_path(what: str) -> Path:
    return RULES / RULE_NAME.format(os.getpid(), what)


def _reload() -> None:
    # Systems without udev need no reload.
    with suppress(DiskwrightError):
        run(["udevadm", "control", "--reload"], seconds=RELOAD_SECONDS)
