"""Compare a drive with the saved and planned bytes of a run, block by block. Read-only.

Also deletes saved bytes and scratch copies. Deleting the saved bytes makes undo impossible.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from shutil import rmtree

from wizard.apply.block.extents import DeviceMedium, Medium, Read, chunks, held, without
from wizard.apply.engine.record import DriveChange, SavedSignature
from wizard.apply.engine.stores import FOLDER, Store, barred, digest_of, is_zero, new_file, old_file
from wizard.model.errors import BadInput, Failed
from wizard.model.machine import Extent
from wizard.model.said import KERNEL_SECTOR_BYTES

LEAST_VALUES, ENOUGH_BLOCKS = 16, 64
"""A block with so many different bytes identifies a drive; the first blocks found are asked for that."""


class Content(StrEnum):
    """What a drive contains in the places of a change.

    OLD, NEW: every byte is as before the run, or as planned. HIDDEN: as planned, without the new signatures.
    PARTIAL: every block is one of these. FOREIGN: another program wrote there, or it is another drive.
    """

    OLD = "old"
    NEW = "new"
    HIDDEN = "hidden"
    PARTIAL = "partial"
    FOREIGN = "foreign"


@dataclass(frozen=True, slots=True)
class Likeness:
    """How many blocks of a drive equal the saved bytes, equal only the planned bytes or the notice, and equal
    neither. Blocks that many drives share, such as zeros, count for none."""

    old: int = 0
    new: int = 0
    other: int = 0

    @property
    def is_known(self) -> bool:
        """Whether the drive contains anything of the run."""
        return self.old > 0 or self.new > 0


@dataclass(frozen=True, slots=True)
class DriveSide:
    """One drive of the exchange: its medium, and the bytes that it held and is to hold. `notice` is what it
    carries while it is barred; empty where it carries none, or what was kept of that is damaged. `told`
    hears how many bytes of the places were just read, compared or written."""

    change: DriveChange
    medium: Medium
    old: Read
    new: Read
    notice: bytes = b""
    told: Callable[[int], None] = lambda size: None

    @property
    def barred(self) -> Read:
        """What it holds while it is barred. What stays is still there: that does not need the old bytes."""
        return barred(self.change, self.medium.read, self.new, self.notice)

    def holds(self, digest: str) -> bool:
        """Whether the drive, read past every cache, holds what has this digest; raises Failed where it cannot
        be read."""
        return digest_of(self.change.places, self.medium.read, self.told) == digest

    def keeps_old(self) -> bool:
        """Whether the bytes that it held are kept as they were saved."""
        return _is_whole(self, self.old, self.change.old_digest)

    def keeps_new(self) -> bool:
        """Whether the bytes that it is to hold are kept as they were made."""
        return _is_whole(self, self.new, self.change.new_digest)

    def keeps_notice(self) -> bool:
        """Whether the notice is kept, if there is to be one."""
        return self.change.notice is None or bool(self.notice)

    def may_notice(self, start_bytes: int, block: bytes) -> bool:
        """Whether a block is one of the notice; where what was kept of that is damaged, any in its place."""
        place = self.change.notice
        if place is None or not place.start_bytes <= start_bytes < place.end_bytes:
            return False
        at = start_bytes - place.start_bytes
        return not self.notice or self.notice[at : at + len(block)] == block


def _is_whole(side: DriveSide, kept: Read, digest: str) -> bool:
    try:
        return digest_of(side.change.places, kept, side.told) == digest
    except Failed:
        return False


def blocks(mark: SavedSignature, block_bytes: int) -> Iterator[tuple[int, int]]:
    """The logical blocks of a mark. The drive writes each of them whole or not at all."""
    return ((start, block_bytes) for start in range(mark.start_bytes, mark.extent.end_bytes, block_bytes))


def stray(side: DriveSide, *, before: bool = False, released: bool = False) -> int | None:
    """The first byte of a block that holds neither what it held, nor what it is to hold, nor, in a mark's
    place, what is there while it is barred, nor the notice in its own: another program wrote there. None
    where there is none. `before` says that nothing of what it is to hold was written yet; `released`, that
    all of it was but the marks. The old bytes are not needed then: a mark that stays may hold anything.

    A block that cannot be read is none: a power cut can leave one half written, and writing it again mends
    it. Raises Failed where not one can be read: what others wrote there would not be seen.
    """
    failed: list[Failed] = []
    seen = False
    marks = side.change.old_marks if before else side.change.marks
    known_by = (side.old,) if before else (side.new,) if released else (side.old, side.new)
    staying = [mark.extent for mark in marks if released and mark.stays]
    bare = {
        (start, replace(mark, stays=False).away(start, size, side.old))
        for mark in marks
        for start, size in blocks(mark, side.medium.logical_block_bytes)
    }
    for chunk in chunks(side.change.places):
        side.told(chunk.size_bytes)
        known = [read(chunk.start_bytes, chunk.size_bytes) for read in known_by]
        for start, now in _readable(side.medium, chunk, failed):
            seen = True
            if now in known:
                continue
            at = start - chunk.start_bytes
            for offset in range(0, len(now), side.medium.logical_block_bytes):
                block = now[offset : offset + side.medium.logical_block_bytes]
                if any(block == one[at + offset :][: len(block)] for one in known):
                    continue
                place = Extent(start + offset, len(block))
                if (place.start_bytes, block) in bare or without(place, staying) != (place,):
                    continue
                if before or not side.may_notice(start + offset, block):
                    return start + offset
    if failed and not seen:
        raise failed[0]
    return None


def _readable(medium: Medium, chunk: Extent, failed: list[Failed]) -> Iterator[tuple[int, bytes]]:
    """What the drive holds there, in pieces, without the blocks that cannot be read; why goes to
    `failed`."""
    try:
        yield chunk.start_bytes, medium.read(chunk.start_bytes, chunk.size_bytes)
        return
    except Failed:
        pass
    size = medium.logical_block_bytes
    for start in range(chunk.start_bytes, chunk.end_bytes, size):
        try:
            block = medium.read(start, size)
        except Failed as error:
            failed[:] = [error]
            continue
        yield start, block


def is_bare(side: DriveSide, marks: tuple[SavedSignature, ...], shown: Read) -> bool:
    """Whether a block by which something would be recognised is taken away. Raises Failed."""
    for mark in marks:
        for start, size in blocks(mark, side.medium.logical_block_bytes):
            away = mark.away(start, size, side.old)
            if shown(start, size) != away and side.medium.read(start, size) == away:
                return True
    return False


def shows_old(side: DriveSide) -> bool:
    """Whether a mark of what it held is there, and is none of what it is to hold. What cannot be read shows
    nothing; where what it is to hold is not kept any more, that is like nothing."""
    for mark in side.change.old_marks:
        for start, size in blocks(mark, side.medium.logical_block_bytes):
            new = b""
            with suppress(Failed):
                new = side.new(start, size)
            with suppress(Failed):
                if any(held := side.old(start, size)) and side.medium.read(start, size) == held != new:
                    return True
    return False


def content_of(side: DriveSide) -> Content:
    """Compare all places of a drive with both states, past every cache. Raises Failed if the drive cannot be
    read."""
    found = digest_of(side.change.places, side.medium.read, side.told)
    named = {
        side.change.barred_digest: Content.HIDDEN,
        side.change.new_digest: Content.NEW,
        side.change.old_digest: Content.OLD,
    }
    if found in named:
        return named[found]
    if not (side.keeps_old() and side.keeps_new()):
        return Content.FOREIGN
    return Content.PARTIAL if stray(side) is None else Content.FOREIGN


def likeness(side: DriveSide) -> Likeness:
    """Count the blocks by which a drive is known as the run's. Unreadable blocks count for none."""
    counts = [0, 0, 0]
    size = side.medium.logical_block_bytes
    for chunk in chunks(side.change.places):
        old, new = (_read_or_nothing(read, chunk) for read in (side.old, side.new))
        for start, now in _readable(side.medium, chunk, []):
            first = start - chunk.start_bytes
            for at in range(0, len(now), size):
                block = now[at : at + size]
                if is_zero(block):
                    continue
                place = slice(first + at, first + at + size)
                if block == old[place]:
                    kind = 0
                elif block == new[place] or side.may_notice(start + at, block):
                    kind = 1
                else:
                    counts[2] += 1
                    continue
                # A few values repeated (a protective MBR, a bitmap) are alike on many drives.
                if counts[kind] >= ENOUGH_BLOCKS or len({*block}) >= LEAST_VALUES:
                    counts[kind] += 1
    return Likeness(*counts)


