"""Resize a Btrfs. Chunks contain either data or metadata (btrfs-inspect-internal(8), dump-tree).

All metadata chunks are copied; data chunks are never written. Growing changes only metadata, in metadata
chunks or outside all chunks (Linux fs/btrfs/volumes.c). Shrinking moves chunk data beyond the new end, which
is copied, to free space elsewhere.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from msgspec import Struct

from wizard.apply.block import extents
from wizard.apply.engine.signatures import BTRFS_COPIES
from wizard.apply.resize import metadata
from wizard.apply.steps.step_context import StepContext
from wizard.model.machine import Extent
from wizard.model.said import KIB, t
from wizard.operations.filesystem import Resize

SUPERBLOCK_AT = 64 * KIB
"""The first superblock; copies are at BTRFS_COPIES (btrfs(5))."""

SUPERBLOCK = ("btrfs", "inspect-internal", "dump-super")
CHUNKS = ("btrfs", "inspect-internal", "dump-tree", "--tree", "chunk")
CHUNK = re.compile(r"CHUNK_ITEM (\d+)\).*?\n\s+length (\d+) .*? type (\S+)\n((?:(?!\titem ).*\n)*)")
EXTENTS = ("btrfs", "inspect-internal", "dump-tree", "--tree", "extent")
EXTENT = re.compile(r"\((\d+) EXTENT_ITEM (\d+)\)")
"""A data extent: logical address and length. Metadata has METADATA_ITEM, or is in metadata chunks."""

STRIPE = re.compile(r"stripe \d+ devid \d+ offset (\d+)")
PROFILES = frozenset({"single", "DUP"})
"""Profiles for a single device, where every stripe contains the whole chunk."""


class Chunk(Struct, frozen=True):
    """A chunk: its logical address, its types (DATA, METADATA, SYSTEM), its profile, and the places on the
    device."""

    start_bytes: int
    holds: frozenset[str]
    profile: str
    places: tuple[Extent, ...]


def show(showing: metadata.Showing) -> tuple[Extent, ...]:
    """Copy all metadata chunks, and data that must move. Return places without file data. Raises Failed."""
    superblock, start = showing.asked(*SUPERBLOCK, showing.real), showing.volume.start_bytes
    block = number_in(superblock, "sectorsize")
    if block % extents.GRAIN_BYTES or start % extents.GRAIN_BYTES:
        raise metadata.refused(metadata.SMALL_BLOCKS(block=block, start=start, page=extents.GRAIN_BYTES))
    if (devices := number_in(superblock, "num_devices")) != 1:
        raise metadata.refused(metadata.DEVICES(devices=devices))
    if number_in(superblock, "log_root"):
        raise metadata.refused(metadata.CUT_OFF)
    found = chunks_in(showing.asked(*CHUNKS, showing.real))
    if any(one.holds >= {"DATA", "METADATA"} or one.profile not in PROFILES for one in found):
        raise metadata.refused(t("Some Btrfs chunks mix data and metadata, or use an unsupported profile."))
    records = [place for one in found if "DATA" not in one.holds for place in one.places]
    copies = [
        Extent(at, extents.GRAIN_BYTES)
        for at in (SUPERBLOCK_AT, *BTRFS_COPIES)
        if at + extents.GRAIN_BYTES <= showing.volume.size_bytes
    ]
    showing.copy(showing.within(one.start_bytes, one.size_bytes) for one in (*records, *copies))
    if not showing.behind:
        files = [place for one in found if "DATA" in one.holds for place in one.places]
        return _places_without(files, showing)
    used = in_use(found, showing.asked(*EXTENTS, showing.real))
    beyond_end = [place for one in found for place in one.places if place.end_bytes > showing.size_bytes]
    moved = tuple(extents.clipped(extents.merged(beyond_end, 1, showing.volume.size_bytes), used))
    showing.refuse_room(sum(one.size_bytes for one in moved))
    showing.copy(showing.within(one.start_bytes, one.size_bytes) for one in moved)
    return _places_without(used, showing)


def writable_now(showing: metadata.Showing) -> tuple[Extent, ...]:
    """Return places on the shrunk scratch copy without file data. Growing moves none. Raises Failed."""
    if not showing.behind:
        return ()
    found = chunks_in(showing.asked(*CHUNKS, showing.scratch))
    return _places_without(in_use(found, showing.asked(*EXTENTS, showing.scratch)), showing)


def _places_without(files: Iterable[Extent], showing: metadata.Showing) -> tuple[Extent, ...]:
    used = extents.merged(files, 1, showing.volume.size_bytes)
    rest = extents.gaps(used, showing.volume.size_bytes)
    return tuple(showing.within(one.start_bytes, one.size_bytes) for one in rest)


def in_use(found: Sequence[Chunk], text: str) -> tuple[Extent, ...]:
    """Parse the extent tree from dump-tree, and return the places of file data on the device, sorted and
    disjoint. Pure."""
    data = sorted((one for one in found if "DATA" in one.holds), key=lambda one: one.start_bytes)
    starts = [one.start_bytes for one in data]
    places: list[Extent] = []
    for start, length in ((int(one[1]), int(one[2])) for one in EXTENT.finditer(text)):
        at = bisect_right(starts, start) - 1
        if at >= 0 and start < starts[at] + data[at].places[0].size_bytes:
            offset = start - starts[at]
            places += (Extent(place.start_bytes + offset, length) for place in data[at].places)
    return extents.merged(places, 1, max((one.end_bytes for one in places), default=0))


def chunks_in(text: str) -> tuple[Chunk, ...]:
    """Parse the chunk tree from dump-tree. Raises Failed if it lists no chunks. Pure."""
    found = []
    for start, length, kind, stripes in CHUNK.findall(text):
        *holds, profile = kind.split("|")
        places = tuple(Extent(int(at), int(length)) for at in STRIPE.findall(stripes))
        found.append(Chunk(int(start), frozenset(holds), profile, places))
    if len(found) != text.count("CHUNK_ITEM ") or not found:
        raise metadata.not_told("btrfs", "CHUNK_ITEM")
    return tuple(found)


def number_in(text: str, name: str) -> int:
    """Return a number from dump-super. Raises Failed if it is missing. Pure."""
    found = re.search(rf"(?m)^{re.escape(name)}\s+(\d+)", text)
    if found is None:
        raise metadata.not_told("btrfs", name)
    return int(found[1])


def held_bytes(operation: Resize, _said: str, context: StepContext) -> int:
    """Return the current size in bytes. Raises Failed."""
    return number_in(context.command((*SUPERBLOCK, operation.device)).output, "total_bytes")
