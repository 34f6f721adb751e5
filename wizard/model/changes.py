"""Changes to an existing filesystem: label, mount, size, files and drive queue. Never creates a
filesystem."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from wizard.model.errors import DERIVED, WHERE_USED, partition_path
from wizard.model.geometry import Identity
from wizard.model.migration import Migration, Moves
from wizard.model.operations import ROOT, Writer
from wizard.model.plan import Mount, Plan
from wizard.model.said import Message


@dataclass(frozen=True, slots=True)
class Tune:
    """Apply the recommended settings for a workload, and let `owner` write."""

    workload: str
    owner: Writer | None = field(default=None, metadata=WHERE_USED)
    kind: Literal["tune"] = "tune"


@dataclass(frozen=True, slots=True)
class SetLabel:
    """Change the label."""

    label: str
    kind: Literal["set-label"] = "set-label"


@dataclass(frozen=True, slots=True)
class NewUuid:
    """Give a copy a UUID of its own."""

    kind: Literal["new-uuid"] = "new-uuid"


@dataclass(frozen=True, slots=True)
class Attach:
    """Mount at `place` with these options, and with `boot` at every boot. If `place` is None, fstab or the
    label determines it. `writer`: who may write if no owners are stored. `owner`: the new owner."""

    place: str | None = None
    options: tuple[str, ...] = ()
    boot: bool = True
    writer: Writer = field(default=ROOT, metadata=WHERE_USED)
    owner: Writer | None = field(default=None, metadata=WHERE_USED)
    kind: Literal["attach"] = "attach"


@dataclass(frozen=True, slots=True)
class Detach:
    """Unmount, and with `boot` also remove the filesystem from fstab."""

    boot: bool = False
    kind: Literal["detach"] = "detach"


@dataclass(frozen=True, slots=True)
class SetOptions:
    """Change mount options, now and at every boot."""

    options: tuple[str, ...]
    kind: Literal["set-options"] = "set-options"


@dataclass(frozen=True, slots=True)
class SwitchOff:
    """Unmount and power off the whole drive."""

    kind: Literal["switch-off"] = "switch-off"


@dataclass(frozen=True, slots=True)
class Release:
    """Stop all arrays, volume groups and open containers on the drive."""

    kind: Literal["release"] = "release"


@dataclass(frozen=True, slots=True)
class Grow:
    """Grow the partition and its mounted filesystem into the free space after it."""

    kind: Literal["grow"] = "grow"


Wanted = Tune | SetLabel | NewUuid | Attach | Detach | SetOptions | SwitchOff | Release | Grow
"""A request. The changes are derived from the request and the current state."""


@dataclass(frozen=True, slots=True)
class ReserveBlocks:
    """Change the blocks of an ext filesystem reserved for root from `old_blocks` to `new_blocks`, each of
    `block_bytes`."""

    device: str
    old_blocks: int
    new_blocks: int
    block_bytes: int
    kind: Literal["reserve-blocks"] = "reserve-blocks"


@dataclass(frozen=True, slots=True)
class Remount:
    """Remount `device` at `mount_point` with other options while in use.

    `old` and `new`: all generic mount options, as the kernel lists them. Options specific to the filesystem
    do not change.
    """

    device: str
    mount_point: str
    old: tuple[str, ...]
    new: tuple[str, ...]
    kind: Literal["remount"] = "remount"


@dataclass(frozen=True, slots=True)
class Relabel:
    """Change the label or UUID of the `filesystem` on `device` from `old` to `new`; an empty string means no
    label. `mount_point` is empty if not mounted. `parts`: node, old and new UUID of each partition of a GPT,
    which is then the `filesystem`."""

    device: str
    filesystem: str
    mount_point: str
    old: str
    new: str
    identifier: Literal["label", "uuid"] = field(default="label", metadata=WHERE_USED)
    parts: tuple[tuple[str, str, str], ...] = field(default=(), metadata=WHERE_USED)
    kind: Literal["relabel"] = "relabel"


@dataclass(frozen=True, slots=True)
class Top:
    """Metadata of the top folder of a filesystem. `attributes`: names and values in hexadecimal."""

    owner: int
    group: int
    mode: int
    attributes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ChangeOwner:
    """Change owner, group and mode of the top folder at `mount_point`, where `device` is mounted.
    `filesystem`: the kernel's name."""

    device: str
    mount_point: str
    filesystem: str
    old: Top
    new: Top
    kind: Literal["change-owner"] = "change-owner"


