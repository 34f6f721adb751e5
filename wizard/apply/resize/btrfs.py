"""Resize a Btrfs. Chunks contain either data or metadata (btrfs-inspect-internal(8), dump-tree).

All metadata chunks are copied; data chunks are never written. Growing changes only metadata, in metadata
chunks or outside all chunks (Linux fs/btrfs/volumes.c). Shrinking moves chunk data beyond the new end, which
is copied, to free space elsewhere.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from wizard.apply.block.extents import GRAIN_BYTES, clipped, gaps, merged
from wizard.apply.engine.signatures import BTRFS_COPIES
from wizard.apply.resize.showing import CUT_OFF, DEVICES, NOT_TOLD, SMALL_BLOCKS, Showing, refusal
from wizard.apply.steps.step_context import StepContext
from wizard.model.errors import Failed
from wizard.model.machine import Extent
from wizard.model.plan import Resizing
from wizard.model.said import KIB, t

SUPERBLOCK_AT = 64 * KIB
"""The first; copies lie at BTRFS_COPIES (btrfs(5))."""

SUPERBLOCK = ("btrfs", "inspect-internal", "dump-super")
CHUNKS = ("btrfs", "inspect-internal", "dump-tree", "--tree", "chunk")
CHUNK = re.compile(r"CHUNK_ITEM (\d+)\).*?\n\s+length (\d+) .*? type (\S+)\n((?:(?!\titem ).*\n)*)")
EXTENTS = ("btrfs", "inspect-internal", "dump-tree", "--tree", "extent")
EXTENT = re.compile(r"\((\d+) EXTENT_ITEM (\d+)\)")
"""A stretch that is in use: where in the filesystem, and how long. Records have METADATA_ITEM, or lie in
chunks of records."""

STRIPE = re.compile(r"stripe \d+ devid \d+ offset (\d+)")
PROFILES = frozenset({"single", "DUP"})
"""What one device alone can have: every stripe has all of the chunk."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A chunk: where in the filesystem it is, what it holds (DATA, METADATA, SYSTEM), how it is spread, and
    where it lies on the device."""

    start_bytes: int
    holds: frozenset[str]
    profile: str
    places: tuple[Extent, ...]


def show(showing: Showing) -> tuple[Extent, ...]:
    """Show every chunk of records, and what has to move; the places are those where no files are. Raises
    Failed."""
    _refuse(showing.asked(*SUPERBLOCK, showing.real), showing)
    found = chunks_in(showing.asked(*CHUNKS, showing.real))
    if any(one.holds >= {"DATA", "METADATA"} or one.profile not in PROFILES for one in found):
        raise Failed(refusal(t("Some Btrfs chunks mix data and metadata, or use an unsupported profile.")))
    records = [place for one in found if "DATA" not in one.holds for place in one.places]
    copies = [
        Extent(at, GRAIN_BYTES)
        for at in (SUPERBLOCK_AT, *BTRFS_COPIES)
        if at + GRAIN_BYTES <= showing.volume.size_bytes
    ]
    showing.copy(showing.within(one.start_bytes, one.size_bytes) for one in (*records, *copies))
    if not showing.behind:
        files = [place for one in found if "DATA" in one.holds for place in one.places]
        return _elsewhere(files, showing)
    used = in_use(found, showing.asked(*EXTENTS, showing.real))
    going = [place for one in found for place in one.places if place.end_bytes > showing.size_bytes]
    moved = tuple(clipped(merged(going, 1, showing.volume.size_bytes), used))
    showing.refuse_room(sum(one.size_bytes for one in moved))
    showing.copy(showing.within(one.start_bytes, one.size_bytes) for one in moved)
    return _elsewhere(used, showing)


def writable_now(showing: Showing) -> tuple[Extent, ...]:
    """Where no files are on the stand-in, once it has shrunk; what grows moves none. Raises Failed."""
    if not showing.behind:
        return ()
    found = chunks_in(showing.asked(*CHUNKS, showing.stand_in))
    return _elsewhere(in_use(found, showing.asked(*EXTENTS, showing.stand_in)), showing)


def _elsewhere(files: Iterable[Extent], showing: Showing) -> tuple[Extent, ...]:
    taken = merged(files, 1, showing.volume.size_bytes)
    rest = gaps(taken, showing.volume.size_bytes)
    return tuple(showing.within(one.start_bytes, one.size_bytes) for one in rest)


def in_use(found: Sequence[Chunk], text: str) -> tuple[Extent, ...]:
    """Where files lie on the device by dump-tree's words of the extent tree, in order and apart. Pure."""
    data = sorted((one for one in found if "DATA" in one.holds), key=lambda one: one.start_bytes)
    starts = [one.start_bytes for one in data]
    places: list[Extent] = []
    for start, length in ((int(one[1]), int(one[2])) for one in EXTENT.finditer(text)):
        at = bisect_right(starts, start) - 1
        if at >= 0 and start < starts[at] + data[at].places[0].size_bytes:
            into = start - starts[at]
            places += (Extent(place.start_bytes + into, length) for place in data[at].places)
    return merged(places, 1, max((one.end_bytes for one in places), default=0))


def chunks_in(text: str) -> tuple[Chunk, ...]:
    """The chunks in what dump-tree says of the chunk tree. Raises Failed where it names none. Pure."""
    found = tuple(
        _chunk(int(start), int(length), kind, stripes) for start, length, kind, stripes in CHUNK.findall(text)
    )
    if len(found) != text.count("CHUNK_ITEM ") or not found:
        raise Failed(refusal(NOT_TOLD(program="btrfs", what=("CHUNK_ITEM",))))
    return found


def _chunk(start: int, length: int, kind: str, stripes: str) -> Chunk:
    *holds, profile = kind.split("|")
    places = tuple(Extent(int(at), length) for at in STRIPE.findall(stripes))
    return Chunk(start, frozenset(holds), profile, places)


def _refuse(text: str, showing: Showing) -> None:
    block, start = number_in(text, "sectorsize"), showing.volume.start_bytes
    if block % GRAIN_BYTES or start % GRAIN_BYTES:
        raise Failed(refusal(SMALL_BLOCKS(block=block, start=start, page=GRAIN_BYTES)))
    if (devices := number_in(text, "num_devices")) != 1:
        raise Failed(refusal(DEVICES(devices=devices)))
    if number_in(text, "log_root"):
        raise Failed(refusal(CUT_OFF))


def number_in(text: str, name: str) -> int:
    """A number that dump-super says of a superblock; raises Failed where it says none. Pure."""
    found = re.search(rf"(?m)^{re.escape(name)}\s+(\d+)", text)
    if found is None:
        raise Failed(refusal(NOT_TOLD(program="btrfs", what=(name,))))
    return int(found[1])


def held_bytes(operation: Resizing, _said: str, site: StepContext) -> int:
    """How many bytes it has now. Raises Failed."""
    return number_in(site.command((*SUPERBLOCK, operation.device)).output, "total_bytes")
