"""List the files to copy, split the list into pieces, and copy each piece.

Several processes copy a piece: small files are mostly interpreter work, and one interpreter uses one
processor. Folders come first and hard links last, so the order between them is free. A large file is a
separate piece and is hashed in parallel.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from wizard.apply.copy.own_copy import DigestNotes, check_own
from wizard.apply.copy.site import Again, BringSite, Copied, load_again, load_copied, save_again, save_copied
from wizard.apply.copy.survey import check_names_free, names_in
from wizard.apply.run.process import STOP
from wizard.apply.run.progress_log import noting
from wizard.apply.tree.content import Content
from wizard.apply.tree.copying import TreeCopy, copy_entry, telling
from wizard.apply.tree.entry import GONE, KINDS, TO_READ, EntryKind, TreeEntry, from_line, opened, status_at
from wizard.apply.tree.manifest import BEFORE, Reading, Say, manifest_lines, share_out, take_manifest
from wizard.apply.tree.mount_read_only import ENTRY_OF
from wizard.model.said import GIB, MIB, Message, t

PIECE_ENTRIES, PIECE_BYTES = 2048, 64 * MIB
"""Limits of a piece: a resumed run copies at most one piece again."""

LARGE_BYTES = 8 * MIB
"""A file of this size is a separate piece."""

WORKERS = 2
SHARED_FROM = 64
"""With fewer files, extra processes do not pay."""

AHEAD_FILES = 16
"""Number of files to read ahead."""

Listed = tuple[int, TreeEntry]
"""Number in the list, and the entry."""


@dataclass(frozen=True, slots=True)
class ListPiece:
    """One or more consecutive entries of the list."""

    entries: tuple[Listed, ...]

    @property
    def start(self) -> int:
        """Number of the first entry."""
        return self.entries[0][0]

    @property
    def end(self) -> int:
        """Number of the last entry plus 1."""
        return self.entries[-1][0] + 1

    @property
    def size_bytes(self) -> int:
        """Bytes to copy for all entries."""
        return sum(_own_bytes_of(entry) for _, entry in self.entries)


class EntryResult(NamedTuple):
    """Result for an entry: the content of a file, or `missed` if the entry changed since it was listed.

    The next step handles missed entries.
    """

    number: int
    content: Content | None = None
    missed: bool = False


def _data_bytes_of(entry: TreeEntry) -> int:
    """Return the size of a file without holes: the first number in the entry's data ranges."""
    return int(entry.data.partition(" ")[0] or 0)


def _own_bytes_of(entry: TreeEntry) -> int:
    """Return the bytes to copy for an entry, 0 for a further name of a file."""
    return _data_bytes_of(entry) if entry.kind is EntryKind.FILE and not entry.same_as else 0


def is_steady(entry: TreeEntry, status: os.stat_result) -> bool:
    """Return True if a file or folder is unchanged since it was listed."""
    return (
        KINDS.get(status.st_mode & 0o170000) is entry.kind
        and (entry.kind is EntryKind.FOLDER or status.st_size == entry.size_bytes)
        and (status.st_mtime_ns, status.st_ctime_ns) == (entry.modified, entry.changed)
    )


def _pieces_of(listed: Iterable[Listed]) -> Iterator[ListPiece]:
    """Yield all entries as pieces, in order."""
    piece: list[Listed] = []
    piece_bytes = 0
    for number, entry in listed:
        size_bytes = _own_bytes_of(entry)
        is_large = size_bytes >= LARGE_BYTES
        if piece and (len(piece) >= PIECE_ENTRIES or piece_bytes + size_bytes > PIECE_BYTES or is_large):
            yield ListPiece(tuple(piece))
            piece, piece_bytes = [], 0
        piece.append((number, entry))
        piece_bytes += size_bytes
        if is_large:
            yield ListPiece(tuple(piece))
            piece, piece_bytes = [], 0
    if piece:
        yield ListPiece(tuple(piece))


def _copy_piece(
    site: BringSite, piece: ListPiece, half: int, on_bytes: Callable[[int], None]
) -> list[EntryResult]:
    """Copy a piece, and return the results in the order of the list.

    Entries before `half` may exist from an earlier attempt, and are replaced. `on_bytes` receives the number
    of bytes of each write, and may raise to stop the copy. Raises Failed.
    """
    copying = partial(_copy_one, site, half)
    results: dict[int, EntryResult] = {}

    def copy_here(entries: Iterable[Listed]) -> None:
        results.update((number, copying(on_bytes, (number, entry))) for number, entry in entries)

    folders, links, others = _split(piece)
    copy_here(folders)
    if len(others) < SHARED_FROM:
        copy_here(others)
    else:
        # By inode, which is roughly the order on the drive.
        others.sort(key=lambda listed: listed[1].inode)
        groups = [others[at : at + AHEAD_FILES] for at in range(0, len(others), AHEAD_FILES)]
        with closing(share_out(groups, WORKERS, partial(_copy_group, site, copying))) as lines:
            for line in lines:
                one, size_bytes = _parse_result(line)
                results[one.number] = one
                on_bytes(size_bytes)
    copy_here(links)
    return [results[number] for number, _ in piece.entries]


