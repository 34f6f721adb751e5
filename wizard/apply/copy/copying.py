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
"""How long a piece grows: what is done again at most when a run goes on that was stopped."""

LARGE_BYTES = 8 * MIB
"""From here on a file is a piece of its own."""

WORKERS = 2
SHARED_FROM = 64
"""Fewer files are not worth processes of their own."""

AHEAD_FILES = 16
"""So many files are read ahead."""

Listed = tuple[int, TreeEntry]
"""An entry, with its number in the list."""


@dataclass(frozen=True, slots=True)
class ListPiece:
    """So many entries in a row, at least one."""

    entries: tuple[Listed, ...]

    @property
    def start(self) -> int:
        """The number of the first entry."""
        return self.entries[0][0]

    @property
    def end(self) -> int:
        """The number after the last entry's."""
        return self.entries[-1][0] + 1

    @property
    def size_bytes(self) -> int:
        """How much is copied for all of them."""
        return sum(own_bytes_of(entry) for _, entry in self.entries)


class EntryResult(NamedTuple):
    """What became of an entry: what a file holds, and whether it was `missed`, since it changed since it was
    listed. The next step looks after those."""

    number: int
    content: Content | None = None
    missed: bool = False


def data_bytes_of(entry: TreeEntry) -> int:
    """How much of a file is no hole, which its entry tells first of where its data lie."""
    return int(entry.data.partition(" ")[0] or 0)


def own_bytes_of(entry: TreeEntry) -> int:
    """How much is copied for an entry: nothing for a further name of a file."""
    return data_bytes_of(entry) if entry.kind is EntryKind.FILE and not entry.same_as else 0


def is_steady(entry: TreeEntry, status: os.stat_result) -> bool:
    """Whether a file or folder is still what it was when its entry was made."""
    return (
        KINDS.get(status.st_mode & 0o170000) is entry.kind
        and (entry.kind is EntryKind.FOLDER or status.st_size == entry.size_bytes)
        and (status.st_mtime_ns, status.st_ctime_ns) == (entry.modified, entry.changed)
    )


def pieces_of(listed: Iterable[Listed]) -> Iterator[ListPiece]:
    """All of them, in their order."""
    held: list[Listed] = []
    held_bytes = 0
    for number, entry in listed:
        size_bytes = own_bytes_of(entry)
        is_large = size_bytes >= LARGE_BYTES
        if held and (len(held) >= PIECE_ENTRIES or held_bytes + size_bytes > PIECE_BYTES or is_large):
            yield ListPiece(tuple(held))
            held, held_bytes = [], 0
        held.append((number, entry))
        held_bytes += size_bytes
        if is_large:
            yield ListPiece(tuple(held))
            held, held_bytes = [], 0
    if held:
        yield ListPiece(tuple(held))


def copy_piece(
    site: BringSite, piece: ListPiece, half: int, on_bytes: Callable[[int], None]
) -> list[EntryResult]:
    """Copy all of it; what became of each, in the order of the list. What an earlier attempt left of entries
    before `half` is replaced.

    `on_bytes` hears how many bytes more were copied, and may raise to end it. Raises Failed.
    """
    copying = partial(_copied, site, half)
    told: dict[int, EntryResult] = {}

    def copy_here(these: Iterable[Listed]) -> None:
        told.update((number, copying(on_bytes, (number, entry))) for number, entry in these)

    folders, links, others = _parted(piece)
    copy_here(folders)
    if len(others) < SHARED_FROM:
        copy_here(others)
    else:
        # In about the order in which they lie on the drive, as they are listed.
        others.sort(key=lambda listed: listed[1].inode)
        groups = [others[at : at + AHEAD_FILES] for at in range(0, len(others), AHEAD_FILES)]
        with closing(share_out(groups, WORKERS, partial(_tell_of, site, copying))) as lines:
            for line in lines:
                one, size_bytes = _heard(line)
                told[one.number] = one
                on_bytes(size_bytes)
    copy_here(links)
    return [told[number] for number, _ in piece.entries]


def _parted(piece: ListPiece) -> tuple[list[Listed], list[Listed], list[Listed]]:
    folders, links, others = list[Listed](), list[Listed](), list[Listed]()
    for listed in piece.entries:
        entry = listed[1]
        (folders if entry.kind is EntryKind.FOLDER else links if entry.same_as else others).append(listed)
    return folders, links, others


def _copied(site: BringSite, half: int, on_bytes: Callable[[int], None], listed: Listed) -> EntryResult:
    """Copy one. Raises Failed, and what `on_bytes` raises, which is heard at each, however small."""
    number, entry = listed
    on_bytes(0)
    if not entry.path:
        return EntryResult(number)
    held: list[Content] = []
    with telling(entry.path):
        try:
            status = status_at(site.here, entry.path)
            if KINDS.get(status.st_mode & 0o170000) is not entry.kind:
                return EntryResult(number, missed=True)
            again = number < half
            if again:
                check_own(site, entry.path, entry, half=True)
            copy = TreeCopy(site.here, site.there, on_bytes, site.holds, again, held.append)
            copy_entry(copy, entry.path, status, entry.same_as or entry.path)
        except FileExistsError:
            raise
        except OSError as error:
            if not _has_changed(site, entry) and error.errno not in GONE:
                raise
            return EntryResult(number, missed=True)
    return EntryResult(number, held[0] if held else None)


