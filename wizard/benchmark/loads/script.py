"""Scripts of file operations, one per thread, with their totals.

All random choices are made in advance. At run time a script is a list and reads no clock.
"""

import errno
import gc
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from random import Random
from threading import Thread
from typing import NamedTuple

from wizard.benchmark.loads.load import CHUNK_BYTES, Contents, LoadPhase, Unit, shares

NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
READ = os.O_RDONLY | os.O_CLOEXEC

MODIFIED_NS = 1_262_304_000_000_000_000
"""The time that files of a copy get: the first of January 2010."""

Pieces = Sequence[memoryview]
"""What goes into a file, a call of write(2) each."""


class ScriptAccess(NamedTuple):
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


def access(name: str, moves: Sequence[ScriptAccess], sync: bool, buffer: memoryview, root: int) -> None:
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


Step = Callable[[int], None]


class Draft:
    """A load in the making: its seed's draws, and the files that the volume will hold by then."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.contents = Contents(seed)
        self.sizes: dict[str, int] = {}

    def script(self, buffer_bytes: int = CHUNK_BYTES) -> "Script":
        """An empty script that reads so much at a time."""
        return Script(self, buffer_bytes)


class Script:
    """Operations in their order, and the sums of them. Each script has a buffer of its own to read into."""

    def __init__(self, draft: Draft, buffer_bytes: int) -> None:
        self.steps: list[Step] = []
        self.files = self.operations = self.read_bytes = self.written_bytes = 0
        self._draft = draft
        self._buffer = memoryview(bytearray(buffer_bytes))

    def make_folder(self, name: str) -> None:
        """An empty folder; folders are not counted."""
        self.steps.append(partial(make_folder, name))

    def remove_folder(self, name: str) -> None:
        """Remove an empty folder."""
        self.steps.append(partial(remove_folder, name))

    def sync_folder(self, name: str) -> None:
        """Wait for what was renamed in it."""
        self.steps.append(partial(sync_folder, name))

    def create(
        self, name: str, size_bytes: int, record_bytes: int = CHUNK_BYTES, *, sync: bool = False
    ) -> None:
        """Write a new file, so much at a time."""
        self._write(name, NEW, self._draft.contents.take(size_bytes, record_bytes), sync=sync)

    def append(self, name: str, pieces: Pieces, *, sync: bool = False) -> None:
        """Write at the end of a file, which is made where it is missing."""
        self._write(name, APPEND, pieces, sync=sync)

    def read(self, name: str) -> None:
        """Read all of a file."""
        size_bytes = self._draft.sizes[name]
        self._count(read, name, size_bytes, self._buffer, files=1, read_bytes=size_bytes)

    def copy(self, source: str, target: str, *, append: bool = False) -> None:
        """Copy a file, or add it to the end of another."""
        sizes, flags = self._draft.sizes, APPEND if append else NEW
        size_bytes = sizes[source]
        sizes[target] = sizes.get(target, 0) + size_bytes
        sums = {"files": 1, "read_bytes": size_bytes, "written_bytes": size_bytes}
        self._count(copy, source, target, flags, size_bytes, self._buffer, **sums)

    def access(self, name: str, moves: Sequence[ScriptAccess], *, sync: bool = False) -> None:
        """Read and write within a file; reads take as much as the script reads at a time."""
        written = sum(len(move.piece) for move in moves if move.piece is not None)
        read = sum(move.piece is None for move in moves) * len(self._buffer)
        self._count(access, name, tuple(moves), sync, self._buffer, written_bytes=written, read_bytes=read)
        self.operations += len(moves) - 1

    def list_folder(self, name: str) -> None:
        """Read all names in a folder; folders are not counted."""
        self.steps.append(partial(list_folder, name))

    def look(self, name: str) -> None:
        """Ask for a file's size and times."""
        self._count(look, name, files=1)

    def date(self, name: str) -> None:
        """Set a file's times."""
        self._count(date, name)

    def rename(self, old: str, new: str) -> None:
        """Put a file in the place of another."""
        self._draft.sizes[new] = self._draft.sizes.pop(old)
        self._count(rename, old, new)

    def delete(self, name: str) -> None:
        """Delete a file."""
        del self._draft.sizes[name]
        self._count(delete, name, files=1)

    def _write(self, name: str, flags: int, pieces: Pieces, *, sync: bool) -> None:
        written = sum(map(len, pieces))
        sizes = self._draft.sizes
        sizes[name] = sizes.get(name, 0) + written
        self._count(write, name, flags, pieces, sync, files=1, written_bytes=written)

    def _count(
        self,
        action: Callable[..., None],
        *arguments: object,
        files: int = 0,
        read_bytes: int = 0,
        written_bytes: int = 0,
    ) -> None:
        self.steps.append(partial(action, *arguments))
        self.operations += 1
        self.files += files
        self.read_bytes += read_bytes
        self.written_bytes += written_bytes


def phase(name: str, unit: Unit, *scripts: Script, amount: int | None = None) -> LoadPhase:
    """The scripts run at the same time, and `amount` is all that they do unless another one is given."""
    written = sum(script.written_bytes for script in scripts)
    if amount is None:
        amount = {
            Unit.BYTES: written + sum(script.read_bytes for script in scripts),
            Unit.FILES: sum(script.files for script in scripts),
            Unit.OPERATIONS: sum(script.operations for script in scripts),
        }[unit]
    lists = tuple(tuple(script.steps) for script in scripts)
    return LoadPhase(name, unit, amount, partial(_run_all, lists), writes_bytes=written)


Turn = Callable[[Script, list[str], str], None]
"""One turn of a thread: it uses and keeps up the list of its files, and makes a new one by the name given."""


def crowd(
    draft: Draft, folder: str, *, threads: int, turns: int, files: Sequence[str], turn: Turn
) -> list[Script]:
    """Scripts that share a folder. Each thread keeps to files of its own, so that every run does the same."""
    threads = min(threads, turns, len(files))
    scripts = []
    for thread, mine in enumerate(shares(turns, threads)):
        script, have = draft.script(), list(files[thread::threads])
        for number in range(mine):
            turn(script, have, f"{folder}/t{thread}-{number}")
        scripts.append(script)
    return scripts


def _run_all(lists: Sequence[Sequence[Step]], root: int) -> None:
    with _no_collecting():
        if len(lists) == 1:
            _run(lists[0], root, [])
            return
        failed: list[OSError] = []
        threads = [Thread(target=_run_beside, args=(steps, root, failed)) for steps in lists]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failed:
            raise failed[0]


def _run(steps: Sequence[Step], root: int, failed: list[OSError]) -> None:
    for step in steps:
        if failed:
            return
        step(root)


def _run_beside(steps: Sequence[Step], root: int, failed: list[OSError]) -> None:
    """A failure is handed to whoever waits; the other threads stop at their next operation."""
    try:
        _run(steps, root, failed)
    except OSError as error:
        failed.append(error)


@contextmanager
def _no_collecting() -> Iterator[None]:
    """Python's collector of garbage stays out of the measurement."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