def _split(piece: ListPiece) -> tuple[list[Listed], list[Listed], list[Listed]]:
    folders, links, others = list[Listed](), list[Listed](), list[Listed]()
    for listed in piece.entries:
        entry = listed[1]
        (folders if entry.kind is EntryKind.FOLDER else links if entry.same_as else others).append(listed)
    return folders, links, others


def _copy_one(site: BringSite, half: int, on_bytes: Callable[[int], None], listed: Listed) -> EntryResult:
    """Copy one entry, and call `on_bytes` at least once. Raises Failed, and whatever `on_bytes` raises."""
    number, entry = listed
    on_bytes(0)
    if not entry.path:
        return EntryResult(number)
    contents: list[Content] = []
    with telling(entry.path):
        try:
            status = status_at(site.here, entry.path)
            if KINDS.get(status.st_mode & 0o170000) is not entry.kind:
                return EntryResult(number, missed=True)
            again = number < half
            if again:
                check_own(site, entry.path, entry, half=True)
            copy = TreeCopy(site.here, site.there, on_bytes, site.holds, again, contents.append)
            copy_entry(copy, entry.path, status, entry.same_as or entry.path)
        except FileExistsError:
            raise
        except OSError as error:
            if not _has_changed(site, entry) and error.errno not in GONE:
                raise
            return EntryResult(number, missed=True)
    return EntryResult(number, contents[0] if contents else None)


def _has_changed(site: BringSite, entry: TreeEntry) -> bool:
    try:
        return not is_steady(entry, status_at(site.here, entry.path))
    except OSError as error:
        return error.errno in GONE


def _copy_group(
    site: BringSite,
    copying: Callable[[Callable[[int], None], Listed], EntryResult],
    group: Sequence[Listed],
    say: Say,
) -> None:
    """Copy several entries in a separate process, and report the result and the bytes of each."""
    for _, entry in group:
        _read_ahead(site.here, entry)
    for listed in group:
        sizes: list[int] = []
        one = copying(sizes.append, listed)
        fields = (str(one.number), str(int(one.missed)), str(sum(sizes)), *(one.content or ()))
        say("\t".join(fields).encode())


def _read_ahead(top: int, entry: TreeEntry) -> None:
    """Start reading a file, so that the drive can order its requests. Errors reappear when the file is
    copied."""
    if entry.kind is EntryKind.FILE:
        with suppress(OSError), opened(top, entry.path, TO_READ) as fd:
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_WILLNEED)


def _parse_result(line: bytes) -> tuple[EntryResult, int]:
    number, missed, size_bytes, *content = line.decode().split("\t")
    parsed = None
    if content:
        digest, data, wide = content
        parsed = digest, data, wide
    return EntryResult(int(number), parsed, bool(int(missed))), int(size_bytes)


STEP = 1
LIST_SHARE = 0.08
"""Approximate progress of the step when the list is complete."""

AHEAD = 4096
"""Entries are recorded as begun this far ahead of the copy."""

SYNC_BYTES, SYNC_SECONDS = GIB, 15.0
"""The copy is flushed after so much data or time, so a power cut costs no more."""


class CopyStopped(Exception):
    """The run was asked to stop, and can resume."""


def check_not_stopped(run: Path) -> None:
    """Raises CopyStopped if the run was asked to stop."""
    # Called for each file, so without a path object.
    if os.path.exists(f"{run}/{STOP}"):  # noqa: PTH110
        raise CopyStopped


def stoppable(run: Path, note: Callable[[float], None]) -> Callable[[float], None]:
    """Return a function that notes progress, and raises CopyStopped if the run was asked to stop."""

    def heed(share: float) -> None:
        check_not_stopped(run)
        note(share)

    return heed


def entries_in(file: Path) -> Iterator[TreeEntry]:
    """Yield the entries of a manifest in order. Raises BadInput."""
    what = ENTRY_OF(file=str(file))
    return (from_line(line, what) for line in manifest_lines(file))


