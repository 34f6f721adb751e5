"""The operation that makes a filesystem: all that a kind of filesystem need know of a plan."""

from dataclasses import dataclass, field
from typing import Literal

from wizard.model.machine import Striping
from wizard.model.written import WHERE_USED


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
