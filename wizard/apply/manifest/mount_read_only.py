"""Looking into a filesystem that nobody else sees mounted, and that is unmounted whatever becomes of us.

The mount hangs on a descriptor alone (fsopen(2), fsmount(2); Linux 5.2): it has no place in any folder and in
no list of mounts, so no other program comes upon it, and the kernel takes it away with the last process that
holds the descriptor, also after a kill. A mount namespace would do the same with a process more to start and
to wait for. Python has none of these calls, hence they go by number.
"""

import ctypes
import os
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

from wizard.apply.block.devices import open_exclusively
from wizard.apply.manifest import words
from wizard.migrate.ext.superblock import START_BYTES, SUPERBLOCK_BYTES, read_ext
from wizard.model.errors import Failed
from wizard.model.names import printable

FSOPEN, FSCONFIG, FSMOUNT = 430, 431, 432
"""The same on every architecture of today's (arch/*/include/uapi/asm/unistd.h; the table of system calls is
shared from 403 on)."""

CLOSE_ON_EXEC, SET_FLAG, SET_STRING, CREATE = 1, 0, 1, 6
RDONLY, NOSUID, NODEV, NOEXEC, NOATIME = 1, 2, 4, 8, 16
"""From linux/mount.h."""

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
def _mounted(node: str, flags: Sequence[str], attributes: int) -> Iterator[Path]:
    fd = _mount(node, flags, attributes)
    try:
        yield Path(f"/proc/{os.getpid()}/fd/{fd}")
    finally:
        os.close(fd)
        _wait_until_free(node)


def _mount(node: str, flags: Sequence[str], attributes: int) -> int:
    """A descriptor of the mount's folder. Every kernel of today mounts ext2 and ext3 by the driver of ext4 as
    well."""
    try:
        context = _call(FSOPEN, b"ext4", CLOSE_ON_EXEC)
    except OSError as error:
        raise Failed(words.NOT_ALONE(node=node, why=str(error.strerror))) from None
    try:
        _call(FSCONFIG, context, SET_STRING, b"source", os.fsencode(node), 0)
        for flag in flags:
            _call(FSCONFIG, context, SET_FLAG, flag.encode(), None, 0)
        _call(FSCONFIG, context, CREATE, None, None, 0)
        return _call(FSMOUNT, context, CLOSE_ON_EXEC, attributes)
    except OSError as error:
        raise Failed(words.NOT_MOUNTED(node=node, why=_told(context) or str(error.strerror))) from None
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
        raise Failed(words.NOT_READ(path=node, why=str(error.strerror))) from None
    facts = read_ext(block)
    if facts is None:
        raise Failed(words.NO_EXT(node=node))
    if facts.needs_recovery:
        raise Failed(words.NOT_CLEAN(node=node))
    if struct.unpack_from("<I", block, LAST_ORPHAN)[0] or "orphan_present" in facts.features:
        raise Failed(words.DELETED_IN_USE(node=node))


def _wait_until_free(node: str) -> None:
    """Until the kernel has let go of the device; a child that is just ending may hold the mount for a moment
    longer."""
    end = monotonic() + RELEASE_SECONDS
    while reason := open_exclusively(node):
        if monotonic() > end:
            raise Failed(words.NOT_UNMOUNTED(node=node, why=reason))
