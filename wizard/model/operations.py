"""Operations for encrypted containers (LUKS2), arrays, volume groups and filesystems."""

from dataclasses import dataclass, field
from typing import Literal

from wizard.model.errors import WHERE_USED
from wizard.model.machine import Striping

MAPPER = "/dev/mapper/"
"""Directory of device mapper nodes, by name."""


@dataclass(frozen=True, slots=True)
class Encryption:
    """A LUKS2 container in a partition or logical volume.

    `device`: node of the container. `name`: device mapper name when open. `uuid`: container UUID as libblkid
    reports it. `sector_bytes`: encryption sector size. `offset_bytes`: start of data after the header. `key`:
    key file, empty if the user types a passphrase.
    """

    device: str
    name: str
    uuid: str
    sector_bytes: int
    offset_bytes: int
    key: str = ""

    @property
    def opened(self) -> str:
        """Node of the open container."""
        return f"{MAPPER}{self.name}"


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


Level = Literal["raid0", "raid1"]
"""Striping without redundancy (RAID0) or mirroring (RAID1)."""


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
class Writer:
    """Who may write to a volume, resolved at planning time, so that what is applied was shown.

    A person has `name`, `uid` and `gid`, a group `name` and `gid`; everyone and root have none.
    """

    kind: Literal["person", "group", "everyone", "root"]
    name: str = ""
    uid: int = 0
    gid: int = 0

    @property
    def mode(self) -> int:
        """Mode of the writable directory. Setgid keeps a group's files in the group; the sticky bit prevents
        deletion of other users' files if everyone may write."""
        return {"group": 0o2775, "everyone": 0o1777}.get(self.kind, 0o755)


ROOT = Writer("root")
EVERYONE = Writer("everyone")


@dataclass(frozen=True, slots=True)
class SetOwner:
    """Set the owner of the root directory of the filesystem on `device`, and of the subvolumes `names`.

    `others`: further devices of a multi-device Btrfs. The filesystem is mounted temporarily, at a mount point
    named by its `uuid`.
    """

    device: str
    filesystem: str
    uuid: str
    writer: Writer
    names: tuple[str, ...] = ()
    kind: Literal["set-owner"] = "set-owner"
    others: tuple[str, ...] = field(default=(), metadata=WHERE_USED)


@dataclass(frozen=True, slots=True)
class MakeFilesystem:
    """Create a filesystem on `device`, and for a multi-device Btrfs also on `others`.

    `striping`: array layout expected in the superblock. `mirrored`: on a mirrored array, which has no
    striping.
    """

    device: str
    filesystem: str
    uuid: str
    label: str
    options: tuple[str, ...]
    kind: Literal["make-filesystem"] = "make-filesystem"
    others: tuple[str, ...] = field(default=(), metadata=WHERE_USED)
    striping: Striping | None = field(default=None, metadata=WHERE_USED)
    logical: bool = field(default=False, metadata=WHERE_USED)
    mirrored: bool = field(default=False, metadata=WHERE_USED)


@dataclass(frozen=True, slots=True)
class Group:
    """The LVM volume group that contains all volumes of one drive. `device` is the partition of the physical
    volume, `uuid` the UUID of the physical volume."""

    device: str
    name: str
    uuid: str


@dataclass(frozen=True, slots=True)
class MakeLogicalVolume:
    """Create the logical volume `name`, node `device`, with exactly `size_bytes` in `group`, contiguous if
    possible."""

    device: str
    group: str
    name: str
    size_bytes: int
    kind: Literal["make-logical-volume"] = "make-logical-volume"
