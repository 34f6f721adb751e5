"""Operations for encrypted containers (LUKS2), arrays, volume groups and filesystems."""

from dataclasses import dataclass, field
from typing import Literal

from wizard.model.errors import WHERE_USED
from wizard.model.machine import Striping

MAPPER = "/dev/mapper/"
"""Where the device mapper has its nodes, by the names that it was given."""


@dataclass(frozen=True, slots=True)
class Encryption:
    """LUKS2 around what a partition or logical volume holds: `device` is that, `name` what the device mapper
    calls what it opens to, `uuid` what libblkid reports of the container, `sector_bytes` what is encrypted at
    a stretch, `offset_bytes` where on the device the data begin, behind the header. `key` is the file that
    holds what opens it, empty where a person types that."""

    device: str
    name: str
    uuid: str
    sector_bytes: int
    offset_bytes: int
    key: str = ""

    @property
    def opened(self) -> str:
        """The node of what it opens to."""
        return f"{MAPPER}{self.name}"


@dataclass(frozen=True, slots=True)
class MakeContainer:
    """Make an encrypted container (LUKS2) out of all of `device`. Its data begin at `offset_bytes`."""

    device: str
    uuid: str
    sector_bytes: int
    offset_bytes: int
    kind: Literal["make-container"] = "make-container"


@dataclass(frozen=True, slots=True)
class OpenContainer:
    """Have the device mapper open the container with this UUID on `device` as `name`."""

    device: str
    uuid: str
    name: str
    kind: Literal["open-container"] = "open-container"

    @property
    def opened(self) -> str:
        """The node of what it opens to."""
        return f"{MAPPER}{self.name}"


@dataclass(frozen=True, slots=True)
class AddCrypttabLine:
    """Add one line for the container with this UUID to the file that says what is opened at boot, by the
    file `key`, or where that is empty by what a person types."""

    uuid: str
    name: str
    key: str = ""
    kind: Literal["add-crypttab-line"] = "add-crypttab-line"


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


@dataclass(frozen=True, slots=True)
class Writer:
    """Who may write, as looked up when it was planned: what is shown is what is applied.

    A person has `name`, `uid` and `gid`, a group `name` and `gid`; everyone and root have none of them.
    """

    kind: Literal["person", "group", "everyone", "root"]
    name: str = ""
    uid: int = 0
    gid: int = 0

    @property
    def mode(self) -> int:
        """The permissions of the folder that they may write to: a group's files stay the group's, and nobody
        deletes another's where everyone may write."""
        return {"group": 0o2775, "everyone": 0o1777}.get(self.kind, 0o755)


ROOT = Writer("root")
EVERYONE = Writer("everyone")


@dataclass(frozen=True, slots=True)
class SetOwner:
    """Give the top of the filesystem on `device`, and its subvolumes `names`, to `writer`.

    `others` are the further devices of a Btrfs over several. For that it is mounted at a place that its
    `uuid` names, and unmounted again.
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
    """Make a filesystem on `device`, and for a Btrfs over several devices on `others` too.

    `striping` is what its superblock is to say of the array beneath it; `mirrored` is true on an array of
    copies, which has none.
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
    """LVM's volume group on one drive, which all volumes lie in: `device` is its physical volume's partition,
    `uuid` the physical volume's."""

    device: str
    name: str
    uuid: str


@dataclass(frozen=True, slots=True)
class MakeLogicalVolume:
    """Make the logical volume `name` of exactly `size_bytes` in `group`, node `device`, in one piece where
    that has room for it."""

    device: str
    group: str
    name: str
    size_bytes: int
    kind: Literal["make-logical-volume"] = "make-logical-volume"
