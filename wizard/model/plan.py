"""The plan: the layout of a drive before and after, and the steps between."""

from dataclasses import dataclass, field, replace
from typing import Literal

from wizard.model.errors import DERIVED, WHERE_USED, partition_path
from wizard.model.geometry import Identity
from wizard.model.machine import Placed
from wizard.model.operations import (
    ROOT,
    AddCrypttabLine,
    Encryption,
    Group,
    Level,
    MakeArray,
    MakeContainer,
    MakeFilesystem,
    MakeLogicalVolume,
    MakeVolumeGroup,
    OpenContainer,
    SetOwner,
    Writer,
)
from wizard.model.said import Message


@dataclass(frozen=True, slots=True)
class Slot(Placed):
    """A partition, or free space (number 0), in a layout. Slots are sorted by start.

    `kept`: preserved by the plan. `filesystem`: may be a container such as crypto_LUKS. `opened`: node of the
    open container, if the filesystem is inside one. `unread`: contents unknown, so an empty `filesystem`
    proves nothing. `beyond`: what its loss means for other devices of the same volume. `overhang_bytes`:
    size of the contents that continue after the end.
    """

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
    opened: str | None = field(default=None, metadata=WHERE_USED)
    unread: bool = field(default=False, metadata=WHERE_USED)
    beyond: tuple[Message, ...] = field(default=(), metadata=WHERE_USED)
    overhang_bytes: int = field(default=0, metadata=WHERE_USED)


@dataclass(frozen=True, slots=True)
class Layout:
    """Layout of a drive from the first to the last usable byte. `signatures`: kinds found on the drive
    itself, outside a table.

    `whole`: a planned filesystem on the whole drive without a table. An existing one appears in `signatures`,
    and its `label` if it is the only one. `waiting`: a clause on the run that waits to be kept or undone,
    which nothing else shows. `unmarked`: descriptions of data that no signature or table shows.
    `beyond`: as in slots, for the drive itself.
    """

    table: str
    slots: tuple[Slot, ...]
    signatures: tuple[str, ...] = ()
    whole: Slot | None = field(default=None, metadata=WHERE_USED)
    waiting: Message | str = field(default="", metadata=WHERE_USED)
    label: str = field(default="", metadata=WHERE_USED)
    unmarked: tuple[Message, ...] = field(default=(), metadata=WHERE_USED)
    beyond: tuple[Message, ...] = field(default=(), metadata=WHERE_USED)

    @property
    def partitions(self) -> tuple[Slot, ...]:
        """Slots that are partitions."""
        return tuple(slot for slot in self.slots if slot.number)

    @property
    def has_other_contents(self) -> bool:
        """True if the drive has contents outside partitions."""
        return bool(self.signatures or self.waiting or self.unmarked)


@dataclass(frozen=True, slots=True)
class Subvolume:
    """A Btrfs subvolume: path from the top level and mount point, None if not mounted."""

    name: str
    mount_point: str | None = None


@dataclass(frozen=True, slots=True)
class Volume:
    """A requested volume and the decisions made for it. `partition` is its planned number, `path` its planned
    node.

    Number 0 is the whole drive without a table. `uuid`: as libblkid will report it. `mount_point`: NO_PLACE
    for swap. A striped volume has the same number on all drives; its `path` is the array's node, or for
    Btrfs, which needs no array, the first drive's partition. `role`: role in a system
    (`wizard.plan.request.roles`), or empty. For encrypted volumes `path` is the open container, in a volume
    group the logical volume. `subvolumes`: Btrfs only.
    """

    workload: str
    partition: int
    path: str
    filesystem: str
    uuid: str
    label: str
    mount_point: str | None
    mkfs_options: tuple[str, ...]
    mount_options: tuple[str, ...]
    role: str = field(default="", metadata=WHERE_USED)
    encryption: Encryption | None = field(default=None, metadata=WHERE_USED)
    subvolumes: tuple[Subvolume, ...] = field(default=(), metadata=WHERE_USED)
    writer: Writer = field(default=ROOT, metadata=WHERE_USED)


@dataclass(frozen=True, slots=True)
class WipeSignatures:
    """Erase all signatures on `device` that libblkid knows, so no stale ones are detected later.

    `expected` are the kinds found when planning, usually none on a new device.
    """

    device: str
    expected: tuple[str, ...]
    kind: Literal["wipe-signatures"] = "wipe-signatures"


