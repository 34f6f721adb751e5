"""What a load does to files. Each operation is relative to a folder's descriptor, and draws nothing itself.

The last argument is always that descriptor, so that `partial` makes an operation ready. All raise OSError.
"""

import errno
import os
from collections.abc import Sequence
from typing import NamedTuple

NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
READ = os.O_RDONLY | os.O_CLOEXEC

MODIFIED_NS = 1_262_304_000_000_000_000
"""The time that files of a copy get: the first of January 2010."""

Pieces = Sequence[memoryview]
"""What goes into a file, a call of write(2) each."""


class Move(NamedTuple):
    """One access within an open file: what is written at this place, or None where it is read."""

    offset: int
    piece: memoryview | None


def make_folder(name: str, root: int) -> None:
    """An empty folder."""
    os.mkdir(name, dir_fd=root)


def remove_folder(name: str, root: int) -> None:
    """Remove an empty folder."""
    os.rmdir(name, dir_fd=root)


def sync_folder(name: str, root: int) -> None:
    """Wait until what was renamed in the folder lies on the drive."""
    folder = os.open(name, READ | os.O_DIRECTORY, dir_fd=root)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def write(name: str, flags: int, pieces: Pieces, sync: bool, root: int) -> None:
    """Open a file, write, and close it; with `sync` it lies on the drive before that."""
    file = os.open(name, flags, 0o644, dir_fd=root)
    try:
        for piece in pieces:
            _put(file, piece)
        if sync:
            os.fsync(file)
    finally:
        os.close(file)


def read(name: str, size_bytes: int, buffer: memoryview, root: int) -> None:
    """Read a file from its beginning to its end, which has to be where the load put it."""
    into, left = [buffer], size_bytes
    file = os.open(name, READ, dir_fd=root)
    try:
        while got := os.readv(file, into):
            left -= got
    finally:
        os.close(file)
    _expect_end(name, left)


def copy(source: str, target: str, flags: int, size_bytes: int, buffer: memoryview, root: int) -> None:
    """Copy a file by reading and writing, as programs did before filesystems could share blocks."""
    into, left = [buffer], size_bytes
    file = os.open(source, READ, dir_fd=root)
    try:
        other = os.open(target, flags, 0o644, dir_fd=root)
        try:
            while got := os.readv(file, into):
                _put(other, buffer[:got])
                left -= got
        finally:
            os.close(other)
    finally:
        os.close(file)
    _expect_end(source, left)


def access(name: str, moves: Sequence[Move], sync: bool, buffer: memoryview, root: int) -> None:
    """Go through an open file in the order of `moves`; with `sync` each write is waited for."""
    into, size_bytes = [buffer], len(buffer)
    file = os.open(name, os.O_RDWR | os.O_CLOEXEC, dir_fd=root)
    try:
        for offset, piece in moves:
            if piece is None:
                _expect_end(name, size_bytes - os.preadv(file, into, offset))
                continue
            if os.pwrite(file, piece, offset) != len(piece):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), name)
            if sync:
                os.fdatasync(file)
    finally:
        os.close(file)


def list_folder(name: str, root: int) -> None:
    """Read all names in a folder."""
    folder = os.open(name, READ | os.O_DIRECTORY, dir_fd=root)
    try:
        with os.scandir(folder) as entries:
            for _ in entries:
                pass
    finally:
        os.close(folder)


def look(name: str, root: int) -> None:
    """Ask for size and times."""
    os.stat(name, dir_fd=root)


def date(name: str, root: int) -> None:
    """Give the file the times of the one that it is a copy of."""
    os.utime(name, ns=(MODIFIED_NS, MODIFIED_NS), dir_fd=root)


def rename(old: str, new: str, root: int) -> None:
    """Put a file in the place of another."""
    os.replace(old, new, src_dir_fd=root, dst_dir_fd=root)


def delete(name: str, root: int) -> None:
    """Delete a file."""
    os.unlink(name, dir_fd=root)


def _put(file: int, piece: memoryview) -> None:
    if os.write(file, piece) != len(piece):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _expect_end(name: str, left: int) -> None:
    if left:
        raise OSError(errno.EIO, os.strerror(errno.EIO), name)
