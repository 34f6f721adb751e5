"""Walk a tree and read its entries by descriptors. Paths can exceed the kernel's limit; names need not be
text."""

import errno
import fcntl
import json
import os
import stat
import struct
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from hashlib import sha256
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar

from wizard.apply.run.process import DAMAGED
from wizard.apply.tree.content import Content
from wizard.documents.files import UNREADABLE
from wizard.model.errors import BadInput, Failed, printable

_encode = json.JSONEncoder(separators=(",", ":")).encode


class EntryKind(StrEnum):
    """Type of an entry, as in a manifest."""

    FILE = "file"
    FOLDER = "folder"
    SYMLINK = "symbolic link"
    FIFO = "named pipe"
    SOCKET = "socket"
    CHARACTERS = "character device"
    BLOCKS = "block device"


class TreeEntry(NamedTuple):
    """An entry of a filesystem.

    `path` is relative to the top folder, in bytes as on disk; empty for the top itself. `mode` has the
    permission bits. `size_bytes` is 0 for folders. `device` is as in `8:1`. Times are in nanoseconds.
    `same_as` is the first path of a hard link. `flags` are as in chattr(1). `attributes` are names and values
    of extended attributes, including ACLs, in hexadecimal, or as `sha256:` with a digest if long.

    `digest` covers the content, and `data` summarises the data ranges; see `tree.content`.
    """

    path: bytes
    kind: EntryKind
    mode: int
    uid: int
    gid: int
    size_bytes: int
    device: str
    modified: int
    accessed: int
    changed: int
    inode: int
    links: int
    same_as: bytes
    target: bytes
    flags: int
    attributes: tuple[tuple[str, str], ...]
    digest: str
    data: str

    @property
    def data_bytes(self) -> int:
        """Bytes of a file without holes: the first number in the data ranges."""
        return int(self.data.partition(" ")[0] or 0)


Pairs = Iterator[tuple[TreeEntry | None, TreeEntry | None]]
"""Pairs of entries with the same path, None for a missing one."""


def order_of(path: bytes) -> list[bytes]:
    """Return the sort key of a path: folders before their content, names by bytes."""
    return path.split(b"/") if path else []


def to_line(entry: TreeEntry) -> bytes:
    """Serialise an entry to a line of JSON, without line end. Bytes that are not UTF-8 become lone surrogates
    (PEP 383). The last value is unused."""
    return _encode([*(os.fsdecode(one) if isinstance(one, bytes) else one for one in entry), ""]).encode()


def from_line(line: bytes, what: str) -> TreeEntry:
    """Parse a line from `to_line`. Raises BadInput, naming `what`."""
    try:
        path, kind, *numbers, first, target, flags, attributes, digest, data, _ = json.loads(line.decode())
        links = os.fsencode(first), os.fsencode(target)
        pairs = tuple((name, value) for name, value in attributes)
        begin = (os.fsencode(path), EntryKind(kind), *numbers)
        return TreeEntry._make((*begin, *links, flags, pairs, digest, data))
    except (ValueError, TypeError, RecursionError):
        raise BadInput(DAMAGED(place=what)) from None


GET_FLAGS = 0x80086601 if struct.calcsize("l") == 8 else 0x80046601
"""FS_IOC_GETFLAGS (linux/fs.h), which encodes the size of a long."""

ABOUT_STORAGE = 0x80000 | 0x1000 | 0x40000 | 0x200000 | 0x400000
"""Flags about storage: extents, indexed folder, size in blocks, attribute value, blocks beyond the end
(fs/ext4/ext4.h)."""

LONGEST_PATH = 3800
"""Below PATH_MAX (4096), with space for the path of a descriptor in /proc."""

LONGEST_VALUE = 64
"""Limit in bytes for values of extended attributes in full."""

LOST_AND_FOUND = b"lost+found"
"""The folder for files found by e2fsck, created with every ext filesystem."""

GONE = (FileNotFoundError, NotADirectoryError)
"""Errors for paths that were deleted or replaced since they were listed."""

TO_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
FOLDER = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

Found = tuple[bytes, os.stat_result]
"""Path and status of an entry."""

KINDS = {
    stat.S_IFREG: EntryKind.FILE,
    stat.S_IFDIR: EntryKind.FOLDER,
    stat.S_IFLNK: EntryKind.SYMLINK,
    stat.S_IFIFO: EntryKind.FIFO,
    stat.S_IFSOCK: EntryKind.SOCKET,
    stat.S_IFCHR: EntryKind.CHARACTERS,
    stat.S_IFBLK: EntryKind.BLOCKS,
}


@contextmanager
def opened(top: int, path: bytes, flags: int = TO_READ) -> Iterator[int]:
    """Open a path of any length relative to the folder `top`, as openat(2), and close it at the end. Raises
    OSError."""
    folder = top
    try:
        while len(path) > LONGEST_PATH:
            cut = path.rindex(b"/", 0, LONGEST_PATH)
            deeper = os.open(path[:cut], FOLDER, dir_fd=folder)
            if folder != top:
                os.close(folder)
            folder, path = deeper, path[cut + 1 :]
        fd = os.open(path or b".", flags, 0o600, dir_fd=folder)
    finally:
        if folder != top:
            os.close(folder)
    try:
        yield fd
    finally:
        os.close(fd)