@dataclass(frozen=True, slots=True)
class TableEntry(Placed):
    """A partition to be written or preserved, with exact geometry."""

    number: int
    start_bytes: int
    size_bytes: int
    type: str
    name: str
    kept: bool = False


@dataclass(frozen=True, slots=True)
class WriteTable:
    """Write a table with exactly `entries`. `fresh` creates a new table; otherwise `kept` entries are
    preserved bit for bit."""

    device: str
    table: Literal["gpt", "mbr"]
    fresh: bool
    entries: tuple[TableEntry, ...]
    kind: Literal["write-table"] = "write-table"


@dataclass(frozen=True, slots=True)
class ResetZones:
    """Reset all zones of the zoned drive `device`, and erase signatures in conventional zones. All data
    becomes unreadable."""

    device: str
    kind: Literal["reset-zones"] = "reset-zones"


@dataclass(frozen=True, slots=True)
class MakeSubvolumes:
    """Create the subvolumes `names`, paths from the top level of the filesystem on `device`, in this order.

    `others`: further devices of a multi-device Btrfs. The filesystem is mounted temporarily, at a mount point
    named by its `uuid`.
    """

    device: str
    filesystem: str
    uuid: str
    names: tuple[str, ...]
    kind: Literal["make-subvolumes"] = "make-subvolumes"
    others: tuple[str, ...] = field(default=(), metadata=WHERE_USED)


@dataclass(frozen=True, slots=True)
class GrowFilesystem:
    """Grow the filesystem on `device` to fill its partition, which has been extended to `size_bytes`."""

    device: str
    filesystem: str
    size_bytes: int
    kind: Literal["grow-filesystem"] = "grow-filesystem"


@dataclass(frozen=True, slots=True)
class ShrinkFilesystem:
    """Shrink the filesystem on `device` to at most `size_bytes`, the future size of its partition."""

    device: str
    filesystem: str
    size_bytes: int
    kind: Literal["shrink-filesystem"] = "shrink-filesystem"


Resizing = GrowFilesystem | ShrinkFilesystem
"""Operations that resize a filesystem and preserve its files."""


@dataclass(frozen=True, slots=True)
class AddFstabLine:
    """Add an fstab line for `uuid`."""

    uuid: str
    mount_point: str
    filesystem: str
    options: tuple[str, ...]
    pass_number: int
    kind: Literal["add-fstab-line"] = "add-fstab-line"


@dataclass(frozen=True, slots=True)
class Mount:
    """Mount `device` at `mount_point`, which is created if missing. `others`: further devices of a
    multi-device Btrfs."""

    device: str
    mount_point: str
    filesystem: str
    options: tuple[str, ...]
    kind: Literal["mount"] = "mount"
    others: tuple[str, ...] = field(default=(), metadata=WHERE_USED)


@dataclass(frozen=True, slots=True)
class TurnOnSwap:
    """Activate swap on `device`."""

    device: str
    kind: Literal["turn-on-swap"] = "turn-on-swap"


NO_PLACE = "none"
"""Stands for the mount point of swap in fstab (fstab(5))."""

Operation = (
    WipeSignatures
    | WriteTable
    | ResetZones
    | MakeArray
    | MakeVolumeGroup
    | MakeLogicalVolume
    | MakeContainer
    | OpenContainer
    | MakeFilesystem
    | MakeSubvolumes
    | SetOwner
    | GrowFilesystem
    | ShrinkFilesystem
    | AddCrypttabLine
    | AddFstabLine
    | Mount
    | TurnOnSwap
)


def devices_of(operation: Operation) -> tuple[str, ...]:
    """Return all nodes that an operation uses or creates."""
    match operation:
        case AddFstabLine() | AddCrypttabLine():
            return ()
        case OpenContainer(device=device):
            return (device, operation.opened)
        case MakeArray(device=device, parts=parts):
            return (device, *parts)
        case MakeVolumeGroup(parts=parts):
            return parts
        case (
            MakeFilesystem(device=device, others=others)
            | MakeSubvolumes(device=device, others=others)
            | SetOwner(device=device, others=others)
            | Mount(device=device, others=others)
        ):
            return (device, *others)
        case _:
            return (operation.device,)


