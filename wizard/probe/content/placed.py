"""What the superblock of a container or a filesystem says of the place and the striping of the data: the
words its readers share."""

from collections.abc import Callable
from dataclasses import dataclass

from wizard.model.machine import Striping
from wizard.probe.table.gpt import Read

SECTOR_BYTES = 512
LARGEST_STRIPE_BYTES = 1 << 40
"""Beyond this a chunk or a stripe is no number that anybody set."""


@dataclass(frozen=True, slots=True)
class Volume:
    """An LVM logical volume that lies on this physical volume. `uuid` has no dashes; `offset_bytes` is where
    its first part here begins.

    `striping` is what it is striped by, None where it is not.
    """

    uuid: str
    offset_bytes: int
    striping: Striping | None = None


@dataclass(frozen=True, slots=True)
class Inside:
    """What a superblock says: where the data begin, counted from its device's start, the striping, a
    filesystem's block size, words of features and what of it is taken, and LVM's logical volumes."""

    data_offset_bytes: int | None = None
    striping: Striping | None = None
    block_bytes: int | None = None
    features: tuple[int, int, int] | None = None
    unconverted: bool = False
    taken_bytes: int | None = None
    volumes: tuple[Volume, ...] = ()


NOTHING = Inside()

Reader = Callable[[Read, int, int | None], Inside]
"""Reads of a device of so many bytes; the third is where libblkid found the signature, where it said so."""


def striping(unit_bytes: int, width_bytes: int) -> Striping | None:
    """The two numbers where they can be meant; a number that is missing is 0, and None where both are."""
    sizes = (unit_bytes, width_bytes)
    if any(not 0 <= size <= LARGEST_STRIPE_BYTES for size in sizes) or not any(sizes):
        return None
    return Striping(unit_bytes, width_bytes)