@contextmanager
def folder_of(top: int, path: bytes) -> Iterator[tuple[int, bytes]]:
    """Open the folder that contains an entry, and yield its descriptor and the name. For a short path, yield
    the top and the whole path."""
    if len(path) <= LONGEST_PATH:
        yield top, path or b"."
        return
    above, _, name = path.rpartition(b"/")
    with opened(top, above, FOLDER) as folder:
        yield folder, name


def status_at(top: int, path: bytes) -> os.stat_result:
    """Return the lstat(2) result of a path relative to the folder `top`. Raises OSError."""
    with folder_of(top, path) as (folder, name):
        return os.stat(name, dir_fd=folder, follow_symlinks=False)


def look(top: int, path: bytes, read: Callable[[int, os.stat_result], Content]) -> TreeEntry:
    """Read the entry at `path` relative to the folder `top`. `read` returns the content of an open file.
    Raises OSError."""
    with folder_of(top, path) as (folder, name):
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        kind = KINDS[stat.S_IFMT(status.st_mode)]
        target = os.readlink(name, dir_fd=folder) if kind is EntryKind.SYMLINK else b""
        flags, content = 0, ("", "")
        if kind in (EntryKind.FILE, EntryKind.FOLDER):
            with opened(folder, name) as fd:
                attributes = _attributes(fd)
                try:
                    flags = flags_of(fd) & ~ABOUT_STORAGE
                except OSError as error:
                    if error.errno not in (errno.ENOTTY, errno.EOPNOTSUPP):
                        raise
                if kind is EntryKind.FILE:
                    content = read(fd, status)
        else:
            attributes = _attributes(b"/proc/self/fd/%d/%s" % (folder, name))
    return TreeEntry(
        path,
        kind,
        stat.S_IMODE(status.st_mode),
        status.st_uid,
        status.st_gid,
        0 if kind is EntryKind.FOLDER else status.st_size,
        f"{os.major(status.st_rdev)}:{os.minor(status.st_rdev)}"
        if kind in (EntryKind.CHARACTERS, EntryKind.BLOCKS)
        else "",
        status.st_mtime_ns,
        status.st_atime_ns,
        status.st_ctime_ns,
        status.st_ino,
        status.st_nlink,
        b"",
        target,
        flags,
        attributes,
        *content,
    )


def _attributes(where: int | bytes) -> tuple[tuple[str, str], ...]:
    found = []
    for name in attribute_names(where):
        value = os.getxattr(where, name, follow_symlinks=isinstance(where, int))
        is_long = len(value) > LONGEST_VALUE
        found.append((name, f"sha256:{sha256(value).hexdigest()}" if is_long else value.hex()))
    return tuple(found)


def attribute_names(where: int | bytes) -> list[str]:
    """Return the names of all extended attributes of an open file or path; empty if unsupported."""
    try:
        return sorted(os.listxattr(where, follow_symlinks=isinstance(where, int)))
    except OSError as error:
        if error.errno == errno.ENOTSUP:
            return []
        raise


def flags_of(fd: int) -> int:
    """Return all flags of chattr(1). Raises OSError if unsupported."""
    buffer = bytearray(8)
    fcntl.ioctl(fd, GET_FLAGS, buffer)
    return int(struct.unpack_from("=I", buffer)[0])


def walk(top: int, only: frozenset[bytes] | None = None, *, changing: bool = False) -> Iterator[Found]:
    """Yield all entries below `top`, including itself: folders before their content, names by bytes. `only`
    selects names in `top`. Raises Failed.

    With `changing`, entries deleted in the meantime are skipped.
    """
    pending = [b""]
    while pending:
        path = pending.pop()
        try:
            status = status_at(top, path)
            names: list[bytes] = []
            if stat.S_ISDIR(status.st_mode):
                with opened(top, path, TO_READ | os.O_DIRECTORY) as fd, os.scandir(fd) as found:
                    names = sorted(os.fsencode(entry.name) for entry in found)
        except OSError as error:
            if changing and isinstance(error, GONE):
                continue
            raise Failed(UNREADABLE(file=named(path), why=error)) from None
        yield path, status
        for name in reversed(names):
            if path or only is None or name in only:
                pending.append(path + b"/" + name if path else name)


One = TypeVar("One")
Other = TypeVar("Other")


def paired(
    ones: Iterable[One], others: Iterable[Other], path_of: Callable[[Any], bytes] = itemgetter(0)
) -> Iterator[tuple[One | None, Other | None]]:
    """Pair two sequences by path, and skip equal pairs. Both are in the order of a manifest."""
    found, rest = iter(ones), iter(others)
    one, other = next(found, None), next(rest, None)
    while one or other:
        is_one, is_other = one is not None, other is not None
        if one != other:
            if one and other:
                first, second = order_of(path_of(one)), order_of(path_of(other))
                is_one, is_other = first <= second, second <= first
            yield one if is_one else None, other if is_other else None
        one = next(found, None) if is_one else one
        other = next(rest, None) if is_other else other


def named(path: bytes) -> str:
    """Format a path for display, with undecodable bytes escaped."""
    return printable(f"/{path.decode(errors='backslashreplace')}", 200)