def _read_or_nothing(read: Read, chunk: Extent) -> bytes:
    try:
        return read(chunk.start_bytes, chunk.size_bytes)
    except Failed:
        return b""


@dataclass(frozen=True, slots=True)
class Proof:
    """What a comparison of all drives of a run showed, whose saved bytes are in `folder`. OLD: every saved
    byte is on its drive. NEW: the drives contain the planned bytes, or every check of the plan holds, and the
    user keeps them. Made by `compare_saved`, by the exchange and its checks, and after the plan's checks."""

    folder: Path
    content: Content


def delete_saved(proof: Proof) -> None:
    """Delete the saved bytes and the scratch copies. Undo is impossible afterwards."""
    if proof.content not in (Content.OLD, Content.NEW):
        raise ValueError(proof.content)
    rmtree(proof.folder, ignore_errors=True)


def delete_scratch(run: Path, nodes: Sequence[str]) -> None:
    """Delete what a rehearsal left that ended early: the scratch copies, and the saved bytes if each of them
    is still on its drive."""
    for number in range(len(nodes)):
        new_file(run, number).unlink(missing_ok=True)
    if proof := compare_saved(run, nodes):
        delete_saved(proof)


def compare_saved(run: Path, nodes: Sequence[str]) -> Proof | None:
    """Compare the saved bytes of a run that has no record of its changes with its drives. None if a drive
    differs, or cannot be read."""
    for number, node in enumerate(nodes):
        file = old_file(run, number)
        if not file.exists():
            continue
        try:
            with Store(file) as old, DeviceMedium(node) as drive:
                for chunk in chunks(held(old.fd)):
                    place = (chunk.start_bytes, min(chunk.end_bytes, drive.size_bytes) - chunk.start_bytes)
                    if not _contains(drive.read(*place), old.read(*place)):
                        return None
        except (BadInput, Failed):
            return None
    return Proof(run / FOLDER, Content.OLD)


def _contains(there: bytes, saved: bytes) -> bool:
    """Whether each sector that was saved is there. Where saving was cut off, the file has zeros."""
    size = KERNEL_SECTOR_BYTES
    return there == saved or all(
        there[at : at + size] == saved[at : at + size] or is_zero(saved[at : at + size])
        for at in range(0, len(saved), size)
    )
