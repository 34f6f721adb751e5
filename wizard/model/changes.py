"""Changes to an existing filesystem: label, mount, files and drive queue. Never creates a filesystem."""

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
    """What suits it for a purpose."""

    workload: str
    kind: Literal["tune"] = "tune"


@dataclass(frozen=True, slots=True)
class SetLabel:
    """Another label."""

    label: str
    kind: Literal["set-label"] = "set-label"


@dataclass(frozen=True, slots=True)
class Attach:
    """Mounted at `place`, None for where fstab or its label says, with these options; where `boot`, at every
    start too. `writer` may write where the filesystem keeps no owners of its own."""

    place: str | None = None
    options: tuple[str, ...] = ()
    boot: bool = True
    writer: Writer = field(default=ROOT, metadata=WHERE_USED)
    kind: Literal["attach"] = "attach"


@dataclass(frozen=True, slots=True)
class Detach:
    """Mounted nowhere; where `boot`, not at the next start either."""

    boot: bool = False
    kind: Literal["detach"] = "detach"


@dataclass(frozen=True, slots=True)
class SetOptions:
    """Mounted with these options, now and at every start."""

    options: tuple[str, ...]
    kind: Literal["set-options"] = "set-options"


@dataclass(frozen=True, slots=True)
class SwitchOff:
    """The whole drive unmounted and without power."""

    kind: Literal["switch-off"] = "switch-off"


@dataclass(frozen=True, slots=True)
class Grow:
    """Filling the free space behind its partition while it is mounted."""

    kind: Literal["grow"] = "grow"


Wanted = Tune | SetLabel | Attach | Detach | SetOptions | SwitchOff | Grow
"""What somebody asks for; the changes follow from it and from what is found."""


@dataclass(frozen=True, slots=True)
class ReserveBlocks:
    """Keep `new_blocks` of an ext filesystem for root instead of `old_blocks`, each of `block_bytes`."""

    device: str
    old_blocks: int
    new_blocks: int
    block_bytes: int
    kind: Literal["reserve-blocks"] = "reserve-blocks"


@dataclass(frozen=True, slots=True)
class Remount:
    """Give the mount of `device` at `mount_point` other options while it is in use. `old` and `new` are all
    words that hold of the mount itself, whatever the filesystem, as the kernel lists them; options of the
    filesystem's own stay as they are.
    """

    device: str
    mount_point: str
    old: tuple[str, ...]
    new: tuple[str, ...]
    kind: Literal["remount"] = "remount"


@dataclass(frozen=True, slots=True)
class Relabel:
    """Give the `filesystem` on `device` the label `new` instead of `old`, where empty is none. `mount_point`
    is where it is mounted, empty where it is not.
    """

    device: str
    filesystem: str
    mount_point: str
    old: str
    new: str
    kind: Literal["relabel"] = "relabel"


@dataclass(frozen=True, slots=True)
class Unmount:
    """Unmount `device` from `mount_point`. `filesystem`, as the kernel calls it, and `options` mount it there
    again."""

    device: str
    mount_point: str
    filesystem: str
    options: tuple[str, ...]
    kind: Literal["unmount"] = "unmount"


@dataclass(frozen=True, slots=True)
class LineEdit:
    """Put the line `new` in the place of `old`, which is line `number`. Without `old` it is added at the end,
    number 0; without `new` the old one goes."""

    number: int
    old: str | None
    new: str | None


@dataclass(frozen=True, slots=True)
class EditFstab:
    """Change these lines of `file`. `digest` is SHA-256 of the whole file as it was found."""

    file: str
    digest: str
    lines: tuple[LineEdit, ...]
    kind: Literal["edit-fstab"] = "edit-fstab"


@dataclass(frozen=True, slots=True)
class SetQueue:
    """Set the value `name` of the queue of the drive `device`, below /sys/class/block, until the next
    start."""

    device: str
    name: str
    old: str
    new: str
    kind: Literal["set-queue"] = "set-queue"


@dataclass(frozen=True, slots=True)
class WriteRules:
    """Write udev's rules `file`, which gives the drive these `values` of its queue at every start. `old` is
    what the file held, None where there was none.
    """

    file: str
    values: tuple[tuple[str, str], ...]
    old: str | None = None
    kind: Literal["write-rules"] = "write-rules"


@dataclass(frozen=True, slots=True)
class SwitchOnTimer:
    """Have systemd start `unit` now and at every start."""

    unit: Literal["fstrim.timer"] = "fstrim.timer"
    kind: Literal["switch-on-timer"] = "switch-on-timer"


@dataclass(frozen=True, slots=True)
class PowerOff:
    """Take the power from `device`, a whole drive that nobody uses, by writing 1 to these `files` of sysfs in
    turn. There is no way back."""

    device: str
    files: tuple[str, ...]
    kind: Literal["power-off"] = "power-off"


