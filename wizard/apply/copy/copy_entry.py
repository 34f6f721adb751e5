"""Copy one entry with all metadata, so that both manifests differ only in inodes.

No common tool does this. cp and rsync fail on paths longer than the kernel's limit, tar omits sockets, and
all lose the flags of chattr(1).

Everything but folders is copied to a temporary name in the same folder. So every entry with a final name is
complete. A folder gets owner, permissions, attributes and times after the content. Flags come last, since
they can forbid the rest.
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
from hashlib import blake2b
from typing import TypeVar

from msgspec import Struct

from wizard.apply.tree import entries
from wizard.apply.tree.content import SHORTER, Content, content_of
from wizard.filesystems.kind import Holds
from wizard.model.errors import Failed
from wizard.model.machine import Extent
from wizard.model.said import MIB, Sentence
from wizard.operations.mounts import Top

T = TypeVar("T")

NOT_COPIED = Sentence("Cannot copy {file}: {why}.")

SET_FLAGS = 0x40086602 if struct.calcsize("l") == 8 else 0x40046602
"""FS_IOC_SETFLAGS (linux/fs.h), which encodes the size of a long."""

RENAME_NOREPLACE = 1
"""Fail if the new name exists (renameat2(2))."""

LIBRARY = ctypes.CDLL(None, use_errno=True)

STEP_BYTES = 8 * MIB
TO_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class TreeCopy(Struct, frozen=True):
    """A copy between two open folders. `holds`: capabilities of the target. `key` makes temporary names
    unique to the run."""

    source: int
    target: int
    holds: Holds
    key: bytes

    def temporary(self, path: bytes) -> bytes:
        """Return the temporary name of an entry, in the same folder."""
        above, slash, _ = path.rpartition(b"/")
        digest = blake2b(path, digest_size=8, key=self.key[:64]).hexdigest()
        return above + slash + b".diskwright-" + digest.encode()


@contextmanager
def telling(path: bytes, fault: Sentence = NOT_COPIED) -> Iterator[None]:
    """Convert an OSError to Failed with the file's name, formatted only then: trees have many files."""
    try:
        yield
    except OSError as error:
        raise Failed(fault(file=entries.named(path), why=error)) from None


def copy_entry(copy: TreeCopy, path: bytes, on_bytes: Callable[[int], None]) -> entries.TreeEntry:
    """Copy an entry to a temporary name, without flags, and return the entry as read. The top folder is only
    read, and other folders are created by `make_folder`. Raises OSError."""
    temporary = copy.temporary(path)

    def fill(fd: int, status: os.stat_result) -> Content:
        remove_name(copy.target, temporary)
        with entries.opened(copy.target, temporary, TO_WRITE) as new:
            content = content_of(fd, status.st_size, 1, partial(_copy_ranges, fd, new, on_bytes))
            os.ftruncate(new, status.st_size)
            _finish(copy, fd, new)
        return content

    entry = entries.look(copy.source, path, fill)
    if entry.kind not in (entries.EntryKind.FILE, entries.EntryKind.FOLDER) and copy.holds.links:
        remove_name(copy.target, temporary)
        _make_other(copy, path, temporary)
    return entry


def make_folder(copy: TreeCopy, path: bytes, *, again: bool) -> None:
    """Create a folder that only root can use. With `again`, it may exist. Raises OSError."""
    with entries.folder_of(copy.target, path) as (there, name):
        try:
            os.mkdir(name, 0o700, dir_fd=there)
        except FileExistsError:
            is_folder = stat.S_ISDIR(os.stat(name, dir_fd=there, follow_symlinks=False).st_mode)
            if path != entries.LOST_AND_FOUND and not (again and is_folder):
                raise


