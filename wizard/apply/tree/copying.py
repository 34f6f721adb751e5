"""Copy files with all metadata, so that both manifests differ only in inodes.

No common tool does this. cp and rsync fail on paths longer than the kernel's limit, and tar omits sockets. cp
fills small holes in large files, and all lose the flags of chattr(1). Names are reached by descriptors, as
for a manifest.

A folder gets owner, permissions, attributes and times after its content. Flags come last, since they can
forbid the rest.
"""

import errno
import fcntl
import os
import stat
import struct
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial

from wizard.apply.tree import mount_read_only
from wizard.apply.tree.content import Content, Range, content_beside, data_ranges
from wizard.apply.tree.entry import (
    ABOUT_STORAGE,
    GET_FLAGS,
    LOST_AND_FOUND,
    TO_READ,
    attribute_names,
    flags_of,
    folder_of,
    named,
    opened,
    status_at,
)
from wizard.filesystems.kind import EVERYTHING, Holds
from wizard.model.errors import Failed
from wizard.model.said import MIB, Sentence

NOT_COPIED = Sentence("Cannot copy {path}: {why}.")

SET_FLAGS = 0x40086602 if struct.calcsize("l") == 8 else 0x40046602
"""FS_IOC_SETFLAGS (linux/fs.h), which encodes the size of a long."""

STEP_BYTES = 8 * MIB
TO_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class TreeCopy:
    """A copy in progress: descriptors of both top folders, a progress callback, and what the target can
    store.

    `again` allows replacing files of an earlier attempt. `on_content` receives the content of each file,
    hashed while copying.
    """

    source: int
    target: int
    on_bytes: Callable[[int], None]
    holds: Holds = EVERYTHING
    again: bool = False
    on_content: Callable[[Content], None] | None = None


@contextmanager
def telling(path: bytes, fault: Sentence = NOT_COPIED) -> Iterator[None]:
    """Convert an OSError to Failed with the file's name."""
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        raise Failed(fault(path=named(path), why=why)) from None


def copy_entry(copy: TreeCopy, path: bytes, status: os.stat_result, first: bytes) -> int:
    """Copy an entry. Return the flags of a file, which are not set yet. Folders are only created;
    `finish_folder` sets their metadata. `first` is the earlier path of a hard link, else `path`. Raises
    OSError."""
    with folder_of(copy.source, path) as (here, name), folder_of(copy.target, path) as (there, _):
        if stat.S_ISDIR(status.st_mode):
            if path:
                _make_folder(copy, path, name, there)
            return 0
        if copy.again:
            remove_name(there, name)
        if first != path and copy.holds.links:
            _link(copy, first, name, there)
        elif stat.S_ISREG(status.st_mode):
            return _copy_file(copy, name, (here, there), status)
        elif copy.holds.links:
            _make_other(copy, name, (here, there), status)
    return 0


def _make_folder(copy: TreeCopy, path: bytes, name: bytes, there: int) -> None:
    try:
        os.mkdir(name, 0o700, dir_fd=there)
    except FileExistsError:
        if path == LOST_AND_FOUND:
            return
        if not (copy.again and stat.S_ISDIR(os.stat(name, dir_fd=there, follow_symlinks=False).st_mode)):
            raise


def remove_name(folder: int, name: bytes) -> None:
    """Remove a name, even if flags forbid it, and ignore a missing one. Raises OSError."""
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return
    except PermissionError:
        free(folder, name)
        os.unlink(name, dir_fd=folder)


def free(top: int, path: bytes) -> None:
    """Clear the flags of a file or folder, and of its parent folder. Raises OSError."""
    for one in (path.rpartition(b"/")[0], path):
        with suppress(FileNotFoundError):
            mode = status_at(top, one).st_mode
            if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
                set_flags(top, one, 0)


def _link(copy: TreeCopy, first: bytes, name: bytes, there: int) -> None:
    with folder_of(copy.target, first) as (folder, first_name):
        os.link(first_name, name, src_dir_fd=folder, dst_dir_fd=there, follow_symlinks=False)


