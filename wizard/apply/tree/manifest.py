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
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from itertools import islice
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import TypeVar

from wizard.apply.run.journal import sync_folder
from wizard.apply.run.process import DAMAGED, UNWRITTEN
from wizard.apply.run.progress_log import Tally
from wizard.apply.tree.content import Content, content_of
from wizard.apply.tree.entries import Found, Pairs, TreeEntry, from_line, look, named, paired, to_line, walk
from wizard.documents.files import UNREADABLE
from wizard.model.errors import BadInput, DiskwrightError, Failed
from wizard.model.said import MIB, Sentence, failing, t

T = TypeVar("T")
R = TypeVar("R")

INCOMPLETE = Sentence("{file} is incomplete.")

WORKERS = 2
PORTION = 16

SHARED_FROM = 64
"""With fewer pieces of work, extra processes do not pay."""

DIE_WITH_PARENT = 1
"""PR_SET_PDEATHSIG (prctl(2))."""


def share_out(work: Sequence[T], workers: int, do: Callable[[T], R]) -> Generator[R]:
    """Process all work in several processes, roughly in order, and yield the results as they arrive. Raises
    Failed if a process fails or ends unexpectedly.

    Small files are mostly interpreter work, and one interpreter uses one processor.
    """
    portions = [work[start : start + PORTION] for start in range(0, len(work), PORTION)]
    context, children = get_context("fork"), dict[Connection, ForkProcess]()
    try:
        for number in range(min(workers, len(portions))):
            results, sender = context.Pipe(duplex=False)
            own = portions[number::workers]
            child = context.Process(target=_run_worker, args=(os.getpid(), sender, do, own))
            child.start()
            sender.close()
            children[results] = child
        while children:
            for ready in wait([*children]):
                assert isinstance(ready, Connection)
                try:
                    received = ready.recv()
                except (EOFError, OSError):
                    ready.close()
                    child = children.pop(ready)
                    child.join()
                    if child.exitcode:
                        raise Failed(t("A process reading files ended unexpectedly.")) from None
                    continue
                if isinstance(received, str):
                    raise Failed(received)
                yield from received
    finally:
        for results, child in children.items():
            results.close()
            child.kill()
            child.join()


def _run_worker(
    parent: int, sender: Connection, do: Callable[[T], object], portions: Sequence[Sequence[T]]
) -> None:
    for number in (signal.SIGPIPE, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL)
    if os.getppid() == parent:
        try:
            for portion in portions:
                sender.send([*map(do, portion)])
        except DiskwrightError as error:
            sender.send(str(error))


OnBytes = Callable[[int], None]
Read = Callable[[bytes, OnBytes], TreeEntry | None]
"""Reads an entry and reports bytes. Returns None for an entry that changed during this. Raises Failed."""

Inode = tuple[int, int]
"""The filesystem or subvolume of an inode, and the number."""

LARGE_BYTES = 8 * MIB
"""Files of this size are read one by one, each with several threads."""


def linked_inode(status: os.stat_result) -> Inode | None:
    """Return the inode of a file with several names, else None."""
    is_linked = status.st_nlink > 1 and not stat.S_ISDIR(status.st_mode)
    return (status.st_dev, status.st_ino) if is_linked else None


def read_batch(
    batch: Sequence[Found],
    linked: dict[Inode, TreeEntry] | None,
    read: Read,
    on_bytes: OnBytes,
) -> Iterator[TreeEntry]:
    """Read a batch in several processes, and yield the entries in order. Folders come first.

    Files with several names are read once and added to `linked`, unless it is None.
    """
    known = {} if linked is None else linked
    inodes = {path: None if linked is None else linked_inode(status) for path, status in batch}
    work: dict[Inode | bytes, Found] = {}
    for path, status in batch:
        if (inode := inodes[path]) is None or inode not in known:
            work.setdefault(inode or path, (path, status))
    entries = dict(_read_all([*work.values()], read, on_bytes))
    for path, inode in inodes.items():
        if entry := entries.get(path):
            if inode:
                known[inode] = entry
            yield entry
        elif inode and (first := known.get(inode)):
            yield first._replace(path=path, same_as=first.path)


