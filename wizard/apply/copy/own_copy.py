"""Prove that a copied entry belongs to the run before it is removed or replaced. Read-only.

The proof is the content. Size and dates are no proof, because programs restore them.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from types import TracebackType

from wizard.apply.copy.site import BringSite
from wizard.apply.tree.content import BLOCK_BYTES, Content, data_ranges
from wizard.apply.tree.differences import as_held
from wizard.apply.tree.entry import (
    GONE,
    TO_READ,
    EntryKind,
    TreeEntry,
    folder_of,
    look,
    named,
    opened,
    status_at,
)
from wizard.model.errors import Failed
from wizard.model.said import MIB, Sentence, t

READERS = 2
SLACK_NS = 2 * 10**9
"""A process writes for about so long after it last noted its progress."""


def check_own(site: BringSite, path: bytes, recorded: TreeEntry | None, *, half: bool) -> None:
    """Raise Failed if what lies at `path` in the copy, which is about to be replaced or removed, may hold
    something that the run did not write. Raises OSError.

    It is the run's if the source holds all of it, or if it is what was `recorded` when it was copied. An
    earlier process may have left it `half` copied, from a source that has changed since: then it must not
    have been changed after that process last wrote.
    """
    with _unless_gone():
        there = status_at(site.there, path)
        # Of folders only empty ones are removed.
        if stat.S_ISDIR(there.st_mode) or is_part(site, path):
            return
        if recorded is not None and _is_recorded(site, path, recorded):
            return
        was_cut_off = half and is_older(there, site.written_ns)
        if not was_cut_off or _is_steady(site, path, recorded):
            raise Failed(
                t(
                    "{path} in the copy was not written by this run and will not be overwritten. "
                    "Move it away first.",
                    path=named(path),
                )
            )


def is_older(there: os.stat_result, written_ns: int) -> bool:
    """Return True if neither content nor inode was changed after the run last wrote."""
    return max(there.st_mtime_ns, there.st_ctime_ns) <= written_ns + SLACK_NS


def is_same(site: BringSite, path: bytes) -> bool:
    """Return True if the source holds the same, with everything that the target can keep of it. A folder
    that is as it was made, without its owner and attributes, counts as the same. Raises OSError."""
    try:
        here, there = (_seen(site, top, path) for top in (site.here, site.there))
    except OSError as error:
        if error.errno in GONE:
            return False
        raise
    if here is None or there is None or here.kind is not there.kind:
        return False
    if there.kind is EntryKind.FOLDER and not (
        there.mode & 0o77 or there.uid or there.flags or there.attributes
    ):
        return True
    # Flags are set last of all.
    return there == here or there == replace(here, flags=0)


def is_part(site: BringSite, path: bytes) -> bool:
    """Return True if the source holds every byte of it: each block of a file is the source's or zeros, as
    a copy that was cut off leaves it. Raises OSError."""
    try:
        here, there = (status_at(top, path) for top in (site.here, site.there))
        if stat.S_IFMT(here.st_mode) != stat.S_IFMT(there.st_mode):
            return False
        if stat.S_ISLNK(there.st_mode):
            return _link_at(site.here, path) == _link_at(site.there, path)
        if stat.S_ISREG(there.st_mode):
            return there.st_size <= here.st_size and _is_part_of(site, path, there.st_size)
    except OSError as error:
        if error.errno in GONE:
            return False
        raise
    return here.st_rdev == there.st_rdev


def _is_part_of(site: BringSite, path: bytes, size_bytes: int) -> bool:
    with opened(site.here, path, TO_READ) as old, opened(site.there, path, TO_READ) as new:
        for start, end in data_ranges(new, size_bytes):
            # From a border of blocks on: a block is compared as a whole.
            for at in range(start - start % BLOCK_BYTES, end, MIB):
                length = min(MIB, end - at)
                if not _are_blocks_of(os.pread(new, length, at), os.pread(old, length, at)):
                    return False
    return True


def _are_blocks_of(new: bytes, old: bytes) -> bool:
    if new == old:
        return True
    places = (slice(at, at + BLOCK_BYTES) for at in range(0, len(new), BLOCK_BYTES))
    return all(new[place] == old[place] or not any(new[place]) for place in places)


def _is_recorded(site: BringSite, path: bytes, recorded: TreeEntry) -> bool:
    """Return True if it has the content that was noted when it was copied. Raises OSError."""
    found = look(site.there, path, READERS, lambda _more: None)
    if found.kind is not recorded.kind:
        return False
    if found.kind is EntryKind.FILE:
        same = (found.size_bytes, found.digest) == (recorded.size_bytes, recorded.digest)
        return same and bool(recorded.digest)
    return (found.target, found.device) == (recorded.target, recorded.device)


def _is_steady(site: BringSite, path: bytes, recorded: TreeEntry | None) -> bool:
    """Return True if the source is as it was listed: a copy that holds something else was changed."""
    if recorded is None:
        return False
    with suppress(OSError):
        here = status_at(site.here, path)
        return (here.st_mtime_ns, here.st_ctime_ns) == (recorded.modified, recorded.changed)
    return False


def _seen(site: BringSite, top: int, path: bytes) -> TreeEntry | None:
    """Return the entry, reduced to the fields that must be the same."""
    seen = as_held(site.holds)(look(top, path, READERS, lambda _more: None))
    if seen is None:
        return None
    changes = seen.modified if seen.kind is not EntryKind.FOLDER else 0
    return replace(seen, modified=changes, changed=0, inode=0)


def _link_at(top: int, path: bytes) -> bytes:
    with folder_of(top, path) as (folder, name):
        return os.readlink(name, dir_fd=folder)


@contextmanager
def _unless_gone() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in GONE:
            raise


NOT_NOTED = Sentence("Cannot use {file}: {why}.")

FILE = "digests"


class DigestNotes:
    """Append digests of copied files, after those of the first `done` entries."""

    def __init__(self, run: Path, done: int) -> None:
        self._path = run / FILE
        try:
            fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            self._file = os.fdopen(fd, "r+b")
            kept = sum(map(len, takewhile(lambda line: _is_before(line, done), self._file)))
            self._file.truncate(kept)
            self._file.seek(kept)
        except OSError as error:
            raise self._lost(error) from None

    def __enter__(self) -> "DigestNotes":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def note(self, number: int, content: Content) -> None:
        """What entry `number` holds. Raises Failed."""
        try:
            self._file.write("\t".join((str(number), *content)).encode() + b"\n")
        except OSError as error:
            raise self._lost(error) from None

    def sync(self) -> None:
        """Have all of it on the medium. Raises Failed."""
        try:
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise self._lost(error) from None

    def _lost(self, error: OSError) -> Failed:
        return Failed(NOT_NOTED(file=str(self._path), why=str(error.strerror)))


def _is_before(line: bytes, done: int) -> bool:
    """Whether it is a whole line of an entry before `done`; they come in order. What was not on the medium
    yet can be anything after a power cut."""
    number = line.partition(b"\t")[0]
    return line.endswith(b"\n") and number.isdigit() and int(number) < done


def with_digests(run: Path, entries: Iterator[TreeEntry]) -> Iterator[TreeEntry]:
    """The list's entries with what was noted of them; those that have it already, as a run of an older
    version lists them, stay as they are. Further names of a file hold what its first one does."""
    noted = _noted(run / FILE)
    held = next(noted, None)
    several: dict[bytes, TreeEntry] = {}
    for number, entry in enumerate(entries):
        while held is not None and held[0] < number:
            held = next(noted, None)
        if entry.kind is not EntryKind.FILE or entry.digest:
            yield entry
            continue
        first = several.get(entry.same_as) if entry.same_as else None
        if first is not None:
            full = replace(entry, digest=first.digest, data=first.data, wide_data=first.wide_data)
        elif held is not None and held[0] == number:
            digest, data, wide = held[1]
            full = replace(entry, digest=digest, data=data, wide_data=wide)
        else:
            full = entry
        if entry.links > 1 and not entry.same_as:
            several[entry.path] = full
        yield full


def _noted(file: Path) -> Iterator[tuple[int, Content]]:
    try:
        with file.open("rb") as lines:
            for line in lines:
                number, digest, data, wide = line.decode().rstrip("\n").split("\t")
                yield int(number), (digest, data, wide)
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        raise Failed(NOT_NOTED(file=str(file), why=str(error))) from None