def _copy_file(copy: TreeCopy, name: bytes, folders: tuple[int, int], status: os.stat_result) -> int:
    with opened(folders[0], name, TO_READ) as fd, opened(folders[1], name, TO_WRITE) as new:
        try:
            return _fill_file(copy, fd, new, status)
        except OSError:
            # If the source changed during the copy, the incomplete file could not be recognised later.
            os.unlink(name, dir_fd=folders[1])
            raise


def _fill_file(copy: TreeCopy, fd: int, new: int, status: os.stat_result) -> int:
    if copy.on_content is None:
        _copy_ranges(fd, new, copy.on_bytes, data_ranges(fd, status.st_size))
    else:
        copy.on_content(content_beside(fd, status.st_size, partial(_copy_ranges, fd, new, copy.on_bytes)))
    os.ftruncate(new, status.st_size)
    return _finish(copy, fd, new)


def _copy_ranges(fd: int, new: int, on_bytes: Callable[[int], None], ranges: Iterable[Range]) -> None:
    """Copy only data ranges, so holes are preserved."""
    for start, end in ranges:
        os.lseek(new, start, os.SEEK_SET)
        while start < end:
            got = os.sendfile(new, fd, start, min(STEP_BYTES, end - start))
            if not got:
                raise OSError(errno.EIO, str(mount_read_only.SHORTER))
            start += got
            on_bytes(got)


def _make_other(copy: TreeCopy, name: bytes, folders: tuple[int, int], status: os.stat_result) -> None:
    """Copy a symbolic link, pipe, socket or device."""
    here, there = folders
    if stat.S_ISLNK(status.st_mode):
        os.symlink(os.readlink(name, dir_fd=here), name, dir_fd=there)
    else:
        os.mknod(name, status.st_mode, status.st_rdev, dir_fd=there)
    os.chown(name, status.st_uid, status.st_gid, dir_fd=there, follow_symlinks=False)
    if not stat.S_ISLNK(status.st_mode):
        # Not a symbolic link, so chmod cannot follow one.
        os.chmod(name, stat.S_IMODE(status.st_mode), dir_fd=there)
    _copy_attributes(copy, *(b"/proc/self/fd/%d/%s" % (folder, name) for folder in folders))
    os.utime(name, ns=(status.st_atime_ns, status.st_mtime_ns), dir_fd=there, follow_symlinks=False)


def _copy_attributes(copy: TreeCopy, source: int | bytes, target: int | bytes) -> None:
    """Copy all supported extended attributes, including ACLs. Owner and permissions come first, since
    changing them removes some."""
    follow = isinstance(source, int)
    for name in attribute_names(source) if copy.holds.attributes else ():
        if copy.holds.attribute(name):
            value = os.getxattr(source, name, follow_symlinks=follow)
            os.setxattr(target, name, value, follow_symlinks=follow)


def finish_folder(copy: TreeCopy, path: bytes) -> int:
    """Set a folder's metadata after its content, and return its flags, which are not set yet. Raises
    OSError."""
    with opened(copy.source, path, TO_READ) as fd, opened(copy.target, path, TO_READ) as new:
        return _finish(copy, fd, new)


def _finish(copy: TreeCopy, fd: int, new: int) -> int:
    """Set owner, permissions, attributes and times of a file or folder, and return the flags to set later."""
    status = os.fstat(fd)
    if copy.holds.owners:
        os.fchown(new, status.st_uid, status.st_gid)
        os.fchmod(new, stat.S_IMODE(status.st_mode))
    _copy_attributes(copy, fd, new)
    os.utime(new, ns=(status.st_atime_ns, status.st_mtime_ns))
    return flags_of(fd) & copy.holds.flags


def set_flags(top: int, path: bytes, flags: int) -> None:
    """Set the flags of a file or folder, except those about storage. Raises OSError."""
    with opened(top, path, TO_READ) as fd:
        buffer = bytearray(8)
        fcntl.ioctl(fd, GET_FLAGS, buffer)
        stored = struct.unpack_from("=I", buffer)[0] & ABOUT_STORAGE
        fcntl.ioctl(fd, SET_FLAGS, struct.pack("=II", stored | flags, 0))
