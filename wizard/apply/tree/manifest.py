"""Manifest of a filesystem: all entries, each file with a digest, for a later comparison.

A manifest is a file of a run: lines of JSON in one gzip. Folders precede their content, and names are sorted
by bytes. So two manifests of any size can be compared line by line. Memory contains one batch and the files
with hard links.
"""

import ctypes
import gzip
import json
import os
import signal
import stat
import struct
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from itertools import islice
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple, NoReturn, TypeVar

from msgspec import Struct

from wizard.apply.run.journal import sync_folder
from wizard.apply.run.process import UNWRITTEN
from wizard.apply.run.progress_log import Tally
from wizard.apply.tree.content import Content, content_of
from wizard.apply.tree.entries import Found, TreeEntry, from_line, look, named, to_line, walk
from wizard.documents.files import UNREADABLE
from wizard.model.errors import BadInput, DiskwrightError, Failed
from wizard.model.said import MIB, Sentence, failing, t

T = TypeVar("T")
R = TypeVar("R")

INCOMPLETE = Sentence("{file} is incomplete.")

WORKERS = 2
SMALLEST_PORTION, MOST_PORTIONS = 16, 1024
"""The most numbers that fit into the smallest pipe."""

SHARED_FROM = 64
"""With fewer pieces of work, extra processes do not pay."""

DIE_WITH_PARENT = 1
"""PR_SET_PDEATHSIG (prctl(2))."""


