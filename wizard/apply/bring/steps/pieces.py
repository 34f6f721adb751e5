"""The list of what is to be copied, cut into pieces, and one piece copied.

A piece is copied by several processes, since an interpreter runs on one processor and small files are mostly
the interpreter's work. Its folders come first and further names of files last, so that in between the order
is free. A large file is a piece of its own: its bytes are most of the work, and are hashed beside.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from wizard.apply.bring.site import BringSite
from wizard.apply.bring.steps.own_copy import check_own
from wizard.apply.manifest.content import Content
from wizard.apply.manifest.copying import Copy, copy_entry, telling
from wizard.apply.manifest.entry import Entry, Kind
from wizard.apply.manifest.look import GONE, KINDS, TO_READ, opened, status_at
from wizard.apply.manifest.workers import Say, share_out
from wizard.model.units import MIB

PIECE_ENTRIES, PIECE_BYTES = 2048, 64 * MIB
"""How long a piece grows: what is done again at most when a run goes on that was stopped."""

LARGE_BYTES = 8 * MIB
"""From here on a file is a piece of its own."""

WORKERS = 2
SHARED_FROM = 64
"""Fewer files are not worth processes of their own."""

AHEAD_FILES = 16
"""So many files are read ahead."""

Listed = tuple[int, Entry]
"""An entry, with its number in the list."""


@dataclass(frozen=True, slots=True)
class Piece:
    """So many entries in a row, at least one."""

    entries: tuple[Listed, ...]

    @property
    def start(self) -> int:
        """The number of the first."""
        return self.entries[0][0]

    @property
    def end(self) -> int:
        """The number behind the last."""
        return self.entries[-1][0] + 1

    @property
    def size_bytes(self) -> int:
        """How much is copied for all of them."""
        return sum(own_bytes_of(entry) for _, entry in self.entries)


class Told(NamedTuple):
    """What became of an entry: what a file holds, and whether it was `missed`, since it changed since it was
    listed. The next step looks after those."""

    number: int
    content: Content | None = None
    missed: bool = False


def data_bytes_of(entry: Entry) -> int:
    """How much of a file is no hole, which its entry tells first of where its data lie."""
    return int(entry.data.partition(" ")[0] or 0)


def own_bytes_of(entry: Entry) -> int:
    """How much is copied for an entry: nothing for a further name of a file."""
    return data_bytes_of(entry) if entry.kind is Kind.FILE and not entry.same_as else 0


def is_steady(entry: Entry, status: os.stat_result) -> bool:
    """Whether a file or folder is still what it was when its entry was made."""
    return (
        KINDS.get(status.st_mode & 0o170000) is entry.kind
        and (entry.kind is Kind.FOLDER or status.st_size == entry.size_bytes)
        and (status.st_mtime_ns, status.st_ctime_ns) == (entry.modified, entry.changed)
    )


def pieces_of(listed: Iterable[Listed]) -> Iterator[Piece]:
    """All of them, in their order."""
    held: list[Listed] = []
    held_bytes = 0
    for number, entry in listed:
        size_bytes = own_bytes_of(entry)
        is_large = size_bytes >= LARGE_BYTES
        if held and (len(held) >= PIECE_ENTRIES or held_bytes + size_bytes > PIECE_BYTES or is_large):
            yield Piece(tuple(held))
            held, held_bytes = [], 0
        held.append((number, entry))
        held_bytes += size_bytes
        if is_large:
            yield Piece(tuple(held))
            held, held_bytes = [], 0
    if held:
        yield Piece(tuple(held))


def copy_piece(site: BringSite, piece: Piece, half: int, on_bytes: Callable[[int], None]) -> list[Told]:
    """Copy all of it; what became of each, in the order of the list. What an earlier attempt left of entries
    before `half` is replaced.

    `on_bytes` hears how many bytes more were copied, and may raise to end it. Raises Failed.
    """
    copying = partial(_copied, site, half)
    told: dict[int, Told] = {}

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


def _parted(piece: Piece) -> tuple[list[Listed], list[Listed], list[Listed]]:
    folders, links, others = list[Listed](), list[Listed](), list[Listed]()
    for listed in piece.entries:
        entry = listed[1]
        (folders if entry.kind is Kind.FOLDER else links if entry.same_as else others).append(listed)
    return folders, links, others


def _copied(site: BringSite, half: int, on_bytes: Callable[[int], None], listed: Listed) -> Told:
    """Copy one. Raises Failed, and what `on_bytes` raises, which is heard at each, however small."""
    number, entry = listed
    on_bytes(0)
    if not entry.path:
        return Told(number)
    held: list[Content] = []
    with telling(entry.path):
        try:
            status = status_at(site.here, entry.path)
            if KINDS.get(status.st_mode & 0o170000) is not entry.kind:
                return Told(number, missed=True)
            again = number < half
            if again:
                check_own(site, entry.path, entry, half=True)
            copy = Copy(site.here, site.there, on_bytes, site.holds, again, held.append)
            copy_entry(copy, entry.path, status, entry.same_as or entry.path)
        except FileExistsError:
            raise
        except OSError as error:
            if not _has_changed(site, entry) and error.errno not in GONE:
                raise
            return Told(number, missed=True)
    return Told(number, held[0] if held else None)


def _has_changed(site: BringSite, entry: Entry) -> bool:
    try:
        return not is_steady(entry, status_at(site.here, entry.path))
    except OSError as error:
        return error.errno in GONE


def _tell_of(
    site: BringSite,
    copying: Callable[[Callable[[int], None], Listed], Told],
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


def _read_ahead(top: int, entry: Entry) -> None:
    """Have the drive begin to read a file, so that it has several to choose from. What goes wrong is met
    again when the file is copied."""
    if entry.kind is Kind.FILE:
        with suppress(OSError), opened(top, entry.path, TO_READ) as fd:
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_WILLNEED)


def _heard(line: bytes) -> tuple[Told, int]:
    number, missed, size_bytes, *content = line.decode().split("\t")
    held = None
    if content:
        digest, data, wide = content
        held = digest, data, wide
    return Told(int(number), held, bool(int(missed))), int(size_bytes)
