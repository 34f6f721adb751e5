"""Read a filesystem entry by descriptors. Paths can exceed the kernel's limit; names need not be text."""

import errno
import fcntl
import json
import os
import stat
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256

from wizard.apply.tree import mount_read_only
from wizard.apply.tree.content import content_of, outline_of
from wizard.model.errors import BadInput, Failed, printable
from wizard.model.said import Message, t

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


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """An entry of a filesystem.

    `path` is relative to the top folder, in bytes as on disk; empty for the top itself. `mode` has the
    permission bits. `size_bytes` is 0 for folders, whose size does not depend on their content. `device` is
    as in `8:1`. Times are in nanoseconds since 1970. `same_as` is the first path of a hard link. `flags` are
    as in chattr(1). `attributes` are names and values of extended attributes, including ACLs, in hexadecimal,
    or as `sha256:` with a digest if long.

    `digest` covers the content, and `data` summarises the data ranges; see `tree.content`. `wide_data` is the
    same for ranges in whole blocks of 4096 bytes, as a filesystem with such blocks stores them.
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
    wide_data: str

    @property
    def order(self) -> list[bytes]:
        """Sort key in a manifest: folders before their content, names by bytes."""
        return self.path.split(b"/") if self.path else []


def to_line(entry: TreeEntry) -> bytes:
    """Serialise an entry to a line of JSON, without line end. Bytes that are not UTF-8 become lone surrogates
    (PEP 383)."""
    fields = (
        os.fsdecode(entry.path),
        entry.kind.value,
        entry.mode,
        entry.uid,
        entry.gid,
        entry.size_bytes,
        entry.device,
        entry.modified,
        entry.accessed,
        entry.changed,
        entry.inode,
        entry.links,
        os.fsdecode(entry.same_as) if entry.same_as else "",
        os.fsdecode(entry.target) if entry.target else "",
        entry.flags,
        entry.attributes,
        entry.digest,
        entry.data,
        "" if entry.wide_data == entry.data else entry.wide_data,
    )
    return _encode(fields).encode()


def from_line(line: bytes, what: str | Message) -> TreeEntry:
    """Parse a line from `to_line`. Raises BadInput, naming `what`."""
    try:
        (
            path,
            kind,
            mode,
            uid,
            gid,
            size,
            device,
            modified,
            accessed,
            changed,
            inode,
            links,
            same,
            target,
            flags,
            attributes,
            *content,
        ) = json.loads(line.decode())
        digest, data, wide = content
        return TreeEntry(
            os.fsencode(path),
            EntryKind(kind),
            int(mode),
            int(uid),
            int(gid),
            int(size),
            str(device),
            int(modified),
            int(accessed),
            int(changed),
            int(inode),
            int(links),
            os.fsencode(same),
            os.fsencode(target),
            int(flags),
            tuple((str(name), str(value)) for name, value in attributes),
            str(digest),
            str(data),
            str(wide or data),
        )
    except (ValueError, TypeError, RecursionError):
        raise BadInput(t("{entry} is damaged.", entry=what)) from None


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

GONE = frozenset({errno.ENOENT, errno.ENOTDIR})
"""Errors for paths that were deleted or replaced since they were listed."""

TO_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
FOLDER = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

Inode = tuple[int, int]
"""The filesystem or subvolume of an inode, and its number."""

Found = tuple[bytes, Inode, bool]
"""Path and inode of an entry, and True for a folder, which has no other names."""

KINDS = {
    stat.S_IFREG: EntryKind.FILE,
    stat.S_IFDIR: EntryKind.FOLDER,
    stat.S_IFLNK: EntryKind.SYMLINK,
    stat.S_IFIFO: EntryKind.FIFO,
    stat.S_IFSOCK: EntryKind.SOCKET,
    stat.S_IFCHR: EntryKind.CHARACTERS,
    stat.S_IFBLK: EntryKind.BLOCKS,
}


def _open_at(top: int, path: bytes, flags: int) -> int:
    """Open a path of any length relative to the folder `top`, as openat(2). Raises OSError."""
    folder = top
    try:
        while len(path) > LONGEST_PATH:
            cut = path.rindex(b"/", 0, LONGEST_PATH)
            deeper = os.open(path[:cut], FOLDER, dir_fd=folder)
            if folder != top:
                os.close(folder)
            folder, path = deeper, path[cut + 1 :]
        return os.open(path or b".", flags, 0o600, dir_fd=folder)
    finally:
        if folder != top:
            os.close(folder)


@contextmanager
def opened(top: int, path: bytes, flags: int) -> Iterator[int]:
    """Open a path relative to the folder `top`, and close it at the end. Raises OSError."""
    fd = _open_at(top, path, flags)
    try:
        yield fd
    finally:
        os.close(fd)


def status_at(top: int, path: bytes) -> os.stat_result:
    """Return the lstat(2) result of a path relative to the folder `top`. Raises OSError."""
    with folder_of(top, path) as (folder, name):
        return os.stat(name, dir_fd=folder, follow_symlinks=False)


def look(
    top: int,
    path: bytes,
    workers: int,
    on_bytes: Callable[[int], None],
    *,
    cold: bool = False,
    content: bool = True,
) -> TreeEntry:
    """Read the entry at `path` relative to the folder `top`, with the `content` of a file. `cold` reads from
    the drive instead of the cache. Raises OSError."""
    with folder_of(top, path) as (folder, name):
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        kind = KINDS[stat.S_IFMT(status.st_mode)]
        target = os.readlink(name, dir_fd=folder) if kind is EntryKind.SYMLINK else b""
        flags, content_fields = 0, ("", "", "")
        if kind in (EntryKind.FILE, EntryKind.FOLDER):
            with opened(folder, name, TO_READ) as fd:
                attributes = _attributes(fd)
                flags = flags_of(fd)
                if kind is EntryKind.FILE and not content:
                    content_fields = outline_of(fd, status.st_size)
                elif kind is EntryKind.FILE:
                    if cold:
                        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
                    content_fields = content_of(fd, status.st_size, workers, on_bytes)
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
        *content_fields,
    )


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


def _attributes(where: int | bytes) -> tuple[tuple[str, str], ...]:
    """Return all extended attributes by name, including ACLs and system attributes."""
    return tuple(
        (name, _value(os.getxattr(where, name, follow_symlinks=isinstance(where, int))))
        for name in attribute_names(where)
    )


def attribute_names(where: int | bytes) -> list[str]:
    """Return the names of all extended attributes of an open file or path; empty if unsupported."""
    try:
        return sorted(os.listxattr(where, follow_symlinks=isinstance(where, int)))
    except OSError as error:
        if error.errno == errno.ENOTSUP:
            return []
        raise


def _value(value: bytes) -> str:
    return value.hex() if len(value) <= LONGEST_VALUE else f"sha256:{sha256(value).hexdigest()}"


def flags_of(fd: int) -> int:
    """Return the flags of chattr(1) without those about storage, or 0 if unsupported."""
    buffer = bytearray(8)
    try:
        fcntl.ioctl(fd, GET_FLAGS, buffer)
    except OSError as error:
        if error.errno in (errno.ENOTTY, errno.EOPNOTSUPP):
            return 0
        raise
    return int(struct.unpack_from("=I", buffer)[0]) & ~ABOUT_STORAGE


def walk(top: int, only: frozenset[bytes] | None = None, *, changing: bool = False) -> Iterator[Found]:
    """Yield all entries below `top`, including itself: folders before their content, names by bytes. `only`
    selects names in `top`. Raises Failed.

    With `changing`, folders deleted in the meantime count as empty.
    """
    status = os.fstat(top)
    pending = [(b"", (status.st_dev, status.st_ino), True)]
    while pending:
        path, inode, is_folder = pending.pop()
        yield path, inode, is_folder
        if is_folder:
            listed = _listed(top, path, changing=changing)
            pending += reversed(listed if path or only is None else [one for one in listed if one[0] in only])


def _listed(top: int, path: bytes, *, changing: bool) -> list[Found]:
    try:
        with opened(top, path, TO_READ | os.O_DIRECTORY) as fd, os.scandir(fd) as entries:
            device = os.fstat(fd).st_dev
            names = [
                (os.fsencode(entry.name), entry.inode(), entry.is_dir(follow_symlinks=False))
                for entry in entries
            ]
    except OSError as error:
        if changing and error.errno in GONE:
            return []
        raise Failed(mount_read_only.NOT_READ(path=named(path), why=str(error.strerror))) from None
    return [
        (path + b"/" + name if path else name, (device, inode), is_folder)
        for name, inode, is_folder in sorted(names)
    ]


def named(path: bytes) -> str:
    """Format a path for display, with undecodable bytes escaped."""
    return printable(f"/{path.decode(errors='backslashreplace')}", 200)