@dataclass(frozen=True, slots=True)
class Step:
    """An operation with its description, derived from the plan's operations.

    `commands`: argument lists as run. `edits`: changed lines of a table or file, if no command runs.
    `destroys`: data that is lost, or empty. `undo`: how to undo the step, or that this is impossible.
    `holds`: checks afterwards.
    """

    operation: Operation
    sentence: str = field(default="", metadata=DERIVED)
    commands: tuple[tuple[str, ...], ...] = field(default=(), metadata=DERIVED)
    edits: tuple[str, ...] = field(default=(), metadata=DERIVED)
    destroys: str = field(default="", metadata=DERIVED)
    undo: str = field(default="", metadata=DERIVED)
    holds: tuple[str, ...] = field(default=(), metadata=DERIVED)
    seconds: float = field(default=0.0, metadata=DERIVED)


@dataclass(frozen=True, slots=True)
class Member:
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

    def owns(self, device: str) -> bool:
        """Return True if `device` is this drive, or one of its partitions before or after."""
        numbers = {slot.number for layout in (self.before, self.after) for slot in layout.partitions}
        return device == self.drive.path or device in {
            partition_path(self.drive.path, number) for number in numbers
        }


@dataclass(frozen=True, slots=True)
class Stripe:
    """How a volume is striped over, or mirrored on, all drives of a plan, according to `level`.

    `device`, `name` and `uuids`: node, name and only UUID of the md array. `chunk_bytes`: contiguous data per
    drive, 0 for mirrors. Btrfs has none of these; `metadata` is its metadata profile (raid1, raid0).
    """

    kind: Literal["md", "btrfs"]
    device: str = ""
    name: str = ""
    chunk_bytes: int = 0
    uuids: tuple[str, ...] = ()
    metadata: str = ""
    level: Level = field(default="raid0", metadata=WHERE_USED)

    @property
    def mirrors(self) -> bool:
        """True if all data has a copy on another drive."""
        return self.level == "raid1"


@dataclass(frozen=True, slots=True)
class Plan:
    """Planned changes to one drive, or with a `stripe` to this drive and `others`. With a `group`, all
    volumes are in this volume group.

    `doubts`: sentences on facts unknown when planning. `part`: number of the only partition to change, on a
    drive whose other partitions may be in use; 0 if the plan covers the whole drive.
    """

    drive: Identity
    before: Layout
    after: Layout
    volumes: tuple[Volume, ...]
    steps: tuple[Step, ...]
    doubts: tuple[Message | str, ...] = ()
    others: tuple[Member, ...] = field(default=(), metadata=WHERE_USED)
    stripe: Stripe | None = field(default=None, metadata=WHERE_USED)
    group: Group | None = field(default=None, metadata=WHERE_USED)
    part: int = field(default=0, metadata=WHERE_USED)

    @property
    def members(self) -> tuple[Member, ...]:
        """All drives of the plan, in the order given."""
        return (Member(self.drive, self.before, self.after), *self.others)

    @property
    def paths(self) -> tuple[str, ...]:
        """Nodes of the drives."""
        return tuple(member.drive.path for member in self.members)

    @property
    def unread(self) -> tuple[str, ...]:
        """Nodes of drives that could not be read when planning, such as by an unprivileged user. Such a plan
        is never applied."""
        return tuple(member.drive.path for member in self.members if member.drive.content_digest is None)

    @property
    def only_table(self) -> bool:
        """True if the plan writes a table and preserves all contents."""
        return all(isinstance(step.operation, WriteTable) for step in self.steps)

    @property
    def part_path(self) -> str:
        """Node of the only partition to change. Empty if the plan covers the whole drive."""
        return partition_path(self.drive.path, self.part) if self.part else ""

    @property
    def tokens(self) -> tuple[str, ...]:
        """Tokens of all drives, required for confirmation."""
        return tuple(member.drive.token for member in self.members)

    @property
    def containers(self) -> tuple[Encryption, ...]:
        """Encrypted containers to create. All use one passphrase, which the plan does not contain."""
        return tuple(volume.encryption for volume in self.volumes if volume.encryption)

    @property
    def key_file(self) -> str:
        """Key file of the containers. Empty if there are none or they use a passphrase."""
        return next((one.key for one in self.containers if one.key), "")

    @property
    def takes_passphrase(self) -> bool:
        """True if the user types a passphrase for the containers."""
        return bool(self.containers) and not self.key_file

    def member(self, device: str) -> Member | None:
        """Return the drive that is `device` or contains this partition. Return None for an array, which spans
        all drives."""
        return next((member for member in self.members if member.owns(device)), None)
