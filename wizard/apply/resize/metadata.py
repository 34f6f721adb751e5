"""Copy the metadata of a filesystem to a scratch copy for a resize, and data beyond the new end.

Other file data is missing from the copy, so it must not change. Programs that copy metadata can produce bytes
that differ from the drive. For example, xfs_mdrestore writes zeros to the last block (xfsprogs,
mdrestore/xfs_mdrestore.c). So all copied bytes are compared with the drive and corrected before the
rehearsal.
"""

import shlex
from collections.abc import Callable, Iterable
from pathlib import Path

from msgspec import Struct

from wizard.apply.block import extents
from wizard.apply.block.devices import forget_caches
from wizard.apply.engine.scratch_copies import free_bytes
from wizard.apply.engine.stores import Store
from wizard.apply.run.process import NOTHING_WRITTEN
from wizard.apply.steps.step_context import Do
from wizard.model.errors import Failed
from wizard.model.machine import Extent
from wizard.model.said import MIB, Message, Sentence, join, t
from wizard.process.program import Result, run

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


def refused(why: Message) -> Failed:
    """Return an error before the first write."""
    return Failed(join(why, NOTHING_WRITTEN))


def not_told(program: str, *what: str) -> Failed:
    """Return an error for incomplete output of a program."""
    return refused(NOT_TOLD(program=program, what=what))


def not_clean(device: str, *check: str) -> Failed:
    """Return an error for a filesystem that fails a check."""
    command = shlex.join((*check, device))
    return refused(t("{device} is not clean: run `{command}`.", device=device, command=command))


LEFT_BYTES = 16 * MIB
"""resize2fs omits a last block group with space only for its metadata, which is not larger than this
(e2fsprogs, resize/resize2fs.c, adjust_fs_info)."""


class Showing(Struct, frozen=True):
    """A filesystem to copy for a resize.

    `real` is its partition and `scratch` the one on the scratch copy; `volume` is the place of both. `drive`
    is the drive's node and `file` the scratch copy's file. `size_bytes` is the requested size. `run` is the
    run's folder. `do` runs and journals a command; read-only commands are limited to `seconds`.
    """

    real: str
    scratch: str
    volume: Extent
    size_bytes: int
    drive: str
    file: Path
    run: Path
    do: Do
    seconds: float

    def asked(self, *argv: str) -> str:
        """Return the output of a read-only command, which may be long and is not journaled. Raises Failed."""
        return run(argv, seconds=self.seconds).output

    def tried(self, *argv: str) -> Result:
        """Return the result of a read-only command with any exit status."""
        return run(argv, seconds=self.seconds, accept=range(256))

    def copy(self, places: Iterable[Extent]) -> None:
        """Copy these places from the drive. Raises Failed."""
        with extents.DeviceMedium(self.drive) as drive, Store(self.file, grow=True) as shown:
            extents.copy(places, drive.read, shown.write)

    def moved(self, places: Iterable[Extent]) -> tuple[Extent, ...]:
        """Return used places in `behind`, which must move, given the places without file data. Raises Failed
        if the run's folder lacks space for both the old data and the data overwritten by it."""
        found = tuple(extents.clipped(self.behind, extents.gaps(places, self.volume.end_bytes)))
        self.refuse_room(sum(one.size_bytes for one in found))
        return found

    def refuse_room(self, moved_bytes: int) -> None:
        """Raises Failed if the run's folder lacks space for twice the moved data."""
        needed, room = 2 * moved_bytes, free_bytes(self.run)
        if needed and needed > room:
            raise refused(
                t(
                    "Moved data and overwritten data need {needed:size} in {folder}; {room:size} is free.",
                    folder=self.run,
                    needed=needed,
                    room=room,
                )
            )

    @property
    def behind(self) -> tuple[Extent, ...]:
        """The space that shrinking gives up, including space that may be left unused before the new end.
        Empty for growing."""
        if self.size_bytes >= self.volume.size_bytes:
            return ()
        start = max(0, self.size_bytes - LEFT_BYTES)
        return (self.within(start, self.volume.size_bytes - start),)

    def within(self, start_bytes: int, size_bytes: int) -> Extent:
        """Convert a place in the filesystem to one on the drive."""
        return Extent(self.volume.start_bytes + start_bytes, size_bytes)


Show = Callable[[Showing], tuple[Extent, ...]]
"""Copies the metadata of a filesystem, and data that must move. Returns further places where its tool may
write, such as free space. Raises Failed for unsupported filesystems."""


def shown_with(show: Show, showing: Showing) -> tuple[Extent, ...]:
    """Copy the filesystem's metadata to the scratch copy, and return all places where its tool may write.
    Raises Failed."""
    forget_caches(showing.real)
    free = show(showing)
    showing.copy(_edges(free, showing))
    forget_caches(showing.scratch)
    return (*free, *_correct(showing))


def _edges(places: Iterable[Extent], showing: Showing) -> tuple[Extent, ...]:
    """Return the pages at unaligned edges of writable places, in the file or the partition. The kernel writes
    whole pages."""
    start = showing.volume.start_bytes
    edges = {edge for place in places for edge in (place.start_bytes, place.end_bytes)}
    around = (
        Extent(edge - extents.GRAIN_BYTES, 2 * extents.GRAIN_BYTES)
        for edge in edges
        if edge % extents.GRAIN_BYTES or (edge - start) % extents.GRAIN_BYTES
    )
    pages = extents.merged(around, extents.GRAIN_BYTES, showing.volume.end_bytes)
    return tuple(extents.clipped(pages, (showing.volume,)))


def _correct(showing: Showing) -> tuple[Extent, ...]:
    """Correct the scratch copy's bytes in the filesystem to those of the drive. Return all places it
    contains. Raises Failed if the drive changes during this."""
    with extents.DeviceMedium(showing.drive) as drive, Store(showing.file, grow=True) as shown:
        places = tuple(extents.clipped(extents.held(shown.fd), (showing.volume,)))
        differing_places = tuple(extents.differing(places, drive.read, shown.read))
        extents.copy(differing_places, drive.read, shown.put)
        if any(extents.differing(places, drive.read, shown.read)):
            raise refused(t("{device} changes while being read.", device=showing.real))
    if differing_places:
        forget_caches(showing.scratch)
    return places
