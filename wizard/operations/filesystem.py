"""Operations that create a filesystem, fill it with subvolumes, or change its size while unmounted."""

from dataclasses import dataclass, field
from typing import Literal

from wizard.model.errors import WHERE_USED
from wizard.model.layout import NewFilesystem, Writer


@dataclass(frozen=True, slots=True)
class MakeFilesystem(NewFilesystem):
    """Create a filesystem."""

    kind: Literal["make-filesystem"] = "make-filesystem"


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
