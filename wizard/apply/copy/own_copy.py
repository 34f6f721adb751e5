"""Prove that a copied entry belongs to the run before it is removed or replaced. Read-only.

The proof is the content. Size and dates are no proof, because programs can restore them.
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
"""A process may write for about this long after its last progress note."""


def check_own(site: BringSite, path: bytes, recorded: TreeEntry | None, *, half: bool) -> None:
    """Raises Failed if the entry at `path` in the copy may contain anything that the run did not write. Call
    it before replacing or removing the entry. Raises OSError.

    The entry belongs to the run if the source contains all of it, or if it is as `recorded` during the copy.
    An earlier process may have left it `half` copied, from a source that has changed since. Then it must not
    have changed after the last write of that process.
    """
    with _ignore_missing():
        status = status_at(site.there, path)
        # Folders are removed only if empty.
        if stat.S_ISDIR(status.st_mode) or is_part(site, path):
            return
        if recorded is not None and _is_recorded(site, path, recorded):
            return
        was_cut_off = half and is_older(status, site.written_ns)
        if not was_cut_off or _is_steady(site, path, recorded):
            raise Failed(
                t(
                    "{path} in the copy was not written by this run and will not be overwritten. "
                    "Move it away first.",
                    path=named(path),
                )
            )


def is_older(there: os.stat_result, written_ns: int) -> bool:
    """Return True if neither content nor inode was changed after the last write of the run."""
    return max(there.st_mtime_ns, there.st_ctime_ns) <= written_ns + SLACK_NS


def is_same(site: BringSite, path: bytes) -> bool:
    """Return True if the source has the same entry, as far as the target can store it. Raises OSError.

    A new folder, still without owner and attributes, also counts as the same.
    """
    try:
        source, copy = (_reduced(site, top, path) for top in (site.here, site.there))
    except OSError as error:
        if error.errno in GONE:
            return False
        raise
    if source is None or copy is None or source.kind is not copy.kind:
        return False
    if copy.kind is EntryKind.FOLDER and not (copy.mode & 0o77 or copy.uid or copy.flags or copy.attributes):
        return True
    # Flags are set last.
    return copy == source or copy == replace(source, flags=0)


def is_part(site: BringSite, path: bytes) -> bool:
    """Return True if the source contains all bytes of the entry. Raises OSError.

    Each block of a file must be the source's or zeros, which an interrupted copy leaves.
    """
    try:
        source, copy = (status_at(top, path) for top in (site.here, site.there))
        if stat.S_IFMT(source.st_mode) != stat.S_IFMT(copy.st_mode):
            return False
        if stat.S_ISLNK(copy.st_mode):
            return _link_at(site.here, path) == _link_at(site.there, path)
        if stat.S_ISREG(copy.st_mode):
            return copy.st_size <= source.st_size and _is_part_of(site, path, copy.st_size)
    except OSError as error:
        if error.errno in GONE:
            return False
        raise
    return source.st_rdev == copy.st_rdev


def _is_part_of(site: BringSite, path: bytes, size_bytes: int) -> bool:
    with opened(site.here, path, TO_READ) as old, opened(site.there, path, TO_READ) as new:
        for start, end in data_ranges(new, size_bytes):
            # Start at a block border, since blocks are compared as a whole.
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
    """Return True if the entry has the content recorded during the copy. Raises OSError."""
    found = look(site.there, path, READERS, lambda _more: None)
    if found.kind is not recorded.kind:
        return False
    if found.kind is EntryKind.FILE:
        same = (found.size_bytes, found.digest) == (recorded.size_bytes, recorded.digest)
        return same and bool(recorded.digest)
    return (found.target, found.device) == (recorded.target, recorded.device)


def _is_steady(site: BringSite, path: bytes, recorded: TreeEntry | None) -> bool:
    """Return True if the source is as listed, so that different content in the copy is a later change."""
    if recorded is None:
        return False
    with suppress(OSError):
        source = status_at(site.here, path)
        return (source.st_mtime_ns, source.st_ctime_ns) == (recorded.modified, recorded.changed)
    return False


def _reduced(site: BringSite, top: int, path: bytes) -> TreeEntry | None:
    """Return the entry, reduced to the fields that must match."""
    entry = as_held(site.holds)(look(top, path, READERS, lambda _more: None))
    if entry is None:
        return None
    changes = entry.modified if entry.kind is not EntryKind.FOLDER else 0
    return replace(entry, modified=changes, changed=0, inode=0)


def _link_at(top: int, path: bytes) -> bytes:
    with folder_of(top, path) as (folder, name):
        return os.readlink(name, dir_fd=folder)


@contextmanager
def _ignore_missing() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in GONE:
            raise


NOT_NOTED = Sentence("Cannot use {file}: {why}.")

FILE = "digests"


class DigestNotes:
    """Append digests of copied files, after the digests of the first `done` entries."""

    def __init__(self, run: Path, done: int) -> None:
        self._path = run / FILE
        try:
            fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            self._file = os.fdopen(fd, "r+b")
            kept = sum(map(len, takewhile(lambda line: _is_before(line, done), self._file)))
            self._file.truncate(kept)
            self._file.seek(kept)
        except OSError as error:
            raise self._error(error) from None

    def __enter__(self) -> "DigestNotes":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def note(self, number: int, content: Content) -> None:
        """Add the digest and data ranges of entry `number`. Raises Failed."""
        try:
            self._file.write("\t".join((str(number), *content)).encode() + b"\n")
        except OSError as error:
            raise self._error(error) from None

    def sync(self) -> None:
        """Flush all digests to the medium. Raises Failed."""
        try:
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise self._error(error) from None

    def _error(self, error: OSError) -> Failed:
        return Failed(NOT_NOTED(file=str(self._path), why=str(error.strerror)))


def _is_before(line: bytes, done: int) -> bool:
    """Return True for a complete line of an entry before `done`. Lines are in order.

    After a power cut, lines that were not flushed can contain anything.
    """
    number = line.partition(b"\t")[0]
    return line.endswith(b"\n") and number.isdigit() and int(number) < done


def with_digests(run: Path, entries: Iterator[TreeEntry]) -> Iterator[TreeEntry]:
    """Yield the list's entries with their recorded digests. Lists of older versions already include them.

    All names of a file have the digest of the first name.
    """
    digests = _read_digests(run / FILE)
    recorded = next(digests, None)
    several: dict[bytes, TreeEntry] = {}
    for number, entry in enumerate(entries):
        while recorded is not None and recorded[0] < number:
            recorded = next(digests, None)
        if entry.kind is not EntryKind.FILE or entry.digest:
            yield entry
            continue
        first = several.get(entry.same_as) if entry.same_as else None
        if first is not None:
            full = replace(entry, digest=first.digest, data=first.data, wide_data=first.wide_data)
        elif recorded is not None and recorded[0] == number:
            digest, data, wide = recorded[1]
            full = replace(entry, digest=digest, data=data, wide_data=wide)
        else:
            full = entry
        if entry.links > 1 and not entry.same_as:
            several[entry.path] = full
        yield full


def _read_digests(file: Path) -> Iterator[tuple[int, Content]]:
    try:
        with file.open("rb") as lines:
            for line in lines:
                number, digest, data, wide = line.decode().rstrip("\n").split("\t")
                yield int(number), (digest, data, wide)
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        raise Failed(NOT_NOTED(file=str(file), why=str(error))) from None
