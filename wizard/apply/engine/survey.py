"""Compare a drive with the saved and planned bytes of a run, block by block. Read-only.

Also deletes saved bytes and scratch copies. Deleting the saved bytes makes undo impossible.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from enum import StrEnum
from functools import partial
from hashlib import sha256
from math import gcd
from pathlib import Path
from shutil import rmtree

from msgspec import Struct
from msgspec.structs import replace

from wizard.apply.block import extents
from wizard.apply.engine import stores
from wizard.apply.engine.record import DriveChange, SavedSignature
from wizard.model.errors import BadInput, Failed
from wizard.model.machine import Extent
from wizard.model.said import KERNEL_SECTOR_BYTES, MIB, Message, rounded_up, t

LEAST_VALUES, ENOUGH_BLOCKS = 16, 64
"""Distinct bytes by which a block identifies a drive. After so many such blocks, all others count, too."""


class Content(StrEnum):
    """Contents of a drive in the places of a change.

    OLD, NEW: every byte is as before the run, or as planned. HIDDEN: as planned, without the new signatures.
    PARTIAL: a mixture of old, new and hidden blocks. FOREIGN: another program wrote there, or it is another
    drive.
    """

    OLD = "old"
    NEW = "new"
    HIDDEN = "hidden"
    PARTIAL = "partial"
    FOREIGN = "foreign"


class BlockCounts(Struct, frozen=True):
    """Number of blocks that equal the saved bytes, only the planned bytes or the notice, or neither. Blocks
    that many drives share, such as zeros, do not count."""

    old: int = 0
    new: int = 0
    other: int = 0

    @property
    def is_known(self) -> bool:
        """True if the drive contains saved or planned bytes of the run."""
        return self.old > 0 or self.new > 0


class DriveSide(Struct, frozen=True):
    """Drive of an exchange, with readers of its old and new bytes.

    `notice` is the one on the hidden drive, empty if the drive has none or the stored one is damaged. `told`
    receives the number of bytes read, compared or written.
    """

    change: DriveChange
    medium: extents.Medium
    old: extents.Read
    new: extents.Read
    notice: bytes = b""
    told: Callable[[int], None] = lambda size: None

    @property
    def hidden(self) -> extents.Read:
        """Reader of the hidden contents. Signatures that stay are read from the drive, so the old bytes are
        not needed."""
        return stores.hidden_reader(self.change, self.medium.read, self.new, self.notice)

    def holds(self, digest: str) -> bool:
        """Return True if the drive, read past every cache, matches this digest. Raises Failed."""
        return stores.digest_of(self.change.places, self.medium.read, self.told) == digest

    def is_old_intact(self) -> bool:
        """Return True if the saved old bytes are intact."""
        return self._is_intact(self.old, self.change.old_digest)

    def is_new_intact(self) -> bool:
        """Return True if the stored new bytes are intact."""
        return self._is_intact(self.new, self.change.new_digest)

    def _is_intact(self, kept: extents.Read, digest: str) -> bool:
        with suppress(Failed):
            return stores.digest_of(self.change.places, kept, self.told) == digest
        return False

    def is_notice_intact(self) -> bool:
        """Return True if the stored notice is intact, or the drive needs none."""
        return self.change.notice is None or bool(self.notice)

    def blocks(self, mark: SavedSignature) -> Iterator[tuple[int, int]]:
        """Yield start and length of a signature's logical blocks, each of which is written atomically."""
        size = self.medium.logical_block_bytes
        return ((start, size) for start in range(mark.start_bytes, mark.extent.end_bytes, size))

    def may_notice(self, start_bytes: int, block: bytes) -> bool:
        """Return True if a block is part of the notice. If the stored notice is damaged, any block in that
        place counts."""
        place = self.change.notice
        if place is None or not place.start_bytes <= start_bytes < place.end_bytes:
            return False
        at = start_bytes - place.start_bytes
        return not self.notice or self.notice[at : at + len(block)] == block