def _read_all(
    work: Sequence[Found], read: Read, on_bytes: OnBytes
) -> Iterator[tuple[bytes, TreeEntry | None]]:
    """Yield paths and entries, None if they changed while being read."""
    folders, alone, shared = list[bytes](), list[bytes](), list[tuple[int, bytes]]()
    for path, status in work:
        if stat.S_ISDIR(status.st_mode):
            folders.append(path)
        elif len(work) < SHARED_FROM or (stat.S_ISREG(status.st_mode) and status.st_size >= LARGE_BYTES):
            alone.append(path)
        else:
            shared.append((status.st_ino, path))
    for path in (*folders, *alone):
        yield path, read(path, on_bytes)
        on_bytes(0)

    def read_one(path: bytes) -> tuple[bytes, TreeEntry | None, int]:
        sizes: list[int] = []
        return path, read(path, sizes.append), sum(sizes)

    # By inode, which is roughly the order on the drive.
    with closing(share_out([path for _, path in sorted(shared)], WORKERS, read_one)) as results:
        for path, entry, read_bytes in results:
            on_bytes(read_bytes)
            yield path, entry


SCHEMA = "diskwright.manifest/1"
BEFORE, AFTER = "before.manifest", "after.manifest"
"""File names of manifests before and after a run."""

BATCH = 1 << 15
"""Limit for entries in memory."""


def read_tree(
    top: int, on_bytes: OnBytes, only: frozenset[bytes] | None = None, *, cold: bool = False
) -> Iterator[TreeEntry]:
    """Yield all entries below `top` and itself. `only` selects names in the top folder. `cold` reads from the
    drive instead of the cache. Raises Failed, naming the file."""
    linked: dict[Inode, TreeEntry] = {}
    found = walk(top, only)
    while batch := tuple(islice(found, BATCH)):
        yield from read_batch(batch, linked, partial(_read, top, cold), on_bytes)


def _read(top: int, cold: bool, path: bytes, on_bytes: OnBytes) -> TreeEntry:
    def content(fd: int, status: os.stat_result) -> Content:
        if cold:
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        return content_of(
            fd, status.st_size, WORKERS, lambda ranges: on_bytes(sum(one.size_bytes for one in ranges))
        )

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
    on_progress: Callable[[float], None] = lambda _share: None,
) -> int:
    """Read everything in the folder `place`, write a manifest to `file`, atomically, and return the number of
    entries. Raises Failed.

    `on_progress` receives the share done of the used space, from 0 to 1.
    """
    with open_folder(place) as top:
        status = os.statvfs(top)
        tally = Tally(on_progress, (status.f_blocks - status.f_bfree) * status.f_frsize)
        with failing(UNWRITTEN, file=file):
            return write_manifest(file, read_tree(top, tally))


def write_manifest(file: Path, entries: Iterable[TreeEntry]) -> int:
    """Write entries as a manifest, atomically, and return their number. Raises OSError."""
    new = file.with_name(f"{file.name}.new")
    count = 0
    try:
        fd = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(fd, "wb") as raw:
            with gzip.GzipFile("", "wb", compresslevel=1, fileobj=raw, mtime=0) as packed:
                packed.write(_json({"schema": SCHEMA}))
                for entry in entries:
                    packed.write(to_line(entry) + b"\n")
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


def changed_entries(before: Path, after: Path) -> Pairs:
    """Pair the entries of two manifests that differ. Raises BadInput."""
    both = f"{before}, {after}"
    for old, new in paired(_lines(before), _lines(after), lambda line: from_line(line, both).path):
        yield from_line(old, both) if old else None, from_line(new, both) if new else None


def manifest_entries(file: Path) -> Iterator[TreeEntry]:
    """Yield the entries of a manifest, in order. Raises BadInput if it is incomplete or
    invalid."""
    return (from_line(line, str(file)) for line in _lines(file))


def _lines(file: Path) -> Iterator[bytes]:
    try:
        with gzip.open(file, "rb") as lines:
            if next(lines, b"") != _json({"schema": SCHEMA}):
                raise BadInput(DAMAGED(place=file))
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
