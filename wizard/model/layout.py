"""Layouts of drives, and the volumes in them: partitions, containers, groups, arrays and their writers."""

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from wizard.model.errors import FrozenStruct, WhereUsed, partition_path, printable
from wizard.model.geometry import Identity
from wizard.model.machine import Placed, Striping
from wizard.model.said import Message, t

MAPPER = "/dev/mapper/"
"""Directory of device mapper nodes, by name."""

ARRAY_LINKS = "/dev/md/"
"""Directory of links to md arrays, by name."""


class Encryption(FrozenStruct):
    """A LUKS2 container in a partition or logical volume. `name`: device mapper name when open.
    `offset_bytes`: start of data after the header. `key`: key file, empty for a typed passphrase."""

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


Level = Literal["raid0", "raid1"]
"""Striping without redundancy (RAID0) or mirroring (RAID1)."""


class Writer(FrozenStruct):
    """Who may write to a volume, resolved at planning time, so that what is applied was shown.

    A person has `name`, `uid` and `gid`, a group `name` and `gid`; everyone and root have none.
    """

    kind: Literal["person", "group", "everyone", "root"]
    name: str = ""
    uid: int = 0
    gid: int = 0

    @property
    def mode(self) -> int:
        """Mode of the writable directory: setgid keeps a group's files in the group, the sticky bit prevents
        deletion of others' files."""
        return {"group": 0o2775, "everyone": 0o1777}.get(self.kind, 0o755)

    @property
    def shown(self) -> Message | str:
        """Name for display."""
        if self.kind == "person":
            return printable(self.name, 60)
        if self.kind == "group":
            return t("the group {name}", name=self.name)
        return t("everyone") if self.kind == "everyone" else t("root only")


ROOT = Writer("root")


EVERYONE = Writer("everyone")


class Group(FrozenStruct):
    """The LVM volume group with all volumes of one drive. `device` and `uuid` are the physical volume's."""

    device: str
    name: str
    uuid: str


class NewFilesystem(FrozenStruct):
    """A filesystem to create on `device`, and for a multi-device Btrfs on `others`. `striping`: array layout
    expected in the superblock. `mirrored`: on a mirrored array, which has no striping."""

    device: str
    filesystem: str
    uuid: str
    label: str
    options: tuple[str, ...]
    others: WhereUsed[tuple[str, ...]] = ()
    striping: WhereUsed[Striping | None] = None
    logical: WhereUsed[bool] = False
    mirrored: WhereUsed[bool] = False


class Slot(Placed, Struct, frozen=True):
    """A partition, or free space (number 0). `kept`: preserved by the plan. `filesystem`: may be a container.
    `opened`: node of the open container around the filesystem. `unread`: contents unknown, so an empty
    `filesystem` proves nothing. `beyond`: what its loss means for other devices of the volume.
    `overhang_bytes`: contents after the end."""

    number: int
    start_bytes: int
    size_bytes: int
    type: str | None = None
    name: str | None = None
    part_uuid: str | None = None
    attributes: int = 0
    filesystem: str | None = None
    label: str | None = None
    uuid: str | None = None
    mount_point: str | None = None
    kept: bool = False
    opened: WhereUsed[str | None] = None
    unread: WhereUsed[bool] = False
    beyond: WhereUsed[tuple[Message, ...]] = ()
    overhang_bytes: WhereUsed[int] = 0
    used_bytes: WhereUsed[int | None] = None


