"""What is changed for a filesystem that exists already and is in use: files, the drive's queue, how it is
mounted. Nothing is made anew."""

from dataclasses import dataclass
from typing import Literal

from wizard.model.identity import Identity


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
class EditFstab:
    """Give line `number` of `file`, which reads `old`, these options. `digest` is SHA-256 of the whole file
    as it was found."""

    file: str
    digest: str
    number: int
    old: str
    options: tuple[str, ...]
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


ChangeOperation = ReserveBlocks | Remount | EditFstab | SetQueue | WriteRules | SwitchOnTimer


@dataclass(frozen=True, slots=True)
class ChangeStep:
    """An operation with everything that is shown of it, as a plan's steps have it; a change destroys nothing.

    `edits` are the differences of a file where no command runs; `undo` how it is taken back; `holds` what is
    checked afterwards.
    """

    operation: ChangeOperation
    sentence: str
    commands: tuple[tuple[str, ...], ...]
    edits: tuple[str, ...]
    undo: str
    holds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Changes:
    """What will be changed for the filesystem `uuid` on `device`, which is `drive` or a partition of it, so
    that it suits `workload`.

    `filesystem` is libblkid's name. `reasons` are sentences on each change, `doubts` on what is left out or
    holds only later.
    """

    drive: Identity
    device: str
    filesystem: str
    uuid: str
    workload: str
    steps: tuple[ChangeStep, ...]
    reasons: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
