"""Find free space for partitions, and place requests in it. Pure; all values in bytes."""

from collections.abc import Iterable, Sequence
from itertools import combinations

from msgspec.structs import replace

from wizard.filesystems import partition_types
from wizard.model.errors import BadInput, FrozenStruct
from wizard.model.geometry import FLOOR_BYTES, Geometry
from wizard.model.layout import Layout, Slot
from wizard.model.machine import Extent
from wizard.model.said import Message, Sentence, join, rounded_up, t

HALF_MOVED = Sentence(
    "{part} is in the middle of a move, with all data. Continue with `sudo "
    "diskwright resume`, or on another computer with `sudo diskwright resume "
    "--from-drive {drive}`."
)


GPT_ENTRIES_BYTES = 128 * 128
"""As written by libparted: 128 entries of 128 bytes, at both ends (UEFI 2.10, 5.3)."""

GPT_PARTITIONS = 128
MBR_BLOCKS = 1 << 32
"""An MBR stores starts and lengths as 32-bit block numbers."""

MBR_PRIMARIES = 4
HAS_TABLE = Sentence("{drive} has a partition table.")


def fresh_bounds(table: str, size_bytes: int, geometry: Geometry) -> Extent:
    """Return the range for partitions in a new table: in an MBR, after the first block and within 32-bit
    block numbers. In a GPT of 128 entries, after protective MBR, header and entries, before their copies."""
    block = geometry.logical_block_bytes
    first, end = block, min(size_bytes // block, MBR_BLOCKS) * block
    if table != "mbr":
        entries = rounded_up(GPT_ENTRIES_BYTES, block)
        first, end = 2 * block + entries, size_bytes // block * block - block - entries
    return Extent(first, max(0, end - first))


def with_free(
    partitions: Iterable[Slot], bounds: Extent, reserved: Iterable[Extent] = ()
) -> tuple[Slot, ...]:
    """Return the partitions sorted by start, with free slots (number 0) for all gaps within `bounds`, except
    the `reserved` ranges."""
    slots: list[Slot] = []
    position = bounds.start_bytes
    ordered = sorted(partitions, key=lambda slot: (slot.start_bytes, -slot.size_bytes, slot.number))
    taken: list[Slot | Extent] = [*ordered, *reserved]
    for slot in sorted(taken, key=lambda one: one.start_bytes):
        if slot.start_bytes > position:
            slots.append(Slot(0, position, slot.start_bytes - position))
        if isinstance(slot, Slot):
            slots.append(slot)
        position = max(position, slot.end_bytes)
    if bounds.end_bytes > position:
        slots.append(Slot(0, position, bounds.end_bytes - position))
    return tuple(slots)


def bounds_in(before: Layout) -> Extent:
    """Return the range of an old layout for partitions, from the first to the last slot."""
    first, end = before.slots[0].start_bytes, max(one.end_bytes for one in before.slots)
    return Extent(first, end - first)


def refilled(before: Layout, partitions: Iterable[Slot]) -> tuple[Slot, ...]:
    """Return these partitions in place of those of a current layout, with free slots. Contents that reach
    past the end of their partition are not free."""
    bounds = bounds_in(before)
    reserved = [slot.extent for slot in with_free(before.slots, bounds) if slot not in before.slots]
    return with_free(partitions, bounds, reserved)


def is_consistent(partitions: Sequence[Slot]) -> bool:
    """Return True if no partitions overlap, except an extended one and the logical ones inside, and no
    logical one is outside."""
    containers = [slot for slot in partitions if partition_types.is_extended(slot)]
    logical = [slot for slot in partitions if slot.number > MBR_PRIMARIES]
    inside = [
        (slot, one)
        for slot in logical
        for one in containers
        if slot not in containers and slot.is_within(one)
    ]
    extended = [slot for slot in containers if slot not in logical]
    return not any(
        one.overlaps(other) and (one, other) not in inside and (other, one) not in inside
        for one, other in combinations(partitions, 2)
    ) and all(any(map(slot.is_within, extended)) for slot in logical if extended)


def aligned_spaces(free: Iterable[Slot | Extent], geometry: Geometry) -> tuple[Extent, ...]:
    """Return the usable parts of free space, with aligned start and end, from 1 MiB."""
    spaces = []
    for extent in free:
        start = geometry.align_up(max(extent.start_bytes, FLOOR_BYTES))
        end = geometry.align_down(extent.end_bytes)
        if end > start:
            spaces.append(Extent(start, end - start))
    return tuple(spaces)


class Demand(FrozenStruct):
    """Space for one request: bytes, or None for all remaining space, at least `minimum_bytes`. `name` is for
    messages."""

    name: str
    size_bytes: int | None
    minimum_bytes: int


def place(
    demands: Sequence[Demand],
    spaces: Sequence[Extent],
    grain: int,
    hint: Message | None = None,
) -> tuple[Extent, ...]:
    """Return an extent for each demand, in order. Sizes are rounded up to the grain; a demand without a size
    fills its space.

    Places the largest first, each in the tightest fit. Raises BadInput with the free size and a `hint` how to
    free more.
    """
    sized = [replace(demand, size_bytes=_rounded(demand, grain)) for demand in demands]
    left = [space.size_bytes for space in spaces]
    taken: list[list[int]] = [[] for _ in spaces]
    for index in sorted(range(len(sized)), key=lambda index: -(sized[index].size_bytes or 0)):
        size, minimum = sized[index].size_bytes, sized[index].minimum_bytes
        fits = [at for at, room in enumerate(left) if room >= (minimum if size is None else size)]
        if not fits:
            raise BadInput(_too_large(demands, index, spaces, hint))
        best = (max if size is None else min)(fits, key=left.__getitem__)
        left[best] -= size or 0
        taken[best].append(index)
    placed: dict[int, Extent] = {}
    for space, room, own in zip(spaces, left, taken, strict=True):
        position = space.start_bytes
        for index in sorted(own):
            size = sized[index].size_bytes
            placed[index] = Extent(position, room if size is None else size)
            position = placed[index].end_bytes
    return tuple(placed[index] for index in range(len(sized)))


def _rounded(demand: Demand, grain: int) -> int | None:
    if demand.size_bytes is None:
        return None
    if demand.size_bytes < demand.minimum_bytes:
        small = Sentence("Volume {name} with {size:exact} is too small. The minimum is {least:exact}.")
        raise BadInput(small(name=demand.name, size=demand.size_bytes, least=demand.minimum_bytes))
    return rounded_up(demand.size_bytes, grain)


def _too_large(demands: Sequence[Demand], index: int, spaces: Sequence[Extent], hint: Message | None) -> str:
    demand = demands[index]
    free = sum(space.size_bytes for space in spaces)
    needed = demand.minimum_bytes if demand.size_bytes is None else demand.size_bytes
    sentences = [
        t(
            "Volume {name} needs {wanted:size}, but {free:size} ({free} bytes) is available.",
            name=demand.name,
            wanted=needed,
            free=free,
        )
    ]
    if len(spaces) > 1:
        sentences.append(
            t("The largest free range has {size:size}.", size=max(space.size_bytes for space in spaces))
        )
    if others := sum(other.size_bytes or 0 for other in demands if other is not demand):
        sentences.append(t("The other volumes need {size:size} of that.", size=others))
    return str(join(*sentences, *((hint,) if hint else ())))
