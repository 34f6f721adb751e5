"""Scripts of file operations, one per thread, with their totals. All random choices are made in advance. A
running script is a list of steps, without choices or clock."""

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
"""Modification time of copied files: 1 January 2010."""

Pieces = Sequence[memoryview]
"""Contents of a file, one write(2) each."""


class ScriptAccess(NamedTuple):
    """An access inside an open file. Writes `piece` at `offset`, or reads if it is None."""

    offset: int
    piece: memoryview | None


def make_folder(name: str, root: int) -> None:
    """Create an empty folder."""
    os.mkdir(name, dir_fd=root)


def remove_folder(name: str, root: int) -> None:
    """Remove an empty folder."""
    os.rmdir(name, dir_fd=root)


def sync_folder(name: str, root: int) -> None:
    """Wait until renames in the folder are durable."""
    folder = os.open(name, READ | os.O_DIRECTORY, dir_fd=root)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def write(name: str, flags: int, pieces: Pieces, sync: bool, root: int) -> None:
    """Open a file, write, and close it. With `sync`, wait until the data is durable."""
    file = os.open(name, flags, 0o644, dir_fd=root)
    try:
        for piece in pieces:
            _write_all(file, piece)
        if sync:
            os.fsync(file)
    finally:
        os.close(file)


def read(name: str, size_bytes: int, buffer: memoryview, root: int) -> None:
    """Read a whole file. Raises OSError if its size is wrong."""
    into, left = [buffer], size_bytes
    file = os.open(name, READ, dir_fd=root)
    try:
        while got := os.readv(file, into):
            left -= got
    finally:
        os.close(file)
    _expect_end(name, left)


def copy(source: str, target: str, flags: int, size_bytes: int, buffer: memoryview, root: int) -> None:
    """Copy a file with read and write, as programs did before filesystems could share blocks."""
    into, left = [buffer], size_bytes
    file = os.open(source, READ, dir_fd=root)
    try:
        output = os.open(target, flags, 0o644, dir_fd=root)
        try:
            while got := os.readv(file, into):
                _write_all(output, buffer[:got])
                left -= got
        finally:
            os.close(output)
    finally:
        os.close(file)
    _expect_end(source, left)


def access(name: str, moves: Sequence[ScriptAccess], sync: bool, buffer: memoryview, root: int) -> None:
    """Do the `moves` in an open file, in order. With `sync`, wait for each write."""
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
    """Read a file's size and times."""
    os.stat(name, dir_fd=root)


def date(name: str, root: int) -> None:
    """Set the times of a copied file to those of the original."""
    os.utime(name, ns=(MODIFIED_NS, MODIFIED_NS), dir_fd=root)


def rename(old: str, new: str, root: int) -> None:
    """Replace a file by another."""
    os.replace(old, new, src_dir_fd=root, dst_dir_fd=root)


def delete(name: str, root: int) -> None:
    """Delete a file."""
    os.unlink(name, dir_fd=root)


def _write_all(file: int, piece: memoryview) -> None:
    if os.write(file, piece) != len(piece):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _expect_end(name: str, left: int) -> None:
    if left:
        raise OSError(errno.EIO, os.strerror(errno.EIO), name)


Step = Callable[[int], None]


class Draft:
    """Random draws and file sizes while composing a load's scripts."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.contents = Contents(seed)
        self.sizes: dict[str, int] = {}

    def script(self, buffer_bytes: int = CHUNK_BYTES) -> "Script":
        """Return an empty script with a read buffer of this size."""
        return Script(self, buffer_bytes)


class Script:
    """Operations in order, and their totals. Each script has its own read buffer."""

    def __init__(self, draft: Draft, buffer_bytes: int) -> None:
        self.steps: list[Step] = []
        self.files = self.operations = self.read_bytes = self.written_bytes = 0
        self._draft = draft
        self._buffer = memoryview(bytearray(buffer_bytes))

    def make_folder(self, name: str) -> None:
        """Create an empty folder. Folders are not counted."""
        self.steps.append(partial(make_folder, name))

    def remove_folder(self, name: str) -> None:
        """Remove an empty folder."""
        self.steps.append(partial(remove_folder, name))

    def sync_folder(self, name: str) -> None:
        """Wait until renames in the folder are durable."""
        self.steps.append(partial(sync_folder, name))

    def create(
        self, name: str, size_bytes: int, record_bytes: int = CHUNK_BYTES, *, sync: bool = False
    ) -> None:
        """Write a new file in records of this size."""
        self._write(name, NEW, self._draft.contents.take(size_bytes, record_bytes), sync=sync)

    def append(self, name: str, pieces: Pieces, *, sync: bool = False) -> None:
        """Append to a file, creating it if missing."""
        self._write(name, APPEND, pieces, sync=sync)

    def read(self, name: str) -> None:
        """Read a whole file."""
        size_bytes = self._draft.sizes[name]
        self._count(read, name, size_bytes, self._buffer, files=1, read_bytes=size_bytes)

    def copy(self, source: str, target: str, *, append: bool = False) -> None:
        """Copy a file, or append it to another."""
        sizes, flags = self._draft.sizes, APPEND if append else NEW
        size_bytes = sizes[source]
        sizes[target] = sizes.get(target, 0) + size_bytes
        sums = {"files": 1, "read_bytes": size_bytes, "written_bytes": size_bytes}
        self._count(copy, source, target, flags, size_bytes, self._buffer, **sums)

    def access(self, name: str, moves: Sequence[ScriptAccess], *, sync: bool = False) -> None:
        """Read and write inside a file. Reads have the size of the script's buffer."""
        written = sum(len(move.piece) for move in moves if move.piece is not None)
        read = sum(move.piece is None for move in moves) * len(self._buffer)
        self._count(access, name, tuple(moves), sync, self._buffer, written_bytes=written, read_bytes=read)
        self.operations += len(moves) - 1

    def list_folder(self, name: str) -> None:
        """Read all names in a folder. Folders are not counted."""
        self.steps.append(partial(list_folder, name))

    def look(self, name: str) -> None:
        """Read a file's size and times."""
        self._count(look, name, files=1)

    def date(self, name: str) -> None:
        """Set a file's times."""
        self._count(date, name)

    def rename(self, old: str, new: str) -> None:
        """Replace a file by another."""
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
    """Return a phase that runs the scripts in parallel. `amount` defaults to their total."""
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
"""One turn of a thread: uses and updates the list of its files, and creates a file with the given name."""


def crowd(
    draft: Draft, folder: str, *, threads: int, turns: int, files: Sequence[str], turn: Turn
) -> list[Script]:
    """Return scripts that share a folder. Each thread has its own files, so all runs are equal."""
    threads = min(threads, turns, len(files))
    scripts = []
    for thread, mine in enumerate(shares(turns, threads)):
        script, have = draft.script(), list(files[thread::threads])
        for number in range(mine):
            turn(script, have, f"{folder}/t{thread}-{number}")
        scripts.append(script)
    return scripts


def _run_all(lists: Sequence[Sequence[Step]], root: int) -> None:
    with _without_garbage_collection():
        if len(lists) == 1:
            _run(lists[0], root, [])
            return
        failed: list[OSError] = []
        threads = [Thread(target=_run_in_thread, args=(steps, root, failed)) for steps in lists]
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


def _run_in_thread(steps: Sequence[Step], root: int, failed: list[OSError]) -> None:
    """Run steps in a thread. Reports an error to the caller; other threads stop at their next step."""
    try:
        _run(steps, root, failed)
    except OSError as error:
        failed.append(error)


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Disable Python's garbage collection during a measurement."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
