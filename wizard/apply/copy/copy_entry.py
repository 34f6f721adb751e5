"""Copy one entry with all metadata, so that both manifests differ only in inodes.

No common tool does this. cp and rsync fail on paths longer than the kernel's limit, tar omits sockets, and
all lose the flags of chattr(1). In a mount attached only to a descriptor, rsync takes its working folder for
the root of the system. It also reads holes as zeros.

Entries are copied to a folder that only root can use, so they may replace anything there. A folder gets
owner, permissions, attributes and times after the content. Flags come last, since they can forbid the rest.
"""

import ctypes
import errno
import fcntl
import os
import stat
import struct
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial

from msgspec import Struct

from wizard.apply.tree import entries
from wizard.apply.tree.content import SHORTER, Content, content_of
from wizard.apply.tree.entries import EntryKind, TreeEntry
from wizard.filesystems.kind import Holds
from wizard.model.errors import Failed
from wizard.model.machine import Extent
from wizard.model.said import MIB, Sentence
from wizard.operations.mounts import Top

NOT_COPIED = Sentence("Cannot copy {file}: {why}.")

SET_FLAGS = 0x40086602 if struct.calcsize("l") == 8 else 0x40046602
"""FS_IOC_SETFLAGS (linux/fs.h), which encodes the size of a long."""

RENAME_NOREPLACE = 1
"""Fail if the new name exists (renameat2(2))."""

LIBRARY = ctypes.CDLL(None, use_errno=True)

STEP_BYTES = 8 * MIB
TO_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class TreeCopy(Struct, frozen=True):
    """A copy between two open folders. `holds`: capabilities of the target."""

    source: int
    target: int
    holds: Holds


@contextmanager
def telling(path: bytes, fault: Sentence = NOT_COPIED) -> Iterator[None]:
    """Convert an OSError to Failed with the file's name, formatted only then: trees have many files."""
    try:
        yield
    except OSError as error:
        raise Failed(fault(file=entries.named(path), why=error)) from None


def copy_entry(copy: TreeCopy, path: bytes, on_bytes: Callable[[int], None]) -> TreeEntry:
    """Copy an entry, without flags, and return the entry as read. The top folder is only read, and other
    folders get their metadata from `finish_folder`. Raises OSError."""

    def fill(fd: int, status: os.stat_result) -> Content:
        clear(copy.target, path)
        with entries.opened(copy.target, path, TO_WRITE) as new:
            content = content_of(fd, status.st_size, 1, partial(_copy_ranges, fd, new, on_bytes))
            os.ftruncate(new, status.st_size)
            _finish(copy, fd, new)
        return content

    entry = entries.look(copy.source, path, fill)
    if entry.kind is EntryKind.FOLDER and path:
        _make_folder(copy.target, path)
    elif entry.kind not in (EntryKind.FILE, EntryKind.FOLDER) and copy.holds.links:
        clear(copy.target, path)
        _make_other(copy, path)
    return entry


def _make_folder(top: int, path: bytes) -> None:
    """Create a folder that only root can use, unless an earlier attempt did."""
    old = status_of(top, path)
    if old is None or not stat.S_ISDIR(old.st_mode):
        clear(top, path)
        with entries.folder_of(top, path) as (folder, name):
            os.mkdir(name, 0o700, dir_fd=folder)


def make_link(top: int, first: bytes, path: bytes) -> None:
    """Create a hard link to an earlier copied path. Raises OSError."""
    clear(top, path)
    with entries.folder_of(top, first) as (above, old), entries.folder_of(top, path) as (folder, new):
        os.link(old, new, src_dir_fd=above, dst_dir_fd=folder, follow_symlinks=False)


def place(above: int, folder: int, name: bytes) -> None:
    """Move an entry from one folder to another, where the name must be free. Raises OSError."""
    if LIBRARY.renameat2(above, name, folder, name, RENAME_NOREPLACE) == 0:
        return
    number = ctypes.get_errno()
    if number == errno.EINVAL:
        # Some FUSE programs, such as ntfs-3g, do not know the flag.
        number = 0 if status_of(folder, name) is None else errno.EEXIST
    if number:
        raise OSError(number, os.strerror(number))
    os.rename(name, name, src_dir_fd=above, dst_dir_fd=folder)


def status_of(top: int, path: bytes) -> os.stat_result | None:
    """Return the status of an entry, or None if it is gone. Raises OSError."""
    try:
        return entries.status_at(top, path)
    except entries.GONE:
        return None