def find_foreign_block(side: DriveSide, *, before: bool = False, released: bool = False) -> int | None:
    """Return the offset of the first foreign block, or None. A foreign block is neither old nor new, nor a
    hidden signature, nor the notice.

    `before`: no new bytes were written yet. `released`: all new bytes except the signatures were written.
    Then the old bytes are not needed, and signatures that stay may contain anything.

    Unreadable blocks are skipped: a power cut can leave a block half written, and rewriting repairs the
    block. Raises Failed if all are unreadable, since foreign bytes would be missed.
    """
    failed: list[Failed] = []
    seen = False
    marks = side.change.old_marks if before else side.change.marks
    known_by = (side.old,) if before else (side.new,) if released else (side.old, side.new)
    staying = [mark.extent for mark in marks if released and mark.stays]
    bare = {
        (start, replace(mark, stays=False).away(start, size, side.old))
        for mark in marks
        for start, size in side.blocks(mark)
    }
    for chunk in extents.chunks(side.change.places):
        side.told(chunk.size_bytes)
        known = [read(chunk.start_bytes, chunk.size_bytes) for read in known_by]
        for start, now in readable(side.medium, chunk, failed):
            seen = True
            if now in known:
                continue
            at = start - chunk.start_bytes
            for offset in range(0, len(now), side.medium.logical_block_bytes):
                block = now[offset : offset + side.medium.logical_block_bytes]
                if any(block == one[at + offset :][: len(block)] for one in known):
                    continue
                place = Extent(start + offset, len(block))
                if (place.start_bytes, block) in bare or place.without(staying) != (place,):
                    continue
                if before or not side.may_notice(start + offset, block):
                    return start + offset
    if failed and not seen:
        raise failed[0]
    return None


def readable(medium: extents.Medium, chunk: Extent, failed: list[Failed]) -> Iterator[tuple[int, bytes]]:
    """Yield the readable pieces of a chunk. The last error is stored in `failed`."""
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


def is_cleared(side: DriveSide, marks: tuple[SavedSignature, ...], shown: extents.Read) -> bool:
    """Return True if a block of these signatures is cleared on the drive. `shown` reads the signatures.
    Raises Failed."""
    for mark in marks:
        for start, size in side.blocks(mark):
            away = mark.away(start, size, side.old)
            if shown(start, size) != away and side.medium.read(start, size) == away:
                return True
    return False


def shows_signature(side: DriveSide, *, new: bool) -> bool:
    """Return True if the drive contains a block of a `new` or old signature that differs from the other
    bytes. Unreadable blocks count as cleared.

    If the new bytes are lost, any old block counts. If the old ones are lost, no block counts.
    """
    if new:
        return _shows_any(side, side.change.new_marks, side.new, lambda _: side.old)
    return _shows_any(side, side.change.old_marks, side.old, lambda _: partial(_read_or_empty, side.new))


def is_released(side: DriveSide) -> bool:
    """Return True if the drive contains a block of a new signature. Unreadable blocks do not count."""
    marks = (mark for mark in side.change.new_marks if not mark.stays)
    return _shows_any(side, marks, side.new, lambda mark: partial(mark.away, held=side.old))


def _shows_any(
    side: DriveSide,
    marks: Iterable[SavedSignature],
    own: extents.Read,
    other: Callable[[SavedSignature], extents.Read],
) -> bool:
    """Return True if the drive contains a block of these signatures, as `own` reads it, that is neither zeros
    nor as `other` reads it. Unreadable blocks do not count."""
    for mark in marks:
        for start, size in side.blocks(mark):
            with suppress(Failed):
                data = own(start, size)
                if any(data) and side.medium.read(start, size) == data != other(mark)(start, size):
                    return True
    return False


PAGES = 256
"""Sampled pages in places of zeros."""


