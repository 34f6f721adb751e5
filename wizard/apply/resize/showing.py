"""Show a filesystem on a scratch copy for a resize: metadata, and data beyond the new end.

Other file data is missing from the copy, so it must not change. Programs that copy metadata can produce bytes
that differ from the drive. For example, xfs_mdrestore writes zeros to the last block (xfsprogs,
mdrestore/xfs_mdrestore.c). So all shown bytes are compared with the drive and corrected before the rehearsal.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from wizard.apply.block.devices import forget_caches
from wizard.apply.block.extents import (
    GRAIN_BYTES,
    DeviceMedium,
    chunks,
    clipped,
    differing,
    gaps,
    held,
    merged,
)
from wizard.apply.engine.scratch_copies import free_bytes
from wizard.apply.engine.stores import Store
from wizard.apply.steps.step_context import Do
from wizard.model.errors import Failed
from wizard.model.machine import Extent
from wizard.model.said import MIB, Sentence, t
from wizard.process.program import run

SMALL_BLOCKS = Sentence(
    "The filesystem's {block}-byte blocks start at byte {start}; a scratch copy "
    "distinguishes only whole pages of {page} bytes."
)
CUT_OFF = t("The filesystem was not unmounted cleanly: mount and unmount it first.")
MOVES_FILES = Sentence(
    "{program} must move files in {device} to free space for metadata, but the "
    "scratch copy does not contain the files."
)
DEVICES = Sentence("The filesystem spans {devices} devices; resizing supports only one.")
NOT_TOLD = Sentence("{program} does not report {what:and}.")
NOT_CLEAN = Sentence("{device} is not clean: run `{command}`.")


def refusal(why: object) -> str:
    """The sentence with which it ends before anything was written."""
    return str(t("{why} Nothing was written to the drive.", why=str(why)))


LEFT_BYTES = 16 * MIB
"""resize2fs leaves out a last group that has no room for more than its records, and those are not larger
(e2fsprogs, resize/resize2fs.c, adjust_fs_info)."""


@dataclass(frozen=True, slots=True)
class Showing:
    """A filesystem that is to be shown: `real` is its partition, `stand_in` the one that stands for it, and
    `volume` where both lie on their drives, `drive` and what `file` holds. It is to have `size_bytes`. `run`
    is the run's folder; `do` runs a command and journals it; what is only asked may take `seconds`.
    """

    real: str
    stand_in: str
    volume: Extent
    size_bytes: int
    drive: str
    file: Path
    run: Path
    do: Do
    seconds: float

    def asked(self, *argv: str) -> str:
        """What a program says that only reads; it may be long, and is not journalled. Raises Failed."""
        return run(argv, seconds=self.seconds).output

    def copy(self, places: Iterable[Extent]) -> None:
        """Show these places of the drive. Raises Failed."""
        with DeviceMedium(self.drive) as drive, Store(self.file, grow=True) as shown:
            for chunk in chunks(places):
                shown.write(chunk.start_bytes, drive.read(chunk.start_bytes, chunk.size_bytes))

    def moved(self, places: Iterable[Extent]) -> tuple[Extent, ...]:
        """What of `behind` is in use, where these places, in order and apart, are not: it has to move. Raises
        Failed where the run's folder has no room to keep it twice, as it is and with what stood in its new
        place."""
        found = tuple(clipped(self.behind, gaps(places, self.volume.end_bytes)))
        self.refuse_room(sum(one.size_bytes for one in found))
        return found

    def refuse_room(self, moved_bytes: int) -> None:
        """Raises Failed where the run's folder has no room for what moves, twice."""
        needed, room = 2 * moved_bytes, free_bytes(self.run)
        if needed and needed > room:
            raise Failed(
                refusal(
                    t(
                        "Moved data and overwritten data need {needed:size} in {folder}; {room:size} "
                        "is free.",
                        folder=str(self.run),
                        needed=needed,
                        room=room,
                    )
                )
            )

    @property
    def behind(self) -> tuple[Extent, ...]:
        """What of its old room it loses, and what it may leave before that; nothing where it grows."""
        if self.size_bytes >= self.volume.size_bytes:
            return ()
        start = max(0, self.size_bytes - LEFT_BYTES)
        return (self.within(start, self.volume.size_bytes - start),)

    def within(self, start_bytes: int, size_bytes: int) -> Extent:
        """A place that counts from the filesystem's start, as one of the drive."""
        return Extent(self.volume.start_bytes + start_bytes, size_bytes)


Show = Callable[[Showing], tuple[Extent, ...]]
"""Shows a filesystem's records and what it has to move, and gives the places in its old room, besides those
that are shown, where its program may write: what is free. Raises Failed for one that cannot be resized so."""


def shown_with(show: Show, showing: Showing) -> tuple[Extent, ...]:
    """Have the stand-in show the filesystem; everywhere in its old room where its program may write. Raises
    Failed."""
    forget_caches(showing.real)
    free = show(showing)
    showing.copy(_edges(free, showing))
    forget_caches(showing.stand_in)
    return (*free, *_put_right(showing))


def _edges(places: Iterable[Extent], showing: Showing) -> tuple[Extent, ...]:
    """The pages around each edge of what may be written that ends within a page, of the file or of the
    partition: with a block the kernel writes what else is in its page."""
    start = showing.volume.start_bytes
    edges = {edge for place in places for edge in (place.start_bytes, place.end_bytes)}
    around = (
        Extent(edge - GRAIN_BYTES, 2 * GRAIN_BYTES)
        for edge in edges
        if edge % GRAIN_BYTES or (edge - start) % GRAIN_BYTES
    )
    pages = merged(around, GRAIN_BYTES, showing.volume.end_bytes)
    return tuple(clipped(pages, (showing.volume,)))


def _put_right(showing: Showing) -> tuple[Extent, ...]:
    """Give the stand-in the drive's bytes in the filesystem's room, wherever it holds any; those places."""
    with DeviceMedium(showing.drive) as drive, Store(showing.file, grow=True) as shown:
        places = tuple(clipped(held(shown.fd), (showing.volume,)))
        wrong = tuple(differing(places, drive.read, shown.read))
        for chunk in chunks(wrong):
            shown.put(chunk.start_bytes, drive.read(chunk.start_bytes, chunk.size_bytes))
        if any(differing(places, drive.read, shown.read)):
            raise Failed(refusal(t("{device} changes while being read.", device=showing.real)))
    if wrong:
        forget_caches(showing.stand_in)
    return places
