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
"""As many numbers as fit into the smallest pipe."""

FAULT = b"!"
"""How a line begins that tells why a process could not go on."""

Say = Callable[[bytes], None]
"""Send a line, without its end."""


def share_out(work: Sequence[T], workers: int, do: Callable[[T, Say], None]) -> Generator[bytes]:
    """Do all of it, in about its order, in so many processes; what they say, as it comes.

    Raises Failed with the sentence where one of them raised an error of ours, and where one ended before its
    time.
    """
    portion = max(SMALLEST_PORTION, -(-len(work) // MOST_PORTIONS))
    starts = range(0, len(work), portion)
    take, give = os.pipe2(os.O_CLOEXEC)
    children: dict[int, int] = {}
    try:
        os.write(give, b"".join(struct.pack("=I", start) for start in starts))
        os.close(give)
        for _ in range(min(workers, len(starts))):
            lines, pid = _fork(
                take, tuple(children), lambda start, say: _do_portion(work[start : start + portion], do, say)
            )
            children[lines] = pid
        yield from _lines(children)
    finally:
        os.close(take)
        for lines, pid in children.items():
            os.close(lines)
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def _do_portion(portion: Sequence[T], do: Callable[[T, Say], None], say: Say) -> None:
    for piece in portion:
        do(piece, say)


def _fork(take: int, others: Sequence[int], do: Callable[[int, Say], None]) -> tuple[int, int]:
    """Where the lines of a new process can be read, and its number."""
    lines, says = os.pipe2(os.O_CLOEXEC)
    pid = os.fork()
    if pid == 0:
        for end in (lines, *others):
            os.close(end)
        _be_worker(take, says, do)
    os.close(says)
    return lines, pid


def _be_worker(take: int, says: int, do: Callable[[int, Say], None]) -> NoReturn:
    """The life of the new process. Nothing of what it inherited is to run at its end."""
    status = 1
    try:
        for number in (signal.SIGPIPE, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        with os.fdopen(says, "wb", buffering=1 << 16) as out:
            try:
                while number_read := os.read(take, 4):
                    do(struct.unpack("=I", number_read)[0], lambda line: _say(out.write, line))
                    out.flush()
            except DiskwrightError as error:
                _say(out.write, FAULT + str(error).encode(errors="surrogateescape"))
        status = 0
    finally:
        os._exit(status)


def _say(write: Callable[[bytes], int], line: bytes) -> None:
    write(line + b"\n")


def _lines(children: dict[int, int]) -> Iterator[bytes]:
    """Whole lines of all of them, until each has ended; ended ones are taken out."""
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
                    _see_off(key.fd, children)
                    continue
                *whole, held[key.fd] = (held[key.fd] + got).split(b"\n")
                for line in whole:
                    if line.startswith(FAULT):
                        raise Failed(line.removeprefix(FAULT).decode(errors="surrogateescape"))
                    yield line


def _see_off(lines: int, children: dict[int, int]) -> None:
    os.close(lines)
    _, status = os.waitpid(children.pop(lines), 0)
    if status:
        raise Failed(t("A process reading files ended unexpectedly."))


SCHEMA = "diskwright.manifest/1"
BEFORE, AFTER = "before.manifest", "after.manifest"
"""What a run calls its manifests of what was there before, and of what is there then."""

BATCH = 1 << 15
"""How many entries are held in memory at a time."""

READ_BYTES_PER_SECOND = {True: 90e6, False: 350e6, None: 120e6}
ENTRIES_PER_SECOND = {True: 700.0, False: 12000.0, None: 1500.0}
"""Guesses of how fast a drive reads that turns, that does not, and that nothing is known of."""

TRIES = 3

REPORT_SECONDS = 0.2

SAID_BYTES = 64 * MIB
"""Of a large file, so many bytes are told before it is read to its end."""

MORE = b"+"
"""How a line begins that tells how many bytes more were read."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """A manifest that was taken: how many entries it has, how many bytes were read for it, and in how many
    seconds."""

    entries: int
    read_bytes: int
    seconds: float


def manifest_seconds(data_bytes: int, entries: int = 0, *, turns: bool | None = None) -> float:
    """A guess at the seconds that a manifest takes of so many bytes and entries on a drive that turns, does
    not, or may."""
    return data_bytes / READ_BYTES_PER_SECOND[turns] + entries / ENTRIES_PER_SECOND[turns]


@dataclass(frozen=True, slots=True)
class Reading:
    """How files are read: by so many `workers`; where `cold`, from the drive and not from memory. Where they
    are `changing`, what was deleted meanwhile is left out. Of the top only the names in `only`, where given.
    Without `content` no file is read: it has no digest, and what counts as done are entries, not bytes.
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
    """Read everything below the folder `place` by so many processes, or in a given way, and write it down in
    `file`, whole or not at all.

    `on_progress` hears which part is done, from 0 to 1, of `total_bytes`, or of all that the filesystem has.
    Raises Failed, naming the file, where something cannot be read.
    """
    begun, how = monotonic(), reading or Reading(workers)
    try:
        top = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise Failed(mount_read_only.NOT_READ(path=str(place), why=str(error.strerror))) from None
    meter = Meter(used_bytes(place) if total_bytes is None else total_bytes, on_progress)
    try:
        count = write_manifest(file, _entries(top, how, meter))
    except OSError as error:
        raise Failed(mount_read_only.NOT_WRITTEN(file=str(file), why=str(error.strerror))) from None
    finally:
        os.close(top)
    return Manifest(count, meter.done, monotonic() - begun)


def write_manifest(file: Path, lines: Iterable[bytes]) -> int:
    """Write entries down as a manifest, whole or not at all; how many they are. Raises OSError."""
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
    """The lines of a manifest, one for each entry, in its order; raises BadInput where it is no whole
    manifest."""
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


class Meter:
    """How much was read, of about how much, told not too often."""

    def __init__(self, total: int, on_progress: Callable[[float], None]) -> None:
        self.done = 0
        self._total = max(total, 1)
        self._on_progress = on_progress
        self._next = 0.0

    def add(self, read_bytes: int) -> None:
        """So many bytes more."""
        self.done += read_bytes
        if monotonic() >= self._next:
            self._next = monotonic() + REPORT_SECONDS
            self._on_progress(min(self.done / self._total, 1.0))


def used_bytes(top: Path) -> int:
    """How much the filesystem that a folder lies on says is used."""
    status = os.statvfs(top)
    return (status.f_blocks - status.f_bfree) * status.f_frsize


def _json(value: Mapping[str, object]) -> bytes:
    return json.dumps(value).encode() + b"\n"


@contextmanager
def _written(file: Path) -> Iterator[Callable[[bytes], int]]:
    """Write a new compressed file, which is on the medium at the end."""
    fd = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(fd, "wb") as raw:
        with gzip.GzipFile("", "wb", compresslevel=1, fileobj=raw, mtime=0) as packed:
            yield packed.write
        raw.flush()
        os.fsync(raw.fileno())


def _entries(top: int, how: Reading, meter: Meter) -> Iterator[bytes]:
    """A line for everything below `top` and for itself, in the manifest's order."""
    linked: dict[Inode, TreeEntry] = {}
    found = walk(top, how.only, changing=how.changing)
    while batch := tuple(islice(found, BATCH)):
        looked = _looked_at(top, batch, linked, how, meter)
        for number, (path, inode, is_folder) in enumerate(batch):
            line = looked.get(number)
            if line is None and not is_folder and inode in linked:
                line = to_line(replace(linked[inode], path=path, same_as=linked[inode].path))
            if line is not None:
                yield line


def _looked_at(
    top: int, batch: Sequence[Found], linked: dict[Inode, TreeEntry], how: Reading, meter: Meter
) -> dict[int, bytes]:
    """The lines of a batch by their number in it, in place of all names of a file but its first, which is
    noted in `linked`."""
    # A folder has one name. A subvolume of Btrfs is listed with a number that another file may have.
    first = {
        (inode, number if is_folder else -1): number
        for number, (_, inode, is_folder) in reversed([*enumerate(batch)])
        if is_folder or inode not in linked
    }
    work = [(number, batch[number][0]) for _, number in sorted(first.items())]

    looked, gone = {}, set()
    for said in share_out(work, how.workers, partial(_tell_of, top, how)):
        if said.startswith(MORE):
            meter.add(int(said[1:]))
            continue
        text, several, unsaid, line = said.split(b" ", 3)
        number = int(text)
        meter.add(int(unsaid))
        if not line:
            gone.add(number)
            continue
        looked[number] = line
        if int(several):
            linked[batch[number][1]] = from_line(line, t("A newly read entry"))
    known = gone | looked.keys()
    if lost := next((path for number, path in work if number not in known), None):
        raise Failed(t("{path} was not read.", path=named(lost)))
    return looked


def _tell_of(top: int, how: Reading, piece: tuple[int, bytes], say: Say) -> None:
    """Look at one of a batch, and say what there is: its number, whether it has several names, how many bytes
    were read that were not told yet, and its line, which is empty where it is gone. Raises Failed."""
    number, path = piece
    unsaid = 0 if how.content else 1

    def heard(more: int) -> None:
        nonlocal unsaid
        unsaid += more
        if unsaid >= SAID_BYTES:
            say(MORE + b"%d" % unsaid)
            unsaid = 0

    try:
        entry = _looked(top, path, how, heard)
    except OSError as error:
        raise Failed(mount_read_only.NOT_READ(path=named(path), why=error.strerror or str(error))) from None
    several = entry is not None and entry.kind is not EntryKind.FOLDER and entry.links > 1
    say(b"%d %d %d %s" % (number, several, unsaid, to_line(entry) if entry else b""))


def _looked(top: int, path: bytes, how: Reading, on_bytes: Callable[[int], None]) -> TreeEntry | None:
    """The entry; None for one that was deleted since it was listed, where that may be. Raises OSError."""
    for attempt in range(TRIES):
        try:
            return look(top, path, how.workers, on_bytes, cold=how.cold, content=how.content)
        except OSError as error:
            if how.changing and error.errno in GONE:
                return None
            # One that became shorter while it was read is read again.
            if not how.changing or error.errno != errno.EIO or attempt == TRIES - 1:
                raise
    return None
