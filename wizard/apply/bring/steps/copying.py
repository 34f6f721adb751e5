"""The first step: the source is listed, and what is on the list copied, in its order."""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from time import monotonic

from wizard.apply.bring.planning import check_names_free
from wizard.apply.bring.site import BringSite
from wizard.apply.bring.steps.digests import Digests
from wizard.apply.bring.steps.pieces import Listed, Piece, Told, copy_piece, own_bytes_of, pieces_of
from wizard.apply.bring.steps.record import Again, Copied, load_again, load_copied, save_again, save_copied
from wizard.apply.bring.survey import names_in
from wizard.apply.manifest.entry import Entry, from_line
from wizard.apply.manifest.manifest import BEFORE, Reading, manifest_lines, take_manifest
from wizard.apply.manifest.words import ENTRY_OF
from wizard.apply.run.process import STOP
from wizard.apply.run.progress import noting
from wizard.model.said import Said, t
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
    # For each file, so without a path object.
    if os.path.exists(f"{run}/{STOP}"):  # noqa: PTH110
        raise Stopped


def heeding(run: Path, note: Callable[[float], None]) -> Callable[[float], None]:
    """Notes progress, and raises Stopped where the run was asked to stop."""

    def heed(share: float) -> None:
        check_going(run)
        note(share)

    return heed


def entries_in(file: Path) -> Iterator[Entry]:
    """The entries of a manifest, in order; raises BadInput."""
    what = ENTRY_OF(file=str(file))
    return (from_line(line, what) for line in manifest_lines(file))


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

    def begin(self, piece: Piece) -> None:
        """The entries of a piece are about to be made."""
        if piece.end > self.copied.begun:
            self.save(piece.start)
            self.copied = replace(self.copied, begun=piece.end + AHEAD)
            save_copied(self.site.run, self.copied)

    def hear(self, piece: Piece, told: Iterable[Told]) -> None:
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


def copy_listed(site: BringSite) -> Said:
    """List what there is, unless that was done before, and copy what is not copied yet; a sentence on that.
    Raises Failed, and Stopped."""
    copied = _listed(site)
    listed = enumerate(entries_in(site.run / BEFORE))
    done_bytes = sum(own_bytes_of(entry) for _, entry in islice(listed, copied.done))
    begun = monotonic()
    left_bytes = max(site.bring.amount.size_bytes - done_bytes, 1)
    low = LIST_SHARE + (1 - LIST_SHARE) * done_bytes / (done_bytes + left_bytes)
    note = noting(site.run, STEP, (min(low, 0.999), 1.0), left_bytes)
    with Digests(site.run, copied.done) as digests:
        progress = _Progress(site, copied, digests, note, left_bytes)
        count, size_bytes = _copy_rest(progress, listed)
    size_bytes += done_bytes
    # The top itself is on the list, too.
    count, seconds = count - 1, monotonic() - begun
    if progress.bytes_done and seconds >= 1:
        rate = int(progress.bytes_done / seconds)
        return t(
            "{entries:,d} entries with {size:size} are on the drive, at {rate:size} a second.",
            entries=count,
            size=size_bytes,
            rate=rate,
        )
    return t("{entries:,d} entries with {size:size} are on the drive.", entries=count, size=size_bytes)


def _copy_rest(progress: _Progress, listed: Iterable[Listed]) -> tuple[int, int]:
    """What is left of the list, piece by piece: how many entries there are on all of it, and how many bytes
    the rest was listed with."""
    # What may be half there is made anew; where nothing was begun, nothing is to be replaced.
    half, count, size_bytes = progress.copied.begun, progress.copied.done, 0
    for piece in pieces_of(listed):
        progress.begin(piece)
        try:
            check_going(progress.site.run)
            told = copy_piece(progress.site, piece, half, progress.add)
        except Stopped:
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