def share_out(work: Sequence[T], workers: int, do: Callable[[T], R]) -> Generator[R]:
    """Process all work in several processes, roughly in order, and yield the results as they arrive. Raises
    Failed if a process fails or ends unexpectedly.

    Small files are mostly interpreter work, and one interpreter uses one processor.
    """
    portion = max(SMALLEST_PORTION, -(-len(work) // MOST_PORTIONS))
    starts = range(0, len(work), portion)
    task_pipe, task_writer = os.pipe2(os.O_CLOEXEC)
    children: dict[Connection, int] = {}
    try:
        os.write(task_writer, b"".join(struct.pack("=I", start) for start in starts))
        os.close(task_writer)
        for _ in range(min(workers, len(starts))):
            results, sender = Pipe(duplex=False)
            parent, pid = os.getpid(), os.fork()
            if pid == 0:
                for other in (results, *children):
                    other.close()
                _run_worker(
                    parent, task_pipe, sender, lambda start: [*map(do, work[start : start + portion])]
                )
            sender.close()
            children[results] = pid
        while children:
            for ready in wait([*children]):
                assert isinstance(ready, Connection)
                yield from _receive(ready, children)
    finally:
        os.close(task_pipe)
        for results, pid in children.items():
            results.close()
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def _run_worker(parent: int, task_pipe: int, sender: Connection, do: Callable[[int], list[R]]) -> NoReturn:
    """Run as the new process. Exits without cleanup of inherited resources."""
    status = 1
    try:
        for number in (signal.SIGPIPE, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL)
        if os.getppid() == parent:
            try:
                while packed := os.read(task_pipe, 4):
                    sender.send(do(struct.unpack("=I", packed)[0]))
            except DiskwrightError as error:
                sender.send(str(error))
            status = 0
    finally:
        os._exit(status)


def _receive(results: Connection, children: dict[Connection, int]) -> Iterator[Any]:
    """Yield the next results of a process, or remove the process if it has ended."""
    try:
        received = results.recv()
    except (EOFError, OSError):
        results.close()
        _, status = os.waitpid(children.pop(results), 0)
        if status:
            raise Failed(t("A process reading files ended unexpectedly.")) from None
        return
    if isinstance(received, str):
        raise Failed(received)
    yield from received


OnBytes = Callable[[int], None]
Read = Callable[[bytes, OnBytes], TreeEntry | None]
"""Reads an entry and reports bytes. Returns None for an entry that changed during this. Raises Failed."""

Inode = tuple[int, int]
"""The filesystem or subvolume of an inode, and the number."""

LARGE_BYTES = 8 * MIB
"""Files of this size are read one by one, each with several threads."""


class TreeLine(NamedTuple):
    """The line of an entry, and the earlier path of a further hard link."""

    path: bytes
    line: bytes
    same_as: bytes = b""


def linked_inode(status: os.stat_result) -> Inode | None:
    """Return the inode of a file with several names, else None."""
    is_linked = status.st_nlink > 1 and not stat.S_ISDIR(status.st_mode)
    return (status.st_dev, status.st_ino) if is_linked else None


def read_batch(
    batch: Sequence[Found],
    linked: dict[Inode, TreeEntry] | None,
    read: Read,
    on_bytes: OnBytes,
    workers: int = WORKERS,
) -> Iterator[TreeLine]:
    """Read a batch in several processes, and yield the lines in order. Folders come first.

    Files with several names are read once and added to `linked`, unless it is None.
    """
    known = {} if linked is None else linked
    inodes = {path: None if linked is None else linked_inode(status) for path, status in batch}
    work: dict[Inode | bytes, Found] = {}
    for path, status in batch:
        if (inode := inodes[path]) is None or inode not in known:
            work.setdefault(inode or path, (path, status))
    lines = dict(_read_all([*work.values()], read, on_bytes, workers))
    for path, inode in inodes.items():
        if line := lines.get(path):
            if inode:
                known[inode] = from_line(line, "entry")
            yield TreeLine(path, line)
        elif inode and (first := known.get(inode)):
            yield TreeLine(path, to_line(first._replace(path=path, same_as=first.path)), first.path)


def _read_all(
    work: Sequence[Found], read: Read, on_bytes: OnBytes, workers: int
) -> Iterator[tuple[bytes, bytes]]:
    """Yield paths and lines. Entries that changed while being read have an empty line."""
    folders, alone, shared = list[bytes](), list[bytes](), list[tuple[int, bytes]]()
    for path, status in work:
        if stat.S_ISDIR(status.st_mode):
            folders.append(path)
        elif len(work) < SHARED_FROM or (stat.S_ISREG(status.st_mode) and status.st_size >= LARGE_BYTES):
            alone.append(path)
        else:
            shared.append((status.st_ino, path))
    for path in (*folders, *alone):
        entry = read(path, on_bytes)
        on_bytes(0)
        yield path, to_line(entry) if entry else b""

    def read_one(path: bytes) -> tuple[bytes, bytes, int]:
        sizes: list[int] = []
        entry = read(path, sizes.append)
        return path, to_line(entry) if entry else b"", sum(sizes)

    # By inode, which is roughly the order on the drive.
    paths = [path for _, path in sorted(shared)]
    with closing(share_out(paths, workers, read_one)) as results:
        for path, line, read_bytes in results:
            on_bytes(read_bytes)
            yield path, line


SCHEMA = "diskwright.manifest/1"
BEFORE, AFTER = "before.manifest", "after.manifest"
"""File names of manifests before and after a run."""

BATCH = 1 << 15
"""Limit for entries in memory."""


class Manifest(Struct, frozen=True):
    """Statistics of a written manifest: entries and seconds."""

    entries: int
    seconds: float


def read_tree(
    top: int,
    on_bytes: OnBytes,
    *,
    workers: int = WORKERS,
    cold: bool = False,
    only: frozenset[bytes] | None = None,
) -> Iterator[bytes]:
    """Yield the lines of all entries below `top` and of itself. Raises Failed, naming the file.

    `cold` reads from the drive instead of the cache. `only` selects names in the top folder.
    """
    linked: dict[Inode, TreeEntry] = {}
    found = walk(top, only)
    while batch := tuple(islice(found, BATCH)):
        for one in read_batch(batch, linked, partial(_read, top, workers, cold), on_bytes, workers):
            yield one.line


def _read(top: int, workers: int, cold: bool, path: bytes, on_bytes: OnBytes) -> TreeEntry:
    def content(fd: int, status: os.stat_result) -> Content:
        if cold:
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        return content_of(fd, status.st_size, workers, on_bytes)

    try:
        return look(top, path, content)
    except OSError as error:
        # Name the file only now: trees have many files.
        raise Failed(UNREADABLE(file=named(path), why=error)) from None


@contextmanager
def open_folder(place: Path) -> Iterator[int]:
    """Open a folder. Raises Failed."""
    with failing(UNREADABLE, file=place):
        fd = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield fd
    finally:
        os.close(fd)


def take_manifest(
    place: Path,
    file: Path,
    *,
    workers: int = WORKERS,
    on_progress: Callable[[float], None] = lambda _share: None,
) -> Manifest:
    """Read everything in the folder `place`, and write a manifest to `file`, atomically. Raises Failed.

    `on_progress` receives the share done of the used space, from 0 to 1.
    """
    begun, tally = monotonic(), Tally()
    with open_folder(place) as top:
        status = os.statvfs(top)
        tally.begin(on_progress, (status.f_blocks - status.f_bfree) * status.f_frsize)
        with failing(UNWRITTEN, file=file):
            entries = write_manifest(file, read_tree(top, tally, workers=workers))
    return Manifest(entries, monotonic() - begun)


def write_manifest(file: Path, lines: Iterable[bytes]) -> int:
    """Write lines of entries as a manifest, atomically, and return their number. Raises OSError."""
    new = file.with_name(f"{file.name}.new")
    count = 0
    try:
        fd = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(fd, "wb") as raw:
            with gzip.GzipFile("", "wb", compresslevel=1, fileobj=raw, mtime=0) as packed:
                packed.write(_json({"schema": SCHEMA}))
                for line in lines:
                    packed.write(line + b"\n")
                    count += 1
                packed.write(_json({"entries": count}))
            raw.flush()
            os.fsync(fd)
        new.replace(file)
        sync_folder(file.parent)
    finally:
        with suppress(OSError):
            new.unlink()
    return count


def manifest_lines(file: Path) -> Iterator[bytes]:
    """Yield the lines of a manifest, one per entry, in order. Raises BadInput if it is incomplete or
    invalid."""
    try:
        with gzip.open(file, "rb") as lines:
            if next(lines, b"") != _json({"schema": SCHEMA}):
                raise BadInput(t("{file} is not a manifest that this diskwright supports.", file=file))
            count, held = 0, next(lines, b"")
            for line in lines:
                count += 1
                yield held
                held = line
            if held != _json({"entries": count}):
                raise BadInput(INCOMPLETE(file=file))
    except (OSError, EOFError, zlib.error) as error:
        raise BadInput(UNREADABLE(file=file, why=str(error))) from None


def _json(value: Mapping[str, object]) -> bytes:
    return json.dumps(value).encode() + b"\n"