def sample_of_zeros(places: Sequence[Extent]) -> tuple[Extent, ...]:
    """Return about `PAGES` evenly spaced pages of these places."""
    total = sum(place.size_bytes for place in places)
    step = rounded_up(total // PAGES + 1, extents.GRAIN_BYTES)
    return tuple(
        Extent(start, min(extents.GRAIN_BYTES, place.end_bytes - start))
        for place in places
        for start in range(place.start_bytes, place.end_bytes, step)
    )


def first_data(read: extents.Read, places: Sequence[Extent]) -> int | None:
    """Return the offset of the first nonzero byte in these places, or None. Unreadable places count as
    data."""
    for chunk in extents.chunks(places):
        try:
            data = read(chunk.start_bytes, chunk.size_bytes)
        except Failed:
            return chunk.start_bytes
        if not stores.is_zero(data):
            return chunk.end_bytes - len(data.lstrip(b"\0"))
    return None


def blocks_with_data(
    drive: extents.Medium, places: Iterable[Extent], failed: list[Failed]
) -> Iterator[Extent]:
    """Yield the first readable logical block with data in each readable piece of these places. `failed`: see
    `readable`."""
    block = drive.logical_block_bytes
    for chunk in extents.chunks(places):
        for start, data in readable(drive, chunk, failed):
            if not stores.is_zero(data):
                at = start + len(data) - len(data.lstrip(b"\0"))
                yield Extent(at // block * block, block)


def has_zeroed(side: DriveSide) -> bool:
    """Return True if the witness is no longer as before the run: keep has begun to write zeros over bytes
    that are not saved, or another program wrote there. Unreadable or lost bytes count. Without a witness, a
    sample shows if another program wrote."""
    if not (place := side.change.witness):
        return any(blocks_with_data(side.medium, sample_of_zeros(side.change.zeros), []))
    try:
        saved = side.old(place.start_bytes, place.size_bytes)
        return not any(saved) or side.medium.read(place.start_bytes, place.size_bytes) != saved
    except Failed:
        return True


def content_of(side: DriveSide) -> Content:
    """Compare all places of a drive, read past every cache, with the old, new and hidden contents. Raises
    Failed if the drive cannot be read."""
    found = stores.digest_of(side.change.places, side.medium.read, side.told)
    named = {
        side.change.barred_digest: Content.HIDDEN,
        side.change.new_digest: Content.NEW,
        side.change.old_digest: Content.OLD,
    }
    if found in named:
        return named[found]
    if not (side.is_old_intact() and side.is_new_intact()):
        return Content.FOREIGN
    return Content.PARTIAL if find_foreign_block(side) is None else Content.FOREIGN


def count_blocks(side: DriveSide) -> BlockCounts:
    """Count the blocks that identify a drive as the run's. Unreadable blocks do not count."""
    counts = [0, 0, 0]
    size = side.medium.logical_block_bytes
    for chunk in extents.chunks(side.change.places):
        old, new = (
            _read_or_empty(read, chunk.start_bytes, chunk.size_bytes) for read in (side.old, side.new)
        )
        for start, now in readable(side.medium, chunk, []):
            first = start - chunk.start_bytes
            for at in range(0, len(now), size):
                block = now[at : at + size]
                if stores.is_zero(block):
                    continue
                place = slice(first + at, first + at + size)
                if block == old[place]:
                    kind = 0
                elif block == new[place] or side.may_notice(start + at, block):
                    kind = 1
                else:
                    counts[2] += 1
                    continue
                # Blocks of a few repeated values (a protective MBR, a bitmap) are the same on many drives.
                if counts[kind] >= ENOUGH_BLOCKS or len({*block}) >= LEAST_VALUES:
                    counts[kind] += 1
    return BlockCounts(*counts)


def wrapped(side: DriveSide, written: extents.Read | None = None) -> Message | None:
    """Return the likely capacity of a drive that returns bytes written to other places, as counterfeit drives
    do. None if another program may have written there, or the planned bytes are unreadable. `written`: other
    bytes than the new and hidden ones."""
    planned: dict[bytes, list[int]] = {}
    moved: list[tuple[int, bytes]] = []
    zeroed: list[tuple[int, bytes]] = []
    try:
        reads = (partial(_read_or_empty, side.old), *((written,) if written else (side.new, side.hidden)))
        for start, (now, old, *known) in _sectors(side, reads):
            # Zeros could come from anywhere. They count if both places had the same old bytes, too.
            was = old if len({*old}) >= LEAST_VALUES else b""
            for block in {*known}:
                if key := _key(block, was):
                    planned.setdefault(key, []).append(start)
            if now not in known and (key := _key(now, was)):
                (moved if len({*now}) >= LEAST_VALUES else zeroed).append((start, key))
    except Failed:
        return None
    sources = [(place, planned.get(key, [])) for place, key in moved or zeroed]
    if not sources or not all(known_at for _, known_at in sources):
        return None
    # Bytes with several sources, such as both copies of a GPT, only count if there are no others. The real
    # capacity is then more likely a round number.
    clear = [(place, found[0]) for place, found in sources if len(found) == 1]
    shifts = clear or [
        (place, max(found, key=lambda source: (place - source) & (source - place)))
        for place, found in sources
    ]
    capacity = gcd(*(place - source for place, source in shifts))
    if capacity < MIB:
        return None
    place, source = shifts[0]
    return t(
        "{drive} returns at byte {place} what was written at byte {source}. "
        "The drive holds {size:size} or less.",
        drive=side.change.path,
        place=place,
        source=source,
        size=capacity,
    )


def _key(block: bytes, was: bytes) -> bytes | None:
    """Return a digest that identifies a written sector, or None. `was`: the old bytes, if any identify
    them."""
    if len({*block}) >= LEAST_VALUES:
        return sha256(block).digest()
    return sha256(block + was).digest() if was else None


def _sectors(side: DriveSide, known: Sequence[extents.Read]) -> Iterator[tuple[int, tuple[bytes, ...]]]:
    for chunk in extents.chunks(side.change.places):
        read = [one(chunk.start_bytes, chunk.size_bytes) for one in (side.medium.read, *known)]
        for at in range(0, chunk.size_bytes, KERNEL_SECTOR_BYTES):
            yield chunk.start_bytes + at, tuple(one[at : at + KERNEL_SECTOR_BYTES] for one in read)


def _read_or_empty(read: extents.Read, start_bytes: int, size_bytes: int) -> bytes:
    try:
        return read(start_bytes, size_bytes)
    except Failed:
        return b""


class Proof(Struct, frozen=True):
    """Proof that the bytes saved in `folder` are no longer needed: all drives of the run have the old bytes,
    or the planned bytes, or all checks of the plan passed and the user keeps the result. Made by
    `delete_scratch`, by the exchange and the checks, and after the plan's checks."""

    folder: Path


def delete_saved(proof: Proof) -> None:
    """Delete the saved bytes and the scratch copies. Undo is impossible afterwards."""
    rmtree(proof.folder, ignore_errors=True)


def delete_scratch(run: Path, nodes: Sequence[str]) -> None:
    """Delete the scratch copies of an interrupted rehearsal, and the saved bytes if the drives still contain
    all of them."""
    for number in range(len(nodes)):
        stores.new_file(run, number).unlink(missing_ok=True)
    with suppress(BadInput, Failed):
        for number, node in enumerate(nodes):
            file = stores.old_file(run, number)
            if not file.exists():
                continue
            with stores.Store(file) as old, extents.DeviceMedium(node) as drive:
                places = extents.merged(extents.held(old.fd), 1, drive.size_bytes)
                for start, saved in extents.pieces(places, old.read):
                    there = drive.read(start, len(saved))
                    starts = range(0, len(saved), KERNEL_SECTOR_BYTES) if there != saved else ()
                    for place in (slice(at, at + KERNEL_SECTOR_BYTES) for at in starts):
                        # An interrupted save leaves zeros in the file.
                        if there[place] != saved[place] and not stores.is_zero(saved[place]):
                            return
        delete_saved(Proof(run / stores.FOLDER))