def make_link(copy: TreeCopy, first: bytes, path: bytes) -> None:
    """Create a hard link to an earlier copied path, under a temporary name. Raises OSError."""
    remove_name(copy.target, copy.temporary(path))
    for name in (copy.temporary(first), first):
        with (
            suppress(FileNotFoundError),
            entries.folder_of(copy.target, name) as (above, old),
            entries.folder_of(copy.target, copy.temporary(path)) as (folder, new),
        ):
            os.link(old, new, src_dir_fd=above, dst_dir_fd=folder, follow_symlinks=False)
            return
    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))


def give_name(copy: TreeCopy, path: bytes, *, replace: bool = False) -> None:
    """Rename a temporary file to the final name. Unless `replace`, this name must be free. Raises OSError."""
    with (
        entries.folder_of(copy.target, copy.temporary(path)) as (above, old),
        entries.folder_of(copy.target, path) as (folder, new),
    ):
        if not replace and LIBRARY.renameat2(above, old, folder, new, RENAME_NOREPLACE) == 0:
            return
        number = 0 if replace else ctypes.get_errno()
        if number == errno.EINVAL:
            # Some FUSE programs, such as ntfs-3g, do not know the flag.
            number = 0 if status_of(folder, new) is None else errno.EEXIST
        if number:
            raise OSError(number, os.strerror(number))
        os.rename(old, new, src_dir_fd=above, dst_dir_fd=folder)


def status_of(top: int, path: bytes) -> os.stat_result | None:
    """Return the status of an entry, or None if it is gone. Raises OSError."""
    try:
        return entries.status_at(top, path)
    except entries.GONE:
        return None


def remove_name(top: int, path: bytes) -> None:
    """Remove a file, even if flags forbid it, and ignore a missing one. Raises OSError."""
    with entries.folder_of(top, path) as (folder, name), suppress(FileNotFoundError):
        without_flags(folder, name, partial(os.unlink, name, dir_fd=folder))


def remove_entry(top: int, path: bytes) -> bool:
    """Remove a file, or a folder if empty. Return True if the entry is gone. Raises OSError."""
    try:
        if not stat.S_ISDIR(entries.status_at(top, path).st_mode):
            remove_name(top, path)
            return True
        with entries.folder_of(top, path) as (folder, name):
            without_flags(folder, name, partial(os.rmdir, name, dir_fd=folder))
    except entries.GONE:
        return True
    except OSError as error:
        if error.errno != errno.ENOTEMPTY:
            raise
        return False
    return True


def free(top: int, path: bytes) -> None:
    """Clear the flags of a file or folder, and of its parent folder. Raises OSError."""
    for one in (path.rpartition(b"/")[0], path):
        with suppress(FileNotFoundError):
            mode = entries.status_at(top, one).st_mode
            if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
                set_flags(top, one, 0)


def without_flags(top: int, path: bytes, work: Callable[[], T]) -> T:
    """Run `work`. If flags set by an earlier attempt forbid that, clear them and retry."""
    try:
        return work()
    except PermissionError:
        free(top, path)
        return work()


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


def _make_other(copy: TreeCopy, path: bytes, temporary: bytes) -> None:
    with (
        entries.folder_of(copy.source, path) as (here, name),
        entries.folder_of(copy.target, temporary) as (there, new),
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
    changing them removes some. An ACL inherited from the target folder is removed."""
    follow = isinstance(source, int)
    names = entries.attribute_names(source) if copy.holds.attributes else ()
    for name in entries.attribute_names(target) if copy.holds.attributes else ():
        if name.startswith("system.posix_acl_") and name not in names:
            os.removexattr(target, name, follow_symlinks=follow)
    for name in names:
        if copy.holds.attribute(name):
            value = os.getxattr(source, name, follow_symlinks=follow)
            os.setxattr(target, name, value, follow_symlinks=follow)


def finish_folder(copy: TreeCopy, path: bytes) -> None:
    """Set a folder's metadata after the content, except flags. Raises OSError."""
    with (
        entries.opened(copy.source, path) as fd,
        entries.opened(copy.target, path) as new,
    ):
        without_flags(copy.target, path, partial(_finish, copy, fd, new))


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
