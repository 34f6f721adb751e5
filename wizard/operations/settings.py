"""Operations that change a setting of a filesystem or drive in use."""

from dataclasses import dataclass, field
from typing import Literal

from wizard.model.errors import WHERE_USED, partition_path


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