@dataclass(frozen=True, slots=True)
class ExtendPartition:
    """Move the end of partition `number`, which begins at `start_bytes` of `drive`: it has `new_bytes` then
    instead of `old_bytes`. Nothing else of the table changes, and the kernel is told."""

    drive: str
    number: int
    start_bytes: int
    old_bytes: int
    new_bytes: int
    kind: Literal["extend-partition"] = "extend-partition"

    @property
    def device(self) -> str:
        """The partition's node."""
        return partition_path(self.drive, self.number)


@dataclass(frozen=True, slots=True)
class GrowMounted:
    """Have the `filesystem` on `device`, which is mounted at `mount_point`, fill the `new_bytes` of its
    device instead of `old_bytes`. `member` is the number that a Btrfs gives the device."""

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
    | Unmount
    | EditFstab
    | SetQueue
    | WriteRules
    | SwitchOnTimer
    | PowerOff
    | ExtendPartition
    | GrowMounted
)


@dataclass(frozen=True, slots=True)
class ChangeStep:
    """An operation with everything that is shown of it, as a plan's steps have it; a change destroys nothing.

    `edits` are the differences of a file where no command runs; `undo` how it is taken back; `holds` what is
    checked afterwards.
    """

    operation: ChangeOperation
    sentence: str = field(default="", metadata=DERIVED)
    commands: tuple[tuple[str, ...], ...] = field(default=(), metadata=DERIVED)
    edits: tuple[str, ...] = field(default=(), metadata=DERIVED)
    undo: str = field(default="", metadata=DERIVED)
    holds: tuple[str, ...] = field(default=(), metadata=DERIVED)


@dataclass(frozen=True, slots=True)
class Changes:
    """What will be changed for the filesystem `uuid` on `device`, which is `drive` or a partition of it, as
    is `wanted`.

    `filesystem` is libblkid's name; it and `uuid` are empty where the whole drive is meant, whatever it
    holds. `reasons` are sentences on each change, `doubts` on what is left out or
    holds only later.
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
    """What a run does, in this order."""

    COPY = "copy"
    CATCH_UP = "catch-up"
    COMPARE = "compare"
    TAKE_PLACE = "take-place"


@dataclass(frozen=True, slots=True)
class BringFrom:
    """What is copied: the folder `path`, or all of the filesystem on the device `path`. `filesystem` is
    libblkid's name for it, or the kernel's where it has no such; `uuid` is empty where it has none. What is
    mounted `below` a folder is not copied.
    """

    path: str
    is_device: bool
    filesystem: str
    uuid: str
    below: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BringTo:
    """Where the copy comes to lie: in `folder`, which is `place` or lies below it, where the filesystem on
    `device` is mounted. `makes` are the folders on the way that are not there yet, the outermost first."""

    device: str
    filesystem: str
    uuid: str
    place: str
    folder: str
    makes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BringAmount:
    """How much there is: `entries` of all kinds, `files` among them, and their `size_bytes` of content,
    without holes; what the copy takes of the target, `room_bytes`.

    `links` are symbolic links, `names` further names of a file, `others` pipes, sockets and devices.
    """

    entries: int
    files: int
    size_bytes: int
    room_bytes: int
    links: int = 0
    names: int = 0
    others: int = 0


@dataclass(frozen=True, slots=True)
class Top:
    """What the top folder of the target is: it becomes what the source's is, and this again when that is
    undone. `attributes` are names and values, in hexadecimal."""

    owner: int
    group: int
    mode: int
    attributes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class TakePlace:
    """From the next start on the target is mounted at `place`, where the filesystem `uuid` on `device` is
    mounted now. `edit` has fstab say so; the line of the old one stays there, as a comment. `top` is what
    the target's top was."""

    place: str
    device: str
    uuid: str
    edit: EditFstab
    top: Top


@dataclass(frozen=True, slots=True)
class Bring:
    """Files that are to be brought to a volume on `drive`, which perhaps `takes` the place of the source.
    `doubts` say what the copy cannot keep."""

    drive: Identity
    source: BringFrom
    target: BringTo
    amount: BringAmount
    takes: TakePlace | None = field(default=None, metadata=WHERE_USED)
    doubts: tuple[Message, ...] = field(default=(), metadata=DERIVED)

    @property
    def steps(self) -> tuple[BringStep, ...]:
        """What is done, in order."""
        return tuple(one for one in BringStep if self.takes is not None or one is not BringStep.TAKE_PLACE)


OneTokened = Changes | Migration | Moves | Bring
"""Those that one token confirms."""

RunDocument = Plan | Changes | Migration | Bring | Moves