def _has_changed(site: BringSite, entry: TreeEntry) -> bool:
    try:
        return not is_steady(entry, status_at(site.here, entry.path))
    except OSError as error:
        return error.errno in GONE


def _tell_of(
    site: BringSite,
    copying: Callable[[Callable[[int], None], Listed], EntryResult],
    group: Sequence[Listed],
    say: Say,
) -> None:
    """Copy some, in a process of its own, and say of each what became of it and how many bytes that were."""
    for _, entry in group:
        _read_ahead(site.here, entry)
    for listed in group:
        sizes: list[int] = []
        one = copying(sizes.append, listed)
        fields = (str(one.number), str(int(one.missed)), str(sum(sizes)), *(one.content or ()))
        say("\t".join(fields).encode())


def _read_ahead(top: int, entry: TreeEntry) -> None:
    """Have the drive begin to read a file, so that it has several to choose from. What goes wrong is met
    again when the file is copied."""
    if entry.kind is EntryKind.FILE:
        with suppress(OSError), opened(top, entry.path, TO_READ) as fd:
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_WILLNEED)


def _heard(line: bytes) -> tuple[EntryResult, int]:
    number, missed, size_bytes, *content = line.decode().split("\t")
    held = None
    if content:
        digest, data, wide = content
        held = digest, data, wide
    return EntryResult(int(number), held, bool(int(missed))), int(size_bytes)


STEP = 1
LIST_SHARE = 0.08
"""Roughly which part of the step is done when the list is there."""

AHEAD = 4096
"""So many entries are begun at once."""

SYNC_BYTES, SYNC_SECONDS = GIB, 15.0
"""What is copied is made to last after so much, or so long: a power cut costs no more."""


class CopyStopped(Exception):
    """The run was asked to stop, and stands where it can go on."""


def check_going(run: Path) -> None:
    """Raises Stopped where the run was asked to stop."""
    # For each file, so without a path object.
    if os.path.exists(f"{run}/{STOP}"):  # noqa: PTH110
        raise CopyStopped


def heeding(run: Path, note: Callable[[float], None]) -> Callable[[float], None]:
    """Notes progress, and raises Stopped where the run was asked to stop."""

    def heed(share: float) -> None:
        check_going(run)
        note(share)

    return heed


def entries_in(file: Path) -> Iterator[TreeEntry]:
    """The entries of a manifest, in order; raises BadInput."""
    what = ENTRY_OF(file=str(file))
    return (from_line(line, what) for line in manifest_lines(file))


@dataclass(slots=True)
class _Progress:
    """How far the copying is, and what of it lasts already."""

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
        check_going(self.site.run)
        self.bytes_done += more
        self.unsynced_bytes += more
        self.note(min(self.bytes_done / max(self.bytes_to_do, 1), 1.0))

    def begin(self, piece: ListPiece) -> None:
        """The entries of a piece are about to be made."""
        if piece.end > self.copied.begun:
            self.save(piece.start)
            self.copied = replace(self.copied, begun=piece.end + AHEAD)
            save_copied(self.site.run, self.copied)

    def hear(self, piece: ListPiece, told: Iterable[EntryResult]) -> None:
        """All of it was copied, with what became of each entry."""
        for (_, entry), one in zip(piece.entries, told, strict=True):
            if one.content is not None:
                self.digests.note(one.number, one.content)
            if one.missed:
                self.missed.append(entry.path)
        if self.unsynced_bytes >= SYNC_BYTES or monotonic() >= self.synced_at + SYNC_SECONDS:
            self.save(piece.end)

    def save(self, done: int) -> None:
        """All before `done` is there for good."""
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
    """List what there is, unless that was done before, and copy what is not copied yet; a sentence on that.
    Raises Failed, and Stopped."""
    copied = _listed(site)
    listed = enumerate(entries_in(site.run / BEFORE))
    done_bytes = sum(own_bytes_of(entry) for _, entry in islice(listed, copied.done))
    begun = monotonic()
    left_bytes = max(site.bring.amount.size_bytes - done_bytes, 1)
    low = LIST_SHARE + (1 - LIST_SHARE) * done_bytes / (done_bytes + left_bytes)
    note = noting(site.run, STEP, (min(low, 0.999), 1.0), left_bytes)
    with DigestNotes(site.run, copied.done) as digests:
        progress = _Progress(site, copied, digests, note, left_bytes)
        count, size_bytes = _copy_rest(progress, listed)
    size_bytes += done_bytes
    # The top itself is on the list, too.
    count, seconds = count - 1, monotonic() - begun
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
    """What is left of the list, piece by piece: how many entries there are on all of it, and how many bytes
    the rest was listed with."""
    # The piece that was begun may be incomplete, so its entries are replaced.
    half, count, size_bytes = progress.copied.begun, progress.copied.done, 0
    for piece in pieces_of(listed):
        progress.begin(piece)
        try:
            check_going(progress.site.run)
            told = copy_piece(progress.site, piece, half, progress.add)
        except CopyStopped:
            progress.save(piece.start)
            raise
        progress.hear(piece, told)
        count, size_bytes = piece.end, size_bytes + piece.size_bytes
    progress.save(count)
    return count, size_bytes


def _listed(site: BringSite) -> Copied:
    """With the names at the top settled, and the list written down, for which no file is read."""
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
            on_progress=heeding(site.run, noting(site.run, STEP, (0.0, LIST_SHARE))),
            reading=Reading(changing=True, only=copied.top, content=False),
            total_bytes=site.bring.amount.entries,
        )
    check_going(site.run)
    return copied