@dataclass(slots=True)
class _Progress:
    """Progress of the copy, and how much of it is flushed."""

    site: BringSite
    copied: Copied
    digests: DigestNotes
    note: Callable[[float], None]
    bytes_to_do: int
    bytes_done: int = 0
    unsynced_bytes: int = 0
    synced_at: float = field(default_factory=monotonic)
    missed: list[bytes] = field(default_factory=list)

    def add(self, more: int) -> None:
        check_not_stopped(self.site.run)
        self.bytes_done += more
        self.unsynced_bytes += more
        self.note(min(self.bytes_done / max(self.bytes_to_do, 1), 1.0))

    def begin(self, piece: ListPiece) -> None:
        """Record that the entries of a piece will be created."""
        if piece.end > self.copied.begun:
            self.save(piece.start)
            self.copied = replace(self.copied, begun=piece.end + AHEAD)
            save_copied(self.site.run, self.copied)

    def hear(self, piece: ListPiece, results: Iterable[EntryResult]) -> None:
        """Record the results of a copied piece."""
        for (_, entry), one in zip(piece.entries, results, strict=True):
            if one.content is not None:
                self.digests.note(one.number, one.content)
            if one.missed:
                self.missed.append(entry.path)
        if self.unsynced_bytes >= SYNC_BYTES or monotonic() >= self.synced_at + SYNC_SECONDS:
            self.save(piece.end)

    def save(self, done: int) -> None:
        """Flush all entries before `done`, and record that."""
        self.site.sync()
        self.digests.sync()
        if self.missed:
            known = load_again(self.site.run).paths
            save_again(self.site.run, Again((*known, *map(os.fsdecode, self.missed))))
            self.missed.clear()
        self.copied = replace(self.copied, done=max(done, self.copied.done))
        save_copied(self.site.run, self.copied)
        self.unsynced_bytes, self.synced_at = 0, monotonic()


def copy_listed(site: BringSite) -> Message:
    """List the source unless an earlier attempt did, and copy the remaining entries. Return a result message.

    Raises Failed and CopyStopped.
    """
    copied = _ensure_list(site)
    listed = enumerate(entries_in(site.run / BEFORE))
    done_bytes = sum(_own_bytes_of(entry) for _, entry in islice(listed, copied.done))
    start = monotonic()
    left_bytes = max(site.bring.amount.size_bytes - done_bytes, 1)
    low = LIST_SHARE + (1 - LIST_SHARE) * done_bytes / (done_bytes + left_bytes)
    note = noting(site.run, STEP, (min(low, 0.999), 1.0), left_bytes)
    with DigestNotes(site.run, copied.done) as digests:
        progress = _Progress(site, copied, digests, note, left_bytes)
        count, size_bytes = _copy_rest(progress, listed)
    size_bytes += done_bytes
    # The list includes the top folder.
    count, seconds = count - 1, monotonic() - start
    if progress.bytes_done and seconds >= 1:
        rate = int(progress.bytes_done / seconds)
        return t(
            "{entries:,d} entries ({size:size}) are on the drive, at {rate:size} per second.",
            entries=count,
            size=size_bytes,
            rate=rate,
        )
    return t("{entries:,d} entries ({size:size}) are on the drive.", entries=count, size=size_bytes)


def _copy_rest(progress: _Progress, listed: Iterable[Listed]) -> tuple[int, int]:
    """Copy the remaining pieces. Return the number of all entries, and the listed bytes of the remaining
    ones."""
    # Entries recorded as begun may be incomplete, so they are replaced.
    half, count, size_bytes = progress.copied.begun, progress.copied.done, 0
    for piece in _pieces_of(listed):
        progress.begin(piece)
        try:
            check_not_stopped(progress.site.run)
            results = _copy_piece(progress.site, piece, half, progress.add)
        except CopyStopped:
            progress.save(piece.start)
            raise
        progress.hear(piece, results)
        count, size_bytes = piece.end, size_bytes + piece.size_bytes
    progress.save(count)
    return count, size_bytes


def _ensure_list(site: BringSite) -> Copied:
    """Check the names at the top and write the list, unless an earlier attempt did. Reads no files."""
    copied = load_copied(site.run)
    if copied is None:
        names = names_in(site.here)
        check_names_free(names, site.bring.target)
        copied = Copied(site.bring.target.folder, tuple(sorted(map(os.fsdecode, names))))
        save_copied(site.run, copied)
    if not (site.run / BEFORE).exists():
        take_manifest(
            site.source,
            site.run / BEFORE,
            on_progress=stoppable(site.run, noting(site.run, STEP, (0.0, LIST_SHARE))),
            reading=Reading(changing=True, only=copied.top, content=False),
            total_bytes=site.bring.amount.entries,
        )
    check_not_stopped(site.run)
    return copied
