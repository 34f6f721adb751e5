"""Private mounts to look into a filesystem or folder, removed even if the process is killed.

The mount is attached only to a descriptor (fsopen(2), fsmount(2); Linux 5.2). It has no path and appears in
no mount list, so no other program finds it. The kernel removes it with the last process that has the
descriptor open. A mount namespace would need another process. Python lacks these calls, so they are made by
number.
"""

import ctypes
import errno
import os
import struct
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import monotonic

from wizard.apply.block.devices import open_exclusively
from wizard.apply.block.scratch_device import NoStandInError, attached
from wizard.ext4.superblock import START_BYTES, SUPERBLOCK_BYTES, read_ext
from wizard.model.errors import Failed, printable
from wizard.model.said import KERNEL_SECTOR_BYTES, Sentence, t

# Reading and writing.
NOT_READ = Sentence("Cannot read {path}: {why}.")
NOT_WRITTEN = Sentence("Cannot write {file}: {why}.")
SHORTER = t("the file became shorter during the read")
ENTRY_OF = Sentence("An entry of {file}")

# Copying.

# Mounting it where nobody else sees it.

# How two manifests differ.

# How an entry differs.

# What an entry is.


NOT_ALONE = Sentence("This kernel cannot mount {node} privately: {why}.")
NOT_MOUNTED = Sentence("Cannot mount {node}: {why}.")

OPEN_TREE, FSOPEN, FSCONFIG, FSMOUNT, MOUNT_SETATTR = 428, 430, 431, 432, 442
"""The same on every architecture of today's (arch/*/include/uapi/asm/unistd.h; the table of system calls is
shared from 403 on)."""

CLOSE_ON_EXEC, SET_FLAG, SET_STRING, CREATE = 1, 0, 1, 6
RDONLY, NOSUID, NODEV, NOEXEC, NOATIME = 1, 2, 4, 8, 16
"""From linux/mount.h."""

ATIME_BITS = 0x70
"""MOUNT_ATTR__ATIME, which is cleared before one of them is set."""

NO_SYMLINKS = 0x200000
"""MOUNT_ATTR_NOSYMFOLLOW (Linux 5.14)."""

CLONE, HERE, EMPTY_PATH = 1, -100, 0x1000
"""OPEN_TREE_CLONE, AT_FDCWD and AT_EMPTY_PATH."""

ATTRIBUTES = struct.Struct("=4Q")
"""struct mount_attr: what is set, what is cleared, propagation, user namespace."""

LAST_ORPHAN = 0xE8
"""Where the superblock names the first of the files that were deleted while in use (fs/ext4/ext4.h,
s_last_orphan)."""

RELEASE_SECONDS = 20.0


@contextmanager
def mounted_read_only(node: str) -> Iterator[Path]:
    """The folder of an ext filesystem, which cannot be written to and whose journal is left alone; unmounted
    at the end.

    Raises Failed where it cannot be mounted, and where its journal or its deleted files have to be seen to
    first: for deleted ones the kernel writes even to a filesystem that is mounted read-only.
    """
    _refuse_unfinished(node)
    with _mounted(node, ("ro", "noload"), RDONLY | NOSUID | NODEV | NOEXEC) as place:
        yield place


@contextmanager
def mounted_alone(node: str) -> Iterator[Path]:
    """The folder of an ext4 filesystem to write to, which nobody else sees and where reading leaves no date;
    unmounted at the end."""
    with _mounted(node, ("rw",), NOSUID | NODEV | NOEXEC | NOATIME) as place:
        yield place


@contextmanager
def mounted_as_it_is(node: str, kernel_names: Sequence[str]) -> Iterator[Path]:
    """The folder of any filesystem, by one of these names of its driver; unmounted at the end. Not one byte
    of the device changes: it is reached through a loop device that cannot be written to, and nobody else can
    mount it or make another filesystem there meanwhile.

    Raises Failed where it cannot be mounted so, as where its journal has to be seen to first.
    """
    with ExitStack() as held:
        try:
            file = os.open(node, os.O_RDONLY | os.O_EXCL | os.O_CLOEXEC)
            held.callback(os.close, file)
            loop = held.enter_context(attached(file, KERNEL_SECTOR_BYTES))
        except OSError as error:
            raise Failed(NOT_MOUNTED(node=node, why=str(error.strerror))) from None
        except NoStandInError as error:
            raise Failed(NOT_MOUNTED(node=node, why=str(error))) from None
        fd = _mount_by_one(loop, kernel_names, node)
        held.callback(os.close, fd)
        yield _place_of(fd)


