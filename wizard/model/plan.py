"""The plan: a drive's layout before and after, and every step between."""

from dataclasses import dataclass, field
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
    MakeStripedVolume,
    MakeVolumeGroup,
    OpenContainer,
    SetOwner,
    Writer,
)
from wizard.model.said import Message


@dataclass(frozen=True, slots=True)
class Slot(Placed):
    """A partition, or free space (number 0), in a layout. Slots are in the order of their starts.

    `kept` is true for what stands before and after alike. `filesystem` may be a container such as
    crypto_LUKS. Where a filesystem is to lie in an encrypted container, `opened` is the node of what that
    opens to. `unread`: what it holds could not be read, so that no filesystem here means nothing.
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


@dataclass(frozen=True, slots=True)
class Layout:
    """A drive from first to last usable byte. `signatures` are kinds that live on the drive itself, without a
    table.

    `whole` is a filesystem that is to fill the drive without a table; what stands there before is told by
    `signatures`, and by the `label` of the only one. `waiting` is what a run left there that waits to be kept
    or undone, a clause: nothing else shows it.
    """

    table: str
    slots: tuple[Slot, ...]
    signatures: tuple[str, ...] = ()
    whole: Slot | None = field(default=None, metadata=WHERE_USED)
    waiting: Message | str = field(default="", metadata=WHERE_USED)
    label: str = field(default="", metadata=WHERE_USED)

    @property
    def partitions(self) -> tuple[Slot, ...]:
        """The slots that are partitions."""
        return tuple(slot for slot in self.slots if slot.number)

    @property
    def holds_more(self) -> bool:
        """Whether something lies on the drive itself, beside what is in partitions."""
        return bool(self.signatures or self.waiting)


@dataclass(frozen=True, slots=True)
class Subvolume:
    """A subvolume of a Btrfs volume, by its path from the top of it, and where it is mounted; None mounts it
    nowhere."""

    name: str
    mount_point: str | None = None


@dataclass(frozen=True, slots=True)
class Volume:
    """One thing a person asked for and what was decided for it. `partition` is the number it gets, `path` its
    node to be.

    `uuid` is what libblkid will report, `mount_point` NO_PLACE for swap that is to be turned on. Number 0 is
    the whole drive, without a table. A striped volume has the same number on every drive; its `path` is the
    array's node, or for Btrfs, which needs no array, the first drive's partition.

    `role` is what it is to a system (`wizard.plan.request.roles`), empty for none. Of an encrypted one
    `path` is what it opens to, and of one in a volume group the logical volume. `subvolumes` are a Btrfs's.
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
    """Erase every signature that libblkid knows on `device`, so that nothing stale is found there later.

    `expected` are the kinds known when planning; empty where the device is new and usually has none.
    """

    device: str
    expected: tuple[str, ...]
    kind: Literal["wipe-signatures"] = "wipe-signatures"


@dataclass(frozen=True, slots=True)
class TableEntry(Placed):
    """A partition to be written, or kept, with exact geometry."""

    number: int
    start_bytes: int
    size_bytes: int
    type: str
    name: str
    kept: bool = False


@dataclass(frozen=True, slots=True)
class WriteTable:
    """Make the table hold exactly `entries`. `fresh` makes a new table; otherwise the kept entries stay to
    the byte."""

    device: str
    table: Literal["gpt", "mbr"]
    fresh: bool
    entries: tuple[TableEntry, ...]
    kind: Literal["write-table"] = "write-table"


@dataclass(frozen=True, slots=True)
class ResetZones:
    """Empty every zone of the zoned drive `device`, and erase what marks its other zones hold: nothing on it
    can be read afterwards."""

    device: str
    kind: Literal["reset-zones"] = "reset-zones"


@dataclass(frozen=True, slots=True)
class MakeSubvolumes:
    """Make the subvolumes `names`, paths from the top of the filesystem on `device`, in this order.

    `others` are the further devices of a Btrfs over several. For that it is mounted at a place that its
    `uuid` names, and unmounted again.
    """

    device: str
    filesystem: str
    uuid: str
    names: tuple[str, ...]
    kind: Literal["make-subvolumes"] = "make-subvolumes"
    others: tuple[str, ...] = field(default=(), metadata=WHERE_USED)


@dataclass(frozen=True, slots=True)
class GrowFilesystem:
    """Have the filesystem on `device` fill its partition, whose end was moved to `size_bytes` behind its
    start."""

    device: str
    filesystem: str
    size_bytes: int
    kind: Literal["grow-filesystem"] = "grow-filesystem"


@dataclass(frozen=True, slots=True)
class ShrinkFilesystem:
    """Have the filesystem on `device` end within `size_bytes` behind its start, where its partition will."""

    device: str
    filesystem: str
    size_bytes: int
    kind: Literal["shrink-filesystem"] = "shrink-filesystem"


