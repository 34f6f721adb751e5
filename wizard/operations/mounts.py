"""Operations on mounts, swap and fstab."""

from dataclasses import dataclass, field
from typing import Literal

from wizard.model.errors import WHERE_USED


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