def remove_entry(top: int, path: bytes) -> bool:
    """Remove a file, or a folder if empty, even if flags forbid it. Return True if the entry is gone. Raises
    OSError."""
    try:
        is_folder = stat.S_ISDIR(entries.status_at(top, path).st_mode)
        with entries.folder_of(top, path) as (folder, name):
            remove = os.rmdir if is_folder else os.unlink
            _without_flags(folder, name, partial(remove, name, dir_fd=folder))
    except entries.GONE:
        return True
    except OSError as error:
        if error.errno != errno.ENOTEMPTY:
            raise
        return False
    return True


def clear(top: int, path: bytes) -> int:
    """Remove an entry and all entries below. Return the number of entries below. Raises OSError or Failed."""
    below: list[bytes] = []
    if not remove_entry(top, path):
        with entries.opened(top, path) as folder:
            below = [name for name, _ in entries.walk(folder, changing=True) if name]
            for name in reversed(below):
                remove_entry(folder, name)
        remove_entry(top, path)
    return len(below)


def _without_flags(top: int, path: bytes, work: Callable[[], None]) -> None:
    """Run `work`. If flags forbid that, clear those of the entry and of the parent folder, and retry."""
    try:
        work()
    except PermissionError:
        for one in (path.rpartition(b"/")[0], path):
            with suppress(FileNotFoundError):
                mode = entries.status_at(top, one).st_mode
                if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
                    set_flags(top, one, 0)
        work()


def _copy_ranges(fd: int, new: int, on_bytes: Callable[[int], None], ranges: Iterable[Extent]) -> None:
    """Copy only data ranges, so holes are preserved."""
    for place in ranges:
        start = os.lseek(new, place.start_bytes, os.SEEK_SET)
        while start < place.end_bytes:
            got = os.sendfile(new, fd, start, min(STEP_BYTES, place.end_bytes - start))
            if not got:
                raise OSError(errno.EIO, str(SHORTER))
            start += got
            on_bytes(got)


def _make_other(copy: TreeCopy, path: bytes) -> None:
    with (
        entries.folder_of(copy.source, path) as (here, name),
        entries.folder_of(copy.target, path) as (there, new),
    ):
        status = os.stat(name, dir_fd=here, follow_symlinks=False)
        if stat.S_ISLNK(status.st_mode):
            os.symlink(os.readlink(name, dir_fd=here), new, dir_fd=there)
        else:
            os.mknod(new, status.st_mode, status.st_rdev, dir_fd=there)
        os.chown(new, status.st_uid, status.st_gid, dir_fd=there, follow_symlinks=False)
        if not stat.S_ISLNK(status.st_mode):
            # Not a symbolic link, so chmod cannot follow one.
            os.chmod(new, stat.S_IMODE(status.st_mode), dir_fd=there)
        _copy_attributes(copy, b"/proc/self/fd/%d/%s" % (here, name), b"/proc/self/fd/%d/%s" % (there, new))
        os.utime(new, ns=(status.st_atime_ns, status.st_mtime_ns), dir_fd=there, follow_symlinks=False)


def _copy_attributes(copy: TreeCopy, source: int | bytes, target: int | bytes) -> None:
    """Copy all supported extended attributes, including ACLs. Owner and permissions come first, since
    changing them removes some."""
    follow = isinstance(source, int)
    for name in entries.attribute_names(source) if copy.holds.attributes else ():
        if copy.holds.attribute(name):
            value = os.getxattr(source, name, follow_symlinks=follow)
            os.setxattr(target, name, value, follow_symlinks=follow)


def finish_folder(copy: TreeCopy, path: bytes) -> None:
    """Set a folder's metadata after the content, except flags. Raises OSError."""
    with entries.opened(copy.source, path) as fd, entries.opened(copy.target, path) as new:
        _finish(copy, fd, new)


def _finish(copy: TreeCopy, fd: int, new: int) -> None:
    status = os.fstat(fd)
    if copy.holds.owners:
        os.fchown(new, status.st_uid, status.st_gid)
        os.fchmod(new, stat.S_IMODE(status.st_mode))
    _copy_attributes(copy, fd, new)
    os.utime(new, ns=(status.st_atime_ns, status.st_mtime_ns))


def set_flags(top: int, path: bytes, flags: int) -> None:
    """Set the flags of a file or folder, except those about storage. Raises OSError."""
    with entries.opened(top, path) as fd:
        stored = entries.flags_of(fd) & entries.ABOUT_STORAGE
        fcntl.ioctl(fd, SET_FLAGS, struct.pack("=II", stored | flags, 0))


def restore_top(target: int, top: Top) -> None:
    """Restore owner, mode and attributes of the target's top folder. Raises OSError."""
    os.fchown(target, top.owner, top.group)
    os.fchmod(target, top.mode)
    old = dict(top.attributes)
    for name in entries.attribute_names(target):
        if name not in old:
            os.removexattr(target, name)
    for name, value in old.items():
        if os.getxattr(target, name).hex() != value:
            os.setxattr(target, name, bytes.fromhex(value))