@dataclass(frozen=True, slots=True)
class Unmount:
    """Unmount `device` from `mount_point`. `filesystem` (the kernel's name) and `options` serve to mount it
    again."""

    device: str
    mount_point: str
    filesystem: str
    options: tuple[str, ...]
    kind: Literal["unmount"] = "unmount"


@dataclass(frozen=True, slots=True)
class LineEdit:
    """Replace line `number`, which reads `old`, by `new`. `old` None appends a line (number 0); `new` None
    deletes one."""

    number: int
    old: str | None
    new: str | None


@dataclass(frozen=True, slots=True)
class EditFstab:
    """Change these lines of `file`. `digest` is the SHA-256 of the whole file as found."""

    file: str
    digest: str
    lines: tuple[LineEdit, ...]
    kind: Literal["edit-fstab"] = "edit-fstab"


@dataclass(frozen=True, slots=True)
class SetQueue:
    """Set the queue value `name` of the drive `device`, in /sys/class/block, until reboot."""

    device: str
    name: str
    old: str
    new: str
    kind: Literal["set-queue"] = "set-queue"


@dataclass(frozen=True, slots=True)
class WriteRules:
    """Write the udev rules `file`, which sets queue `values` of the drive at every boot. `old` is the
    previous content, None if the file did not exist."""

    file: str
    values: tuple[tuple[str, str], ...]
    old: str | None = None
    kind: Literal["write-rules"] = "write-rules"


@dataclass(frozen=True, slots=True)
class SwitchOnTimer:
    """Enable and start the systemd timer `unit`."""

    unit: Literal["fstrim.timer"] = "fstrim.timer"
    kind: Literal["switch-on-timer"] = "switch-on-timer"


@dataclass(frozen=True, slots=True)
class PowerOff:
    """Power off `device`, an unused whole drive, by writing 1 to these sysfs `files` in order. Cannot be
    undone."""

    device: str
    files: tuple[str, ...]
    kind: Literal["power-off"] = "power-off"


@dataclass(frozen=True, slots=True)
class StopLayer:
    """Stop an md array, deactivate an LVM volume group or close an encrypted container, on these `members`.

    `device`: node of the array or container, or name of the group. `uuid`: of the array. `volumes`: the
    group's active logical volumes, as `group/volume`. `state`: of the array.
    """

    device: str
    layer: Literal["md", "lvm", "luks"]
    members: tuple[str, ...]
    uuid: str = ""
    volumes: tuple[str, ...] = ()
    state: Literal["active", "read-only", "inactive"] = "active"
    kind: Literal["stop-layer"] = "stop-layer"


@dataclass(frozen=True, slots=True)
class ExtendPartition:
    """Change the size of partition `number` at `start_bytes` of `drive` from `old_bytes` to `new_bytes`. The
    rest of the table is unchanged, and the kernel is notified."""

    drive: str
    number: int
    start_bytes: int
    old_bytes: int
    new_bytes: int
    kind: Literal["extend-partition"] = "extend-partition"

    @property
    def device(self) -> str:
        """Node of the partition."""
        return partition_path(self.drive, self.number)


@dataclass(frozen=True, slots=True)
class GrowMounted:
    """Grow the `filesystem` on `device`, mounted at `mount_point`, from `old_bytes` to the `new_bytes` of its
    device. `member`: device number in a Btrfs."""

    device: str
    filesystem: str
    mount_point: str
    old_bytes: int
    new_bytes: int
    member: int = 1
    kind: Literal["grow-mounted"] = "grow-mounted"


