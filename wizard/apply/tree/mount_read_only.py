"""Private mounts for reading a filesystem or folder, removed even if the process is killed.

The mount is attached only to a descriptor (fsopen(2), fsmount(2); Linux 5.2). It appears in no mount list.
The kernel removes it with the last process that has the descriptor open. Python lacks these calls, so they
are made by number.
"""

import ctypes
import errno
import os
import re
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from stat import S_IFREG
from time import monotonic, sleep

from wizard.apply.block import devices
from wizard.apply.block.scratch_device import NoScratchDeviceError, attached
from wizard.apply.system.mounts import NOT_THE_KERNELS
from wizard.ext4 import superblock
from wizard.model.errors import Failed, printable
from wizard.model.said import KERNEL_SECTOR_BYTES, Sentence, failing, t
from wizard.operations.mounts import ACCESS_TIME

NOT_ALONE = Sentence("This kernel cannot mount {node} privately: {why}.")
NOT_MOUNTED = Sentence("Cannot mount {node}: {why}.")

OPEN_TREE, FSOPEN, FSCONFIG, FSMOUNT, MOUNT_SETATTR = 428, 430, 431, 432, 442
"""System call numbers, the same on all current architectures (arch/*/include/uapi/asm/unistd.h; the tables
are shared from 403)."""

CLOSE_ON_EXEC, SET_FLAG, SET_STRING, CREATE = 1, 0, 1, 6
RDONLY, NOSUID, NODEV, NOEXEC, NOATIME = 1, 2, 4, 8, 16
"""From linux/mount.h."""

PRIVATE = RDONLY | NOSUID | NODEV | NOEXEC

ATIME_BITS = 0x70
"""MOUNT_ATTR__ATIME, cleared before setting one of them."""

NO_SYMLINKS = 0x200000
"""MOUNT_ATTR_NOSYMFOLLOW (Linux 5.14)."""

CLONE, HERE, EMPTY_PATH = 1, -100, 0x1000
"""OPEN_TREE_CLONE, AT_FDCWD and AT_EMPTY_PATH."""

ATTRIBUTES = struct.Struct("=4Q")
"""struct mount_attr: attributes to set, attributes to clear, propagation, user namespace."""

LAST_ORPHAN = 0xE8
"""Offset in the superblock of the first orphaned file, deleted while in use (fs/ext4/ext4.h,
s_last_orphan)."""

RELEASE_SECONDS = 20.0

NOT_FOR_DRIVERS = (
    NOT_THE_KERNELS
    | {prefix + one for one in ACCESS_TIME | {"diratime"} for prefix in ("", "no")}
    | {prefix + one for one in ("dev", "suid", "exec", "symfollow", "iversion") for prefix in ("", "no")}
    | {"ro", "user", "users", "owner", "group", "silent", "loud", "comment"}
)
"""Options that mount(8) and the kernel handle for all filesystems (libmount, src/optmap.c)."""

NAMED = re.compile(r"[ug]id=\D")
"""mount(8) replaces names of users and groups by numbers."""


@contextmanager
def mounted_read_only(node: str) -> Iterator[Path]:
    """Mount an ext filesystem read-only, without replaying its journal. Raises Failed.

    Refuses filesystems with an unfinished journal, or orphaned files, for which the kernel writes even to a
    read-only mount.
    """
    block = devices.read_range(node, superblock.START_BYTES, superblock.SUPERBLOCK_BYTES)
    facts = superblock.read_ext(block)
    if facts is None:
        raise Failed(devices.NO_EXT(node=node))
    has_orphans = struct.unpack_from("<I", block, LAST_ORPHAN)[0] or "orphan_present" in facts.features
    if facts.needs_recovery or has_orphans:
        raise Failed(t("{node} has an unfinished journal or orphaned files: run e2fsck first.", node=node))
    # Programs that scan drives open each one exclusively for a moment.
    for pause in (0.1, 0.3, 1.0, 0.0):
        try:
            fd = _mount(node, ("ro", "noload"), PRIVATE)
            break
        except Failed:
            if not pause:
                raise
            sleep(pause)
    try:
        yield _place_of(fd)
    finally:
        os.close(fd)
        _wait_until_free(node)


@contextmanager
def mounted_as_it_is(node: str, kernel_names: Sequence[str], options: Sequence[str] = ()) -> Iterator[Path]:
    """Mount any filesystem without changing a byte of the device, using the first of these drivers that
    works. Raises Failed, for example if the journal must be replayed first.

    Uses a read-only loop device, and keeps others from mounting or formatting the device.
    """
    with ExitStack() as held:
        try:
            file = os.open(node, os.O_RDONLY | os.O_EXCL | os.O_CLOEXEC)
            held.callback(os.close, file)
            loop = held.enter_context(attached(file, KERNEL_SECTOR_BYTES))
        except (OSError, NoScratchDeviceError) as error:
            why = error if isinstance(error, OSError) else str(error)
            raise Failed(NOT_MOUNTED(node=node, why=why)) from None
        for name in kernel_names:
            try:
                fd = _mount(loop, ("ro", *options), PRIVATE | NOATIME, name, node)
                break
            except Failed:
                if name == kernel_names[-1]:
                    raise
        held.callback(os.close, fd)
        yield _place_of(fd)


