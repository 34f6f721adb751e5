"""Start positions of everything on a drive, as sums of all offsets from the first byte. Pure.

The kernel checks alignment in each layer of a stack with the start of that layer (block/blk-settings.c,
blk_stack_limits). Adding up the starts must produce the same result, and shows the misaligned layer.
"""

from collections.abc import Iterator
from enum import Enum
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from wizard.model import machine
from wizard.model.geometry import Geometry
from wizard.model.said import GIB, KIB, MIB, Message, Sentence, t

HIDDEN_BLOCK_BYTES = 4096
"""Possible block size of a drive that reports smaller blocks."""
CONTAINERS: dict[str, Message | str] = {
    "linux_raid_member": t("the RAID member"),
    "crypto_LUKS": "LUKS",
    "LVM2_member": "LVM",
    "vfat": "FAT",
    "exfat": "exFAT",
}
"""Names of containers."""
FAT = frozenset({"vfat", "exfat"})
"""The SD Association aligns their file areas to erase blocks, not the partitions."""
ERASE_BLOCK_BYTES, SMALL_ERASE_BLOCK_BYTES = 4 * MIB, 16 * KIB
SMALL_CARD_BYTES = 2 * GIB
"""Boundary units of the SD File System Specification; the smaller one for cards up to this size."""
MOST_DEPTH = 8
NAMED = Sentence("{path} ({kind})")
Terms: TypeAlias = tuple[tuple[Message | str, int], ...]


class StartState(Enum):
    """Alignment of a start. HIDDEN: misaligned to larger blocks that the drive may hide."""

    ON = "on"
    HIDDEN = "hidden"
    OFF = "off"
    UNKNOWN = "unknown"


class Array(Struct, frozen=True):
    """The nearest striped layer below a place, and the place's offset in the array if known."""

    layer: machine.Layer
    striping: machine.Striping
    start_bytes: int | None


class DriveStart(Struct, frozen=True):
    """The start of something on the drive.

    `device` is the node on which or in which it starts, `name` its display name.

    - `start_bytes`: sum of all offsets, None if one is unknown. `terms`: terms of a known sum.
    - `off_bytes`: distance to the next block boundary of the drive, by the kernel's formula.
    - `signatures`: contents. `within`: places inside.
    """

    device: str
    name: Message | str
    start_bytes: int | None
    state: StartState = StartState.UNKNOWN
    off_bytes: int = 0
    terms: Terms = ()
    array: Array | None = None
    geometry: Geometry | None = None
    signatures: tuple[machine.Signature, ...] = ()
    within: tuple["DriveStart", ...] = ()

    def leaves(self) -> Iterator["DriveStart"]:
        """Yield the innermost places, which contain the data."""
        if not self.within:
            yield self
        for place in self.within:
            yield from place.leaves()


def place_of(
    drive: machine.Drive, geometry: Geometry, partition: machine.Partition | None = None
) -> DriveStart:
    """Return a partition, or the drive outside partitions, and the contents."""
    at = partition or drive
    start = DriveStart(
        at.path,
        at.path,
        partition.start_bytes if partition else 0,
        terms=((t("partition"), partition.start_bytes),) if partition else (),
        geometry=drive.geometry,
        signatures=at.signatures,
    )
    return _Survey(drive, geometry).place(start, 0)


class _Survey:
    def __init__(self, drive: machine.Drive, geometry: Geometry) -> None:
        self.drive, self.geometry = drive, geometry

    def place(
        self, at: DriveStart, depth: int, volumes: tuple[machine.Layer, ...] | None = None, included: int = 0
    ) -> DriveStart:
        """Add the alignment and the contents. `volumes`: the logical volumes in a container's data, which
        starts `included` bytes into the device."""
        state, off, unit = StartState.UNKNOWN, 0, self.geometry.granularity_bytes
        if at.start_bytes is not None:
            off = self.geometry.misalignment_bytes(at.start_bytes)
            state = StartState.OFF if off else StartState.ON
            if not off and unit < HIDDEN_BLOCK_BYTES and (past := at.start_bytes % HIDDEN_BLOCK_BYTES):
                state, off = StartState.HIDDEN, HIDDEN_BLOCK_BYTES - past
        elif at.geometry is not None and at.geometry.alignment_offset_bytes >= 0:
            # The kernel knows the starts of active layers.
            off = at.geometry.alignment_offset_bytes % unit
            state = StartState.OFF if off else StartState.ON
        above: list[machine.Layer] = []
        if volumes is None:
            if depth < MOST_DEPTH:
                above = [layer for layer in self.drive.layers if layer.below == at.device]
            volumes = tuple(layer for layer in above if layer.kind == "LVM")
        within = tuple(self._layer(layer, at, depth) for layer in above if layer not in volumes)
        for mark in at.signatures:
            if (not above or mark.kind == "LVM2_member") and self._is_container(mark, at.start_bytes):
                within += (self._contained(mark, at, volumes, depth),)
                volumes = ()
        within += tuple(self._layer(layer, at, depth, included) for layer in volumes)
        return replace(at, state=state, off_bytes=off, within=within)

    def _is_container(self, mark: machine.Signature, start: int | None) -> bool:
        """FAT counts on cards formatted as the SD Association specifies."""
        offset, drive = mark.data_offset_bytes, self.drive
        if mark.kind not in CONTAINERS or offset is None or mark.ambivalent:
            return False
        if mark.kind not in FAT:
            return True
        small = (drive.size_bytes or 0) <= SMALL_CARD_BYTES
        unit = SMALL_ERASE_BLOCK_BYTES if small else ERASE_BLOCK_BYTES
        is_card = drive.bus == "mmc" or (drive.bus == "usb" and drive.removable is True)
        return is_card and start is not None and (start + offset) % unit == 0

    def _layer(self, layer: machine.Layer, at: DriveStart, depth: int, included: int = 0) -> DriveStart:
        offset = None if layer.offset_bytes is None else layer.offset_bytes - included
        start = _sum(at.start_bytes, offset)
        array = _moved(at.array, offset)
        if layer.striping is not None:
            array = Array(layer, layer.striping, 0)
            # In an array, the sum is still valid for alignment to blocks if chunks are whole blocks.
            if layer.striping.unit_bytes % self.geometry.granularity_bytes:
                start = None
        return self.place(
            DriveStart(
                layer.path,
                NAMED(path=layer, kind=layer.kind),
                start,
                terms=(*at.terms, (layer.kind, offset or 0)),
                array=array,
                geometry=layer.geometry,
                signatures=layer.signatures,
            ),
            depth + 1,
        )

    def _contained(
        self, mark: machine.Signature, at: DriveStart, volumes: tuple[machine.Layer, ...], depth: int
    ) -> DriveStart:
        """For LVM, include the logical volumes, which share one alignment."""
        offset = mark.data_offset_bytes
        assert offset is not None
        container = CONTAINERS[mark.kind]
        return self.place(
            DriveStart(
                at.device,
                t("the data of {container} in {device}", container=container, device=at.device),
                _sum(at.start_bytes, offset),
                terms=(*at.terms, (container, offset)),
                array=_moved(at.array, offset),
            ),
            depth,
            volumes,
            offset,
        )


def _sum(start: int | None, offset: int | None) -> int | None:
    return None if start is None or offset is None else start + offset


def _moved(array: Array | None, offset: int | None) -> Array | None:
    return array and replace(array, start_bytes=_sum(array.start_bytes, offset))