class Layout(FrozenStruct):
    """Layout of a drive from the first to the last usable byte. `signatures`: kinds outside a table. `whole`:
    a planned filesystem on the whole drive; an existing one appears in `signatures`, and the `label` if it is
    the only one. `waiting`: a clause on the waiting run, which nothing else shows. `unmarked`: descriptions
    of data without a signature or table. `beyond` and `used_bytes`: as in slots."""

    table: str
    slots: tuple[Slot, ...]
    signatures: tuple[str, ...] = ()
    whole: WhereUsed[Slot | None] = None
    waiting: WhereUsed[Message | str] = ""
    label: WhereUsed[str] = ""
    unmarked: WhereUsed[tuple[Message, ...]] = ()
    beyond: WhereUsed[tuple[Message, ...]] = ()
    used_bytes: WhereUsed[int | None] = None

    @property
    def partitions(self) -> tuple[Slot, ...]:
        """Slots that are partitions."""
        return tuple(slot for slot in self.slots if slot.number)

    @property
    def changed(self) -> tuple[Slot, ...]:
        """Partitions that the plan does not preserve: lost before, or new after."""
        return tuple(slot for slot in self.partitions if not slot.kept)

    def partition(self, number: int) -> Slot | None:
        """Return the partition with this number, or None."""
        return next((slot for slot in self.partitions if slot.number == number), None)

    @property
    def has_other_contents(self) -> bool:
        """True if the drive has contents outside partitions."""
        return bool(self.signatures or self.waiting or self.unmarked)

    @property
    def is_bare(self) -> bool:
        """True without table, partition, signature and waiting run."""
        return self.table == "none" and not self.partitions and not self.has_other_contents


class Subvolume(FrozenStruct):
    """A Btrfs subvolume: path from the top level and mount point, None if not mounted."""

    name: str
    mount_point: str | None = None


class Volume(FrozenStruct):
    """A requested volume and the decisions for it. `partition`: planned number, 0 for the whole drive.
    `path`: planned node; for encrypted volumes the open container, in a volume group the logical volume, for
    striped ones the array or the first drive's partition (Btrfs). `uuid`: as libblkid will report it.
    `mount_point`: NO_PLACE for swap. `role`: in a system (`wizard.plan.request.roles`), or empty."""

    workload: str
    partition: int
    path: str
    filesystem: str
    uuid: str
    label: str
    mount_point: str | None
    mkfs_options: tuple[str, ...]
    mount_options: tuple[str, ...]
    role: WhereUsed[str] = ""
    encryption: WhereUsed[Encryption | None] = None
    subvolumes: WhereUsed[tuple[Subvolume, ...]] = ()
    writer: WhereUsed[Writer] = ROOT

    @property
    def device(self) -> str:
        """Node of the container if encrypted, else of the volume."""
        return self.encryption.device if self.encryption else self.path


class TableEntry(Placed, Struct, frozen=True):
    """A partition to be written or preserved, with exact geometry."""

    number: int
    start_bytes: int
    size_bytes: int
    type: str
    name: str
    kept: bool = False


class NewTable(FrozenStruct):
    """A table to write, as `WriteTable` describes."""

    device: str
    table: Literal["gpt", "mbr"]
    fresh: bool
    entries: tuple[TableEntry, ...]


class Member(FrozenStruct):
    """A drive of a plan, with layouts before and after."""

    drive: Identity
    before: Layout
    after: Layout

    @property
    def drawn_before(self) -> Layout:
        """The layout before, with lost partitions that the plan preserves in their places."""
        found = self.after.partitions
        is_lost = self.before.table == "none" and found and all(slot.kept for slot in found)
        return replace(self.before, slots=self.after.slots) if is_lost else self.before

    def node(self, number: int) -> str:
        """Return the node of a partition."""
        return partition_path(self.drive.path, number)

    @property
    def nodes(self) -> tuple[str, ...]:
        """Nodes of the drive, and of the partitions before and after."""
        numbers = {slot.number for layout in (self.before, self.after) for slot in layout.partitions}
        return (self.drive.path, *map(self.node, sorted(numbers)))


class Stripe(FrozenStruct):
    """How a volume is striped over, or mirrored on, all drives of a plan. `device`, `name` and `uuids`: of
    the md array. `chunk_bytes`: contiguous data per drive, 0 for mirrors. `metadata`: Btrfs metadata profile
    (raid1, raid0). A request has only kind and level, and what differs from the defaults."""

    kind: Literal["md", "btrfs"]
    device: str = ""
    name: str = ""
    chunk_bytes: int = 0
    uuids: tuple[str, ...] = ()
    metadata: str = ""
    level: WhereUsed[Level] = "raid0"

    @property
    def mirrors(self) -> bool:
        """True if all data has a copy on another drive."""
        return self.level == "raid1"


NO_PLACE = "none"
"""Stands for the mount point of swap in fstab (fstab(5))."""