def _mount_by_one(loop: str, kernel_names: Sequence[str], node: str) -> int:
    """A descriptor by the first of the drivers that takes it."""
    fault = Failed(t("Linux has no driver for the contents of {node}.", node=node))
    for name in kernel_names:
        try:
            return _mount(loop, ("ro",), RDONLY | NOSUID | NODEV | NOEXEC | NOATIME, name, node)
        except Failed as error:
            fault = error
    raise fault


@contextmanager
def seen_alone(folder: Path, *, writable: bool = False) -> Iterator[Path]:
    """A folder of a mounted filesystem by a mount of our own: without what is mounted below it, where reading
    leaves no date, no symbolic link is followed and, unless it is `writable`, nothing can be written. Raises
    Failed.
    """
    with ExitStack() as held:
        try:
            fd = _call(OPEN_TREE, HERE, os.fsencode(folder), CLONE | os.O_CLOEXEC)
            held.callback(os.close, fd)
            _set_attributes(fd, NODEV | NOATIME | (0 if writable else RDONLY))
        except OSError as error:
            raise Failed(NOT_ALONE(node=str(folder), why=str(error.strerror))) from None
        yield _place_of(fd)


def _set_attributes(fd: int, attributes: int) -> None:
    """Older kernels know less of them; before Linux 5.12 none can be set."""
    for wanted in (attributes | NO_SYMLINKS, attributes):
        try:
            packed = ATTRIBUTES.pack(wanted, ATIME_BITS, 0, 0)
            _call(MOUNT_SETATTR, fd, b"", EMPTY_PATH, packed, len(packed))
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.ENOSYS):
                raise
        else:
            return


def _place_of(fd: int) -> Path:
    return Path(f"/proc/{os.getpid()}/fd/{fd}")


@contextmanager
def _mounted(node: str, flags: Sequence[str], attributes: int) -> Iterator[Path]:
    fd = _mount(node, flags, attributes)
    try:
        yield _place_of(fd)
    finally:
        os.close(fd)
        _wait_until_free(node)


def _mount(node: str, flags: Sequence[str], attributes: int, driver: str = "ext4", shown: str = "") -> int:
    """A descriptor of the mount's folder. Every kernel of today mounts ext2 and ext3 by the driver of ext4 as
    well. A failure names what is `shown`, or else the node."""
    shown = shown or node
    try:
        context = _call(FSOPEN, driver.encode(), CLOSE_ON_EXEC)
    except OSError as error:
        raise Failed(NOT_ALONE(node=shown, why=str(error.strerror))) from None
    try:
        _call(FSCONFIG, context, SET_STRING, b"source", os.fsencode(node), 0)
        for flag in flags:
            _call(FSCONFIG, context, SET_FLAG, flag.encode(), None, 0)
        _call(FSCONFIG, context, CREATE, None, None, 0)
        return _call(FSMOUNT, context, CLOSE_ON_EXEC, attributes)
    except OSError as error:
        raise Failed(NOT_MOUNTED(node=shown, why=_told(context) or str(error.strerror))) from None
    finally:
        os.close(context)


def _call(number: int, *arguments: object) -> int:
    library = ctypes.CDLL(None, use_errno=True)
    answer = int(library.syscall(number, *arguments))
    if answer < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return answer


def _told(context: int) -> str:
    """What the filesystem's driver said of the failure; nothing where it told only the kernel's log."""
    try:
        said = os.read(context, 4096)
    except OSError:
        return ""
    return printable(said.decode(errors="replace")[2:].strip().rstrip("."), 200)


def _refuse_unfinished(node: str) -> None:
    try:
        with Path(node).open("rb") as device:
            device.seek(START_BYTES)
            block = device.read(SUPERBLOCK_BYTES)
    except OSError as error:
        raise Failed(NOT_READ(path=node, why=str(error.strerror))) from None
    facts = read_ext(block)
    if facts is None:
        raise Failed(t("{node} does not contain a readable ext filesystem.", node=node))
    if facts.needs_recovery:
        raise Failed(
            t(
                "{node} was not unmounted cleanly: the journal has pending changes. e2fsck "
                "replays the journal.",
                node=node,
            )
        )
    if struct.unpack_from("<I", block, LAST_ORPHAN)[0] or "orphan_present" in facts.features:
        raise Failed(
            t(
                "{node} has orphaned files, deleted while in use. e2fsck removes them.",
                node=node,
            )
        )


def _wait_until_free(node: str) -> None:
    """Until the kernel has let go of the device; a child that is just ending may hold the mount for a moment
    longer."""
    end = monotonic() + RELEASE_SECONDS
    while reason := open_exclusively(node):
        if monotonic() > end:
            raise Failed(t("Cannot unmount {node}: {why}.", node=node, why=reason))