def mount_served_file(fuse: int) -> int:
    """Mount the file served at this descriptor of /dev/fuse, and return a descriptor. Raises OSError."""
    options = ("source=diskwright", f"fd={fuse}", f"rootmode={S_IFREG:o}", "user_id=0", "group_id=0")
    context = _call(FSOPEN, b"fuse", CLOSE_ON_EXEC)
    try:
        return _create(context, options, NOSUID | NODEV | NOEXEC)
    finally:
        os.close(context)


def driver_refusal(driver: str, options: Sequence[str], node: str = "") -> str:
    """Return why the kernel's driver refuses mount options; empty if it accepts them or cannot be asked.

    Parses the options, and mounts an unused `node` with them, without changing a byte.
    """
    asked = [one for one in options if one.partition("=")[0] not in NOT_FOR_DRIVERS and not NAMED.match(one)]
    try:
        context = _call(FSOPEN, driver.encode(), CLOSE_ON_EXEC)
    except OSError:
        return ""
    option = ""
    try:
        for option in asked:
            _set_option(context, option)
    except OSError as error:
        return _driver_error(context) or f"{option}: {error.strerror}"
    finally:
        os.close(context)
    # A filesystem that cannot be mounted without the options tells nothing about them.
    for attempt in ((), asked) if node and asked else ():
        try:
            with mounted_as_it_is(node, (driver,), attempt):
                pass
        except Failed as error:
            return str(error).rstrip(".") if attempt else ""
        _wait_until_free(node)
    return ""


def _set_option(context: int, option: str) -> None:
    key, equals, value = option.partition("=")
    how, given = (SET_STRING, os.fsencode(value)) if equals else (SET_FLAG, None)
    _call(FSCONFIG, context, how, key.encode(), given, 0)


@contextmanager
def seen_alone(folder: Path, *, writable: bool = False) -> Iterator[Path]:
    """Mount a folder of a mounted filesystem privately: without mounts below it, without access times or
    symbolic links, and read-only unless `writable`. Raises Failed."""
    with ExitStack() as held:
        with failing(NOT_ALONE, node=folder):
            fd = _call(OPEN_TREE, HERE, os.fsencode(folder), CLONE | os.O_CLOEXEC)
            held.callback(os.close, fd)
            attributes = NODEV | NOATIME | (0 if writable else RDONLY)
            # Older kernels support fewer attributes, and before Linux 5.12 none.
            for wanted in (attributes | NO_SYMLINKS, attributes):
                packed = ATTRIBUTES.pack(wanted, ATIME_BITS, 0, 0)
                try:
                    _call(MOUNT_SETATTR, fd, b"", EMPTY_PATH, packed, len(packed))
                    break
                except OSError as error:
                    if error.errno not in (errno.EINVAL, errno.ENOSYS):
                        raise
        yield _place_of(fd)


def _place_of(fd: int) -> Path:
    return Path(f"/proc/{os.getpid()}/fd/{fd}")


def _mount(node: str, flags: Sequence[str], attributes: int, driver: str = "ext4", shown: str = "") -> int:
    """Mount a filesystem and return a descriptors folder. All current kernels mount ext2 and ext3 with the
    ext4 driver. Errors name `shown`, or else the node."""
    shown = shown or node
    with failing(NOT_ALONE, node=shown):
        context = _call(FSOPEN, driver.encode(), CLOSE_ON_EXEC)
    try:
        return _create(context, (f"source={node}", *flags), attributes)
    except OSError as error:
        raise Failed(NOT_MOUNTED(node=shown, why=_driver_error(context) or str(error.strerror))) from None
    finally:
        os.close(context)


def _create(context: int, options: Iterable[str], attributes: int) -> int:
    for option in options:
        _set_option(context, option)
    _call(FSCONFIG, context, CREATE, None, None, 0)
    return _call(FSMOUNT, context, CLOSE_ON_EXEC, attributes)


def _call(number: int, *arguments: object) -> int:
    library = ctypes.CDLL(None, use_errno=True)
    result = int(library.syscall(number, *arguments))
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def _driver_error(context: int) -> str:
    """Return the driver's error message; empty if it is only in the kernel log."""
    try:
        output = os.read(context, 4096)
    except OSError:
        return ""
    return printable(output.decode(errors="replace")[2:].strip().rstrip("."), 200)


def _wait_until_free(node: str) -> None:
    """Wait until the device is released. A child process that is ending may keep the mount for a moment."""
    end = monotonic() + RELEASE_SECONDS
    while reason := devices.open_exclusively(node):
        if monotonic() > end:
            raise Failed(t("Cannot unmount {node}: {why}.", node=node, why=reason))
