"""The first step: the source is listed, and what is on the list copied, in its order."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from time import monotonic

from wizard.apply.bring import words
from wizard.apply.bring.digests import Digests
from wizard.apply.bring.planning import check_names_free
from wizard.apply.bring.record import Again, Copied, load_again, load_copied, save_again, save_copied
from wizard.apply.bring.site import BringSite
from wizard.apply.bring.survey import names_in
from wizard.apply.manifest.copying import Copy, copy_entry, telling
from wizard.apply.manifest.entry import Entry, Kind, from_line
from wizard.apply.manifest.look import GONE, KINDS, status_at
from wizard.apply.manifest.manifest import BEFORE, Reading, manifest_lines, take_manifest
from wizard.apply.manifest.words import ENTRY_OF
from wizard.apply.run.process import STOP
from wizard.apply.run.progress import noting
from wizard.model.said import Said
from wizard.model.units import GIB

STEP = 1
LIST_SHARE = 0.08
"""Roughly which part of the step is done when the list is there."""

AHEAD = 4096
"""So many entries are begun at once."""

SYNC_BYTES, SYNC_SECONDS = GIB, 15.0
"""What is copied is made to last after so much, or so long: a power cut costs no more."""


class Stopped(Exception):
    """The run was asked to stop, and stands where it can go on."""


def check_going(run: Path) -> None:
    """Raises Stopped where the run was asked to stop."""
    if (run / STOP).exists():
        raise Stopped


def heeding(run: Path, note: Callable[[float], None]) -> Callable[[float], None]:
    """Notes progress, and raises Stopped where the run was asked to stop."""

    def heed(share: float) -> None:
        check_going(run)
        note(share)

    return heed


def entries_in(file: Path) -> Iterator[Entry]:
    """The entries of a manifest, in order; raises BadInput."""
    return (from_line(line, ENTRY_OF(file=str(file))) for line in manifest_lines(file))


def data_bytes_of(entry: Entry) -> int:
    """How much of a file is no hole, which its entry tells first of where its data lie."""
    return int(entry.data.partition(" ")[0] or 0)


def is_steady(entry: Entry, status: os.stat_result) -> bool:
    """Whether a file or folder is still what it was when its entry was made."""
    return (
        KINDS.get(status.st_mode & 0o170000) is entry.kind
        and (entry.kind is Kind.FOLDER or status.st_size == entry.size_bytes)
        and (status.st_mtime_ns, status.st_ctime_ns) == (entry.modified, entry.changed)
    )


@dataclass(slots=True)
class _Progress:
    """How far the copying is, and what of it lasts already."""

    site: BringSite
    copied: Copied
    digests: Digests
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

    @property
    def is_due(self) -> bool:
        return self.unsynced_bytes >= SYNC_BYTES or monotonic() >= self.synced_at + SYNC_SECONDS

    def begin_at(self, index: int) -> None:
        """Entries from here on are about to be made."""
        if index >= self.copied.begun:
            self.save(index)
            self.copied = replace(self.copied, begun=index + AHEAD)
            save_copied(self.site.run, self.copied)

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


def copy_listed(site: BringSite) -> Said:
    """List what there is, unless that was done before, and copy what is not copied yet; a sentence on that.
    Raises Failed, and Stopped."""
    copied = _listed(site)
    begun = monotonic()
    count, size_bytes, left_bytes = _amounts(site, copied.done)
    low = LIST_SHARE + (1 - LIST_SHARE) * (1 - left_bytes / max(size_bytes, 1))
    note = noting(site.run, STEP, (min(low, 0.999), 1.0), left_bytes)
    with Digests(site.run, copied.done) as digests:
        progress = _Progress(site, copied, digests, note, left_bytes)
        _copy_rest(progress, count)
    # The top itself is on the list, too.
    count, seconds = count - 1, monotonic() - begun
    if progress.bytes_done and seconds >= 1:
        rate = int(progress.bytes_done / seconds)
        return words.COPIED_AT(entries=count, size=size_bytes, rate=rate)
    return words.COPIED(entries=count, size=size_bytes)


def _copy_rest(progress: _Progress, count: int) -> None:
    """All of the `count` entries that are not copied yet."""
    site, copied = progress.site, progress.copied
    # What may be half there is made anew; where nothing was begun, nothing is to be replaced.
    half = copied.begun
    for index, entry in enumerate(entries_in(site.run / BEFORE)):
        if index < copied.done:
            continue
        progress.begin_at(index)
        try:
            check_going(site.run)
            _copy_listed_one(entry, index, progress, again=index < half)
        except Stopped:
            progress.save(index)
            raise
        if progress.is_due:
            progress.save(index + 1)
    progress.save(count)


def _listed(site: BringSite) -> Copied:
    """With the names at the top settled, and the list written down, for which no file is read."""
    copied = load_copied(site.run)
    if copied is None:
        names = names_in(site.here)
        check_names_free(names, site.bring.target)
        copied = Copied(tuple(sorted(map(os.fsdecode, names))))
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


def _amounts(site: BringSite, done: int) -> tuple[int, int, int]:
    """How many entries the list has, how many bytes they hold, and how many of those are left."""
    count = size_bytes = left_bytes = 0
    for index, entry in enumerate(entries_in(site.run / BEFORE)):
        own = data_bytes_of(entry) if entry.kind is Kind.FILE and not entry.same_as else 0
        count, size_bytes = index + 1, size_bytes + own
        left_bytes += own if index >= done else 0
    return count, size_bytes, left_bytes


def _copy_listed_one(entry: Entry, index: int, progress: _Progress, *, again: bool) -> None:
    """What changed since it was listed is left for the next step, whatever became of it."""
    site = progress.site
    if not entry.path:
        return
    with telling(entry.path):
        try:
            status = status_at(site.here, entry.path)
            if KINDS.get(status.st_mode & 0o170000) is not entry.kind:
                progress.missed.append(entry.path)
                return
            copy = Copy(
                site.here, site.there, progress.add, site.holds, again, partial(progress.digests.note, index)
            )
            copy_entry(copy, entry.path, status, entry.same_as or entry.path)
        except OSError as error:
            if not _has_changed(site, entry) and error.errno not in GONE:
                raise
            progress.missed.append(entry.path)


def _has_changed(site: BringSite, entry: Entry) -> bool:
    try:
        return not is_steady(entry, status_at(site.here, entry.path))
    except OSError as error:
        return error.errno in GONE