Resizing = GrowFilesystem | ShrinkFilesystem
"""What changes the size of a filesystem whose files stay."""


@dataclass(frozen=True, slots=True)
class AddFstabLine:
    """Add one line for `uuid` to the file that says what is mounted at boot."""

    uuid: str
    mount_point: str
    filesystem: str
    options: tuple[str, ...]
    pass_number: int
    kind: Literal["add-fstab-line"] = "add-fstab-line"


@dataclass(frozen=True, slots=True)
class Mount:
    """Make the mount point if it is missing, and mount `device` there. `others` are the further devices of a
    Btrfs over several."""

    device: str
    mount_point: str
    filesystem: str
    options: tuple[str, ...]
    kind: Literal["mount"] = "mount"
    others: tuple[str, ...] = field(default=(), metadata=WHERE_USED)


@dataclass(frozen=True, slots=True)
class TurnOnSwap:
    """Let the kernel swap to `device`."""

    device: str
    kind: Literal["turn-on-swap"] = "turn-on-swap"


NO_PLACE = "none"
"""What stands for the mount point of swap, which has none and is turned on instead (fstab(5))."""

Operation = (
    WipeSignatures
    | WriteTable
    | ResetZones
    | MakeArray
    | MakeVolumeGroup
    | MakeStripedVolume
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
    """Every node that an operation works on or makes."""
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
    """An operation with everything that is shown of it, which follows from the operations of the plan.

    `commands` are argument lists as they will be run; `edits` the lines of a table or file edit where no
    command runs. `destroys` names what is lost, empty for nothing; `undo` how it is taken back, or that it is
    not; `holds` what is checked afterwards.
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
    """One drive of a plan, and what it holds before and after."""

    drive: Identity
    before: Layout
    after: Layout

    def owns(self, device: str) -> bool:
        """Whether `device` is the node of this drive, or of a partition that it has before or after."""
        numbers = {slot.number for layout in (self.before, self.after) for slot in layout.partitions}
        return device == self.drive.path or device in {
            partition_path(self.drive.path, number) for number in numbers
        }


@dataclass(frozen=True, slots=True)
class Stripe:
    """How one volume is spread over all drives of a plan, or mirrored on them, which `level` says.

    `device` is the node of the md array or the logical volume, `name` the array's or the volume group's,
    `chunk_bytes` what goes to one drive at a stretch, `uuids` the array's, or those of the physical volumes
    in the drives' order. Btrfs spreads by itself, in pieces of its own: it has none of these, and `metadata`
    says how its own records are kept (raid1, raid0). A mirror has no chunk.
    """

    kind: Literal["md", "lvm", "btrfs"]
    device: str = ""
    name: str = ""
    chunk_bytes: int = 0
    uuids: tuple[str, ...] = ()
    metadata: str = ""
    level: Level = field(default="raid0", metadata=WHERE_USED)

    @property
    def mirrors(self) -> bool:
        """Whether every byte is kept on more than one drive."""
        return self.level == "raid1"


@dataclass(frozen=True, slots=True)
class Plan:
    """What will be done to one drive, or with a `stripe` to it and `others`. With a `group` all volumes lie
    in that.

    `doubts` are sentences about what could not be known when it was made. `part` is the number of the one
    partition that it changes, on a drive whose others may be in use; 0 where it is for all of the drive.
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
        """Every drive of the plan, in the order in which they were named."""
        return (Member(self.drive, self.before, self.after), *self.others)

    @property
    def paths(self) -> tuple[str, ...]:
        """The nodes of the drives."""
        return tuple(member.drive.path for member in self.members)

    @property
    def unread(self) -> tuple[str, ...]:
        """The nodes of those that were not read when it was made, as by a plain user: such a plan is never
        applied."""
        return tuple(member.drive.path for member in self.members if member.drive.content_digest is None)

    @property
    def part_path(self) -> str:
        """The node of the one partition that it changes; empty where it is for all of the drive."""
        return partition_path(self.drive.path, self.part) if self.part else ""

    @property
    def tokens(self) -> tuple[str, ...]:
        """What a person gives to confirm: the token of every drive."""
        return tuple(member.drive.token for member in self.members)

    @property
    def containers(self) -> tuple[Encryption, ...]:
        """The encrypted containers that it makes. All open by one passphrase, which the plan does not
        know."""
        return tuple(volume.encryption for volume in self.volumes if volume.encryption)

    @property
    def key_file(self) -> str:
        """The file that opens its containers; empty where a person types what does, and where it makes
        none."""
        return next((one.key for one in self.containers if one.key), "")

    @property
    def takes_passphrase(self) -> bool:
        """Whether a person types what opens its containers."""
        return bool(self.containers) and not self.key_file

    def member(self, device: str) -> Member | None:
        """The drive that `device` is, or is a partition of; None for an array, which lies on all of them."""
        return next((member for member in self.members if member.owns(device)), None)
