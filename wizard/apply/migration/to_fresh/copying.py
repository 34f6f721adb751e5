"""Copying a filesystem's whole content into another one, so that a manifest of both is the same but for
inodes.

No common program does that: cp and rsync give up where a path is longer than the kernel takes, tar leaves
sockets out, cp fills small holes in large files, and all of them lose the flags that chattr(1) sets. Here
every name is reached by descriptors, as a manifest is taken.

A folder gets its owner, permissions, attributes and times when everything is in it; flags come last of all,
since they can forbid the rest.
"""

import errno
import fcntl
import os
import stat
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from wizard.apply.manifest.content import data_ranges
from wizard.apply.manifest.look import (
    ABOUT_STORAGE,
    GET_FLAGS,
    LOST_AND_FOUND,
    TO_READ,
    flags_of,
    folder_of,
    named,
    opened,
    walk,
)
from wizard.apply.migration.to_fresh import words
from wizard.model.errors import Failed
from wizard.model.units import MIB

SET_FLAGS = 0x40086602 if struct.calcsize("l") == 8 else 0x40046602
"""FS_IOC_SETFLAGS (linux/fs.h), whose number tells the size of a long."""

STEP_BYTES = 8 * MIB
TO_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class _Copy:
    """A copy at work: both tops, who hears of bytes, the first names of files that have several, and what is
    to be done at the end."""

    source: int
    target: int
    on_bytes: Callable[[int], None]
    first: dict[int, bytes] = field(default_factory=dict)
    folders: list[bytes] = field(default_factory=list)
    flagged: list[tuple[bytes, int]] = field(default_factory=list)


def copy_tree(source: Path, target: Path, on_bytes: Callable[[int], None]) -> None:
    """Copy everything below `source`, and what it is itself, to the empty folder `target`; its lost+found may
    be there already.

    `on_bytes` hears how many bytes more were copied. Raises Failed, naming the file, where something cannot
    be copied.
    """
    here, there = (os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC) for place in (source, target))
    try:
        copy = _Copy(here, there, on_bytes)
        for path, _ in walk(copy.source):
            with _telling(path):
                _copy_one(copy, path)
        for path in reversed(copy.folders):
            with _telling(path):
                _finish_folder(copy, path)
        for path, flags in copy.flagged:
            with _telling(path):
                _set_flags(copy, path, flags)
    finally:
        os.close(here)
        os.close(there)


@contextmanager
def _telling(path: bytes) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        raise Failed(words.NOT_COPIED(path=named(path), why=why)) from None


def _copy_one(copy: _Copy, path: bytes) -> None:
    with folder_of(copy.source, path) as (here, name), folder_of(copy.target, path) as (there, _):
        status = os.stat(name, dir_fd=here, follow_symlinks=False)
        if stat.S_ISDIR(status.st_mode):
            if path:
                _make_folder(path, name, there)
            copy.folders.append(path)
            return
        if status.st_nlink > 1 and (first := copy.first.setdefault(status.st_ino, path)) != path:
            _link(copy, first, name, there)
        elif stat.S_ISREG(status.st_mode):
            _copy_file(copy, path, name, (here, there), status)
        else:
            _make_other(name, (here, there), status)


def _make_folder(path: bytes, name: bytes, there: int) -> None:
    try:
        os.mkdir(name, 0o700, dir_fd=there)
    except FileExistsError:
        if path != LOST_AND_FOUND:
            raise


def _link(copy: _Copy, first: bytes, name: bytes, there: int) -> None:
    with folder_of(copy.target, first) as (folder, first_name):
        os.link(first_name, name, src_dir_fd=folder, dst_dir_fd=there, follow_symlinks=False)


def _copy_file(
    copy: _Copy, path: bytes, name: bytes, folders: tuple[int, int], status: os.stat_result
) -> None:
    with opened(folders[0], name, TO_READ) as fd, opened(folders[1], name, TO_WRITE) as new:
        _copy_content(fd, new, status.st_size, copy.on_bytes)
        _finish(copy, path, fd, new)


def _copy_content(fd: int, new: int, size_bytes: int, on_bytes: Callable[[int], None]) -> None:
    """Only where there are data: holes stay holes."""
    for start, end in data_ranges(fd, size_bytes):
        os.lseek(new, start, os.SEEK_SET)
        while start < end:
            got = os.sendfile(new, fd, start, min(STEP_BYTES, end - start))
            if not got:
                raise OSError(errno.EIO, str(words.SHORTER()))
            start += got
            on_bytes(got)
    os.ftruncate(new, size_bytes)


def _make_other(name: bytes, folders: tuple[int, int], status: os.stat_result) -> None:
    """A symbolic link, a pipe, a socket or a device."""
    here, there = folders
    if stat.S_ISLNK(status.st_mode):
        os.symlink(os.readlink(name, dir_fd=here), name, dir_fd=there)
    else:
        os.mknod(name, status.st_mode, status.st_rdev, dir_fd=there)
    os.chown(name, status.st_uid, status.st_gid, dir_fd=there, follow_symlinks=False)
    if not stat.S_ISLNK(status.st_mode):
        # What is not a link is not followed either.
        os.chmod(name, stat.S_IMODE(status.st_mode), dir_fd=there)
    _copy_attributes(*(b"/proc/self/fd/%d/%s" % (folder, name) for folder in folders))
    os.utime(name, ns=(status.st_atime_ns, status.st_mtime_ns), dir_fd=there, follow_symlinks=False)


def _copy_attributes(source: int | bytes, target: int | bytes) -> None:
    """All extended attributes, ACLs among them, after owner and permissions, which take some of them away."""
    follow = isinstance(source, int)
    for name in os.listxattr(source, follow_symlinks=follow):
        os.setxattr(target, name, os.getxattr(source, name, follow_symlinks=follow), follow_symlinks=follow)


def _finish_folder(copy: _Copy, path: bytes) -> None:
    with opened(copy.source, path, TO_READ) as fd, opened(copy.target, path, TO_READ) as new:
        _finish(copy, path, fd, new)


def _finish(copy: _Copy, path: bytes, fd: int, new: int) -> None:
    """Owner, permissions, attributes and times of a file or folder whose content is there."""
    status = os.fstat(fd)
    os.fchown(new, status.st_uid, status.st_gid)
    os.fchmod(new, stat.S_IMODE(status.st_mode))
    _copy_attributes(fd, new)
    os.utime(new, ns=(status.st_atime_ns, status.st_mtime_ns))
    if flags := flags_of(fd):
        copy.flagged.append((path, flags))


def _set_flags(copy: _Copy, path: bytes, flags: int) -> None:
    with opened(copy.target, path, TO_READ) as fd:
        buffer = bytearray(8)
        fcntl.ioctl(fd, GET_FLAGS, buffer)
        stored = struct.unpack_from("=I", buffer)[0] & ABOUT_STORAGE
        fcntl.ioctl(fd, SET_FLAGS, struct.pack("=II", stored | flags, 0))
