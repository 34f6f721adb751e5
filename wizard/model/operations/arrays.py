"""What is made of several drives: an md array, or a volume group over them."""

from dataclasses import dataclass, field
from typing import Literal

from wizard.model.written import WHERE_USED

Level = Literal["raid0", "raid1"]
"""How data lie on several drives: spread over all of them once (RAID0), or a copy on another of them
(RAID1)."""


@dataclass(frozen=True, slots=True)
class MakeArray:
    """Make the md array `device` out of the partitions `parts`, in this order. `name` and `uuid` are what it
    is known by ever after.

    A RAID1 has no chunk, which is 0 then.
    """

    device: str
    name: str
    uuid: str
    chunk_bytes: int
    parts: tuple[str, ...]
    kind: Literal["make-array"] = "make-array"
    level: Level = field(default="raid0", metadata=WHERE_USED)


@dataclass(frozen=True, slots=True)
class MakeVolumeGroup:
    """Make LVM's physical volumes out of `parts`, each with its UUID of `uuids`, and the volume group `name`
    out of them."""

    name: str
    parts: tuple[str, ...]
    uuids: tuple[str, ...]
    kind: Literal["make-volume-group"] = "make-volume-group"


@dataclass(frozen=True, slots=True)
class MakeStripedVolume:
    """Make the logical volume `name`, node `device`, striped over all `stripes` physical volumes of `group`
    and filling them."""

    device: str
    group: str
    name: str
    stripes: int
    chunk_bytes: int
    kind: Literal["make-striped-volume"] = "make-striped-volume"