ChangeOperation = (
    ReserveBlocks
    | Relabel
    | Remount
    | Mount
    | ChangeOwner
    | Unmount
    | EditFstab
    | SetQueue
    | WriteRules
    | SwitchOnTimer
    | PowerOff
    | StopLayer
    | ExtendPartition
    | GrowMounted
)


@dataclass(frozen=True, slots=True)
class ChangeStep:
    """An operation with its description, as in a plan's steps. A change destroys no data.

    `edits`: changed lines of a file, if no command runs. `undo`: how to undo the step. `holds`: checks
    afterwards.
    """

    operation: ChangeOperation
    sentence: str = field(default="", metadata=DERIVED)
    commands: tuple[tuple[str, ...], ...] = field(default=(), metadata=DERIVED)
    edits: tuple[str, ...] = field(default=(), metadata=DERIVED)
    undo: str = field(default="", metadata=DERIVED)
    holds: tuple[str, ...] = field(default=(), metadata=DERIVED)


@dataclass(frozen=True, slots=True)
class Changes:
    """Planned changes to the filesystem `uuid` on `device`, a drive or its partition, to fulfil the request
    `wanted`.

    `filesystem`: libblkid's name; it and `uuid` are empty if the request is for the whole drive, with any
    contents. `reasons`: a sentence per change. `doubts`: what is omitted or takes effect only later.
    """

    drive: Identity
    device: str
    filesystem: str
    uuid: str
    wanted: Wanted
    steps: tuple[ChangeStep, ...]
    reasons: tuple[Message | str, ...] = ()
    doubts: tuple[Message | str, ...] = ()


class BringStep(StrEnum):
    """Steps of a copy run, in order."""

    COPY = "copy"
    CATCH_UP = "catch-up"
    COMPARE = "compare"
    TAKE_PLACE = "take-place"


@dataclass(frozen=True, slots=True)
class BringFrom:
    """Source of a copy: the folder `path`, or the whole filesystem on the device `path`.

    `filesystem`: libblkid's name, else the kernel's. `uuid`: may be empty. `below`: mount points inside the
    folder, which are not copied.
    """

    path: str
    is_device: bool
    filesystem: str
    uuid: str
    below: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BringTo:
    """Target of a copy: `folder` on the filesystem of `device`, mounted at `place`. `makes`: parent folders
    to create, outermost first."""

    device: str
    filesystem: str
    uuid: str
    place: str
    folder: str
    makes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BringAmount:
    """Size of a copy: `entries` of all kinds, including `files`. `size_bytes`: content without holes.
    `room_bytes`: space needed on the target.

    `links`: symbolic links. `names`: additional hard links. `others`: pipes, sockets and devices.
    """

    entries: int
    files: int
    size_bytes: int
    room_bytes: int
    links: int = 0
    names: int = 0
    others: int = 0


@dataclass(frozen=True, slots=True)
class TakePlace:
    """Mount the target at `place` from the next boot, instead of the filesystem `uuid` on `device`. `edit`
    changes fstab and leaves the old line as a comment. `top`: previous metadata of the target's top
    folder."""

    place: str
    device: str
    uuid: str
    edit: EditFstab
    top: Top


@dataclass(frozen=True, slots=True)
class Bring:
    """Planned copy of files to a volume on `drive`, which may replace the source (`takes`). `doubts`: what
    the copy cannot preserve."""

    drive: Identity
    source: BringFrom
    target: BringTo
    amount: BringAmount
    takes: TakePlace | None = field(default=None, metadata=WHERE_USED)
    doubts: tuple[Message, ...] = field(default=(), metadata=DERIVED)

    @property
    def steps(self) -> tuple[BringStep, ...]:
        """Steps in order."""
        return tuple(one for one in BringStep if self.takes is not None or one is not BringStep.TAKE_PLACE)


OneTokened = Changes | Migration | Moves | Bring
"""Documents confirmed by a single token."""

RunDocument = Plan | Changes | Migration | Bring | Moves
