"""Operations on encrypted containers (LUKS2), md arrays and LVM groups."""

from dataclasses import dataclass, field
from typing import Literal

from wizard.model.errors import WHERE_USED
from wizard.model.layout import MAPPER, Level


@dataclass(frozen=True, slots=True)
class MakeContainer:
    """Create a LUKS2 container on the whole `device`, with data from `offset_bytes`."""

    device: str
    uuid: str
    sector_bytes: int
    offset_bytes: int
    kind: Literal["make-container"] = "make-container"


@dataclass(frozen=True, slots=True)
class OpenContainer:
    """Open the container with this UUID on `device` as `name`."""

    device: str
    uuid: str
    name: str
    kind: Literal["open-container"] = "open-container"

    @property
    def opened(self) -> str:
        """Node of the open container."""
        return f"{MAPPER}{self.name}"


@dataclass(frozen=True, slots=True)
class AddCrypttabLine:
    """Add a crypttab line for the container with this UUID, to be opened with the key file `key`, or by
    passphrase if empty."""

    uuid: str
    name: str
    key: str = ""
    kind: Literal["add-crypttab-line"] = "add-crypttab-line"


@dataclass(frozen=True, slots=True)
class MakeArray:
    """Create the md array `device` from the partitions `parts`, in this order. `name` and `uuid` identify the
    array.

    `chunk_bytes` is 0 for RAID1.
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
    """Create LVM physical volumes on `parts`, with the UUIDs `uuids`, and the volume group `name` from
    them."""

    name: str
    parts: tuple[str, ...]
    uuids: tuple[str, ...]
    kind: Literal["make-volume-group"] = "make-volume-group"


@dataclass(frozen=True, slots=True)
class MakeLogicalVolume:
    """Create the logical volume `name`, node `device`, with exactly `size_bytes` in `group`, contiguous if
    possible."""

    device: str
    group: str
    name: str
    size_bytes: int
    kind: Literal["make-logical-volume"] = "make-logical-volume"


@dataclass(frozen=True, slots=True)
class StopLayer:
    """Stop an md array, deactivate an LVM volume group or close an encrypted container, on these `members`.

    `device`: node of the array or container, or name of the group. `uuid`: of the array. `volumes`: the
    group's active logical volumes, as `group/volume`. `state`: of the array. `name`: the array's link in
    /dev/md, which udev creates only for arrays started by this name.
    """

    device: str
    layer: Literal["md", "lvm", "luks"]
    members: tuple[str, ...]
    uuid: str = ""
    volumes: tuple[str, ...] = ()
    state: Literal["active", "read-only", "inactive"] = "active"
    name: str = field(default="", metadata=WHERE_USED)
    kind: Literal["stop-layer"] = "stop-layer"
