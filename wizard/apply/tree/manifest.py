"""Manifest of a filesystem: all entries, each file with a digest, for a later comparison.

A manifest is a file of a run: lines of JSON in one gzip. Folders precede their content, and names are sorted
by bytes. So two manifests of any size can be compared line by line. Several processes read files in inode
order, which is roughly block order on an ext filesystem. Memory contains one batch and the files with hard
links.
"""

import errno
import gzip
import json
import os
import signal
import struct
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from time import monotonic
from typing import NoReturn, TypeVar

from wizard.apply.run.journal import sync_folder
from wizard.apply.tree import mount_read_only
from wizard.apply.tree.entry import (
    GONE,
    EntryKind,
    Found,
    Inode,
    TreeEntry,
    from_line,
    look,
    named,
    to_line,
    walk,
)
from wizard.model.errors import BadInput, DiskwrightError, Failed
from wizard.model.said import MIB, t

T = TypeVar("T")

SMALLEST_PORTION, MOST_PORTIONS = 16, 1024
"""The most numbers that fit into the smallest pipe."""

FAULT = b"!"
"""Prefix of a line with the error that ended a process."""

Say = Callable[[bytes], None]
"""Sends a line, without line end."""


def share_out(work: Sequence[T], workers: int, do: Callable[[T, Say], None]) -> Generator[bytes]:
    """Process all work in several processes, roughly in order, and yield their lines as they arrive. Raises
    Failed if one of them fails or ends unexpectedly."""
    portion = max(SMALLEST_PORTION, -(-len(work) // MOST_PORTIONS))
    starts = range(0, len(work), portion)
    task_pipe, task_writer = os.pipe2(os.O_CLOEXEC)
    children: dict[int, int] = {}
    try:
        os.write(task_writer, b"".join(struct.pack("=I", start) for start in starts))
        os.close(task_writer)
        for _ in range(min(workers, len(starts))):
            lines, pid = _fork(
                task_pipe,
                tuple(children),
                lambda start, say: _do_portion(work[start : start + portion], do, say),
            )
            children[lines] = pid
        yield from _lines(children)
    finally:
        os.close(task_pipe)
        for lines, pid in children.items():
            os.close(lines)
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def _do_portion(portion: Sequence[T], do: Callable[[T, Say], None], say: Say) -> None:
    for piece in portion:
        do(piece, say)


def _fork(task_pipe: int, others: Sequence[int], do: Callable[[int, Say], None]) -> tuple[int, int]:
    """Start a process, and return the descriptor of its lines and its ID."""
    lines, line_pipe = os.pipe2(os.O_CLOEXEC)
    pid = os.fork()
    if pid == 0:
        for end in (lines, *others):
            os.close(end)
        _run_worker(task_pipe, line_pipe, do)
    os.close(line_pipe)
    return lines, pid


def _run_worker(task_pipe: int, line_pipe: int, do: Callable[[int, Say], None]) -> NoReturn:
    """Run as the new process. Exits without cleanup of inherited resources."""
    status = 1
    try:
        for number in (signal.SIGPIPE, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        with os.fdopen(line_pipe, "wb", buffering=1 << 16) as out:
            try:
                while packed := os.read(task_pipe, 4):
                    do(struct.unpack("=I", packed)[0], lambda line: _say(out.write, line))
                    out.flush()
            except DiskwrightError as error:
                _say(out.write, FAULT + str(error).encode(errors="surrogateescape"))
        status = 0
    finally:
        os._exit(status)


def _say(write: Callable[[bytes], int], line: bytes) -> None:
    write(line + b"\n")


def _lines(children: dict[int, int]) -> Iterator[bytes]:
    """Yield complete lines of all processes until they end, and remove ended ones."""
    held = dict.fromkeys(children, b"")
    with DefaultSelector() as selector:
        for lines in children:
            selector.register(lines, EVENT_READ)
        while held:
            for key, _ in selector.select():
                got = os.read(key.fd, 1 << 16)
                if not got:
                    selector.unregister(key.fd)
                    del held[key.fd]
                    _reap(key.fd, children)
                    continue
                *whole, held[key.fd] = (held[key.fd] + got).split(b"\n")
                for line in whole:
                    if line.startswith(FAULT):
                        raise Failed(line.removeprefix(FAULT).decode(errors="surrogateescape"))
                    yield line


def _reap(lines: int, children: dict[int, int]) -> None:
    os.close(lines)
    _, status = os.waitpid(children.pop(lines), 0)
    if status:
        raise Failed(t("A process reading files ended unexpectedly."))


SCHEMA = "diskwright.manifest/1"
BEFORE, AFTER = "before.manifest", "after.manifest"
"""File names of manifests before and after a run."""

BATCH = 1 << 15
"""Limit for entries in memory."""

TRIES = 3

REPORT_SECONDS = 0.2

SAID_BYTES = 64 * MIB
"""Interval in bytes for progress within a large file."""

MORE = b"+"
"""Prefix of a line with the number of bytes read."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """Statistics of a written manifest: entries, bytes read, and seconds."""

    entries: int
    read_bytes: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Reading:
    """How to read files: the number of processes (`workers`), and from the drive instead of the cache if
    `cold`. With `changing`, files deleted in the meantime are skipped. `only` selects names in the top
    folder.

    Without `content`, files are not read and have no digest; progress counts entries instead of bytes.
    """

    workers: int = 2
    cold: bool = False
    changing: bool = False
    only: frozenset[bytes] | None = None
    content: bool = True


def take_manifest(
    place: Path,
    file: Path,
    *,
    workers: int = 2,
    on_progress: Callable[[float], None] = lambda _share: None,
    reading: Reading | None = None,
    total_bytes: int | None = None,
) -> Manifest:
    """Read everything in the folder `place`, and write a manifest to `file`, atomically. Raises Failed,
    naming the file.

    `on_progress` receives the share done of `total_bytes`, or of the used space, from 0 to 1.
    """
    begun, how = monotonic(), reading or Reading(workers)
    try:
        top = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise Failed(mount_read_only.NOT_READ(path=str(place), why=str(error.strerror))) from None
    meter = _Meter(_used_bytes(place) if total_bytes is None else total_bytes, on_progress)
    try:
        count = write_manifest(file, _entries(top, how, meter))
    except OSError as error:
        raise Failed(mount_read_only.NOT_WRITTEN(file=str(file), why=str(error.strerror))) from None
    finally:
        os.close(top)
    return Manifest(count, meter.done, monotonic() - begun)


def write_manifest(file: Path, lines: Iterable[bytes]) -> int:
    """Write lines of entries as a manifest, atomically, and return their number. Raises OSError."""
    new = file.with_name(f"{file.name}.new")
    count = 0
    try:
        with _written(new) as write:
            write(_json({"schema": SCHEMA}))
            for line in lines:
                write(line + b"\n")
                count += 1
            write(_json({"entries": count}))
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
                raise BadInput(t("{file} is not a manifest that this diskwright supports.", file=str(file)))
            count, held = 0, next(lines, b"")
            for line in lines:
                count += 1
                yield held
                held = line
            if held != _json({"entries": count}):
                raise BadInput(t("{file} is incomplete.", file=str(file)))
    except (OSError, EOFError, zlib.error) as error:
        raise BadInput(mount_read_only.NOT_READ(path=str(file), why=str(error))) from None


class _Meter:
    """Count bytes read, and report the share of an expected total, at limited intervals."""

    def __init__(self, total: int, on_progress: Callable[[float], None]) -> None:
        self.done = 0
        self._total = max(total, 1)
        self._on_progress = on_progress
        self._next = 0.0

    def add(self, read_bytes: int) -> None:
        """Count more bytes."""
        self.done += read_bytes
        if monotonic() >= self._next:
            self._next = monotonic() + REPORT_SECONDS
            self._on_progress(min(self.done / self._total, 1.0))


def _used_bytes(top: Path) -> int:
    """Return the used bytes of a folder's filesystem."""
    status = os.statvfs(top)
    return (status.f_blocks - status.f_bfree) * status.f_frsize


def _json(value: Mapping[str, object]) -> bytes:
    return json.dumps(value).encode() + b"\n"


@contextmanager
def _written(file: Path) -> Iterator[Callable[[bytes], int]]:
    """Create a compressed file, and sync it at the end."""
    fd = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(fd, "wb") as raw:
        with gzip.GzipFile("", "wb", compresslevel=1, fileobj=raw, mtime=0) as packed:
            yield packed.write
        raw.flush()
        os.fsync(raw.fileno())


def _entries(top: int, how: Reading, meter: _Meter) -> Iterator[bytes]:
    """Yield the lines of all entries below `top` and of itself, in the manifest's order."""
    linked: dict[Inode, TreeEntry] = {}
    found = walk(top, how.only, changing=how.changing)
    while batch := tuple(islice(found, BATCH)):
        batch_lines = _read_batch(top, batch, linked, how, meter)
        for number, (path, inode, is_folder) in enumerate(batch):
            line = batch_lines.get(number)
            if line is None and not is_folder and inode in linked:
                line = to_line(replace(linked[inode], path=path, same_as=linked[inode].path))
            if line is not None:
                yield line


def _read_batch(
    top: int, batch: Sequence[Found], linked: dict[Inode, TreeEntry], how: Reading, meter: _Meter
) -> dict[int, bytes]:
    """Read a batch, and return lines by number. Files with several names are read once and added to
    `linked`."""
    # Folders have one name. The number listed for a Btrfs subvolume can be the same as another file's.
    first = {
        (inode, number if is_folder else -1): number
        for number, (_, inode, is_folder) in reversed([*enumerate(batch)])
        if is_folder or inode not in linked
    }
    work = [(number, batch[number][0]) for _, number in sorted(first.items())]

    lines, gone = {}, set()
    for message in share_out(work, how.workers, partial(_send_entry, top, how)):
        if message.startswith(MORE):
            meter.add(int(message[1:]))
            continue
        text, has_links, unreported, line = message.split(b" ", 3)
        number = int(text)
        meter.add(int(unreported))
        if not line:
            gone.add(number)
            continue
        lines[number] = line
        if int(has_links):
            linked[batch[number][1]] = from_line(line, t("A newly read entry"))
    known = gone | lines.keys()
    if missing := next((path for number, path in work if number not in known), None):
        raise Failed(t("{path} was not read.", path=named(missing)))
    return lines


def _send_entry(top: int, how: Reading, piece: tuple[int, bytes], say: Say) -> None:
    """Read an entry and send the result: its number, 1 if it has several names, bytes read but not reported
    yet, and its line, empty if it was deleted. Raises Failed."""
    number, path = piece
    unreported = 0 if how.content else 1

    def count(more: int) -> None:
        nonlocal unreported
        unreported += more
        if unreported >= SAID_BYTES:
            say(MORE + b"%d" % unreported)
            unreported = 0

    try:
        entry = _read_entry(top, path, how, count)
    except OSError as error:
        raise Failed(mount_read_only.NOT_READ(path=named(path), why=error.strerror or str(error))) from None
    has_links = entry is not None and entry.kind is not EntryKind.FOLDER and entry.links > 1
    say(b"%d %d %d %s" % (number, has_links, unreported, to_line(entry) if entry else b""))


def _read_entry(top: int, path: bytes, how: Reading, on_bytes: Callable[[int], None]) -> TreeEntry | None:
    """Read an entry, or return None if it was deleted in the meantime and that is allowed. Raises OSError."""
    for attempt in range(TRIES):
        try:
            return look(top, path, how.workers, on_bytes, cold=how.cold, content=how.content)
        except OSError as error:
            if how.changing and error.errno in GONE:
                return None
            # Retry if the file became shorter while reading.
            if not how.changing or error.errno != errno.EIO or attempt == TRIES - 1:
                raise
    return None
