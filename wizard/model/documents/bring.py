"""Bringing files to a volume: from where, to where, and how much that is."""

from dataclasses import dataclass, field
from enum import StrEnum

from wizard.model.identity import Identity
from wizard.model.said import Said
from wizard.model.written import DERIVED


class BringStep(StrEnum):
    """What a run does, in this order."""

    COPY = "copy"
    CATCH_UP = "catch-up"
    COMPARE = "compare"


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
class Bring:
    """Files that are to be brought to a volume on `drive`. `doubts` say what the copy cannot keep."""

    drive: Identity
    source: BringFrom
    target: BringTo
    amount: BringAmount
    doubts: tuple[Said, ...] = field(default=(), metadata=DERIVED)

    @property
    def steps(self) -> tuple[BringStep, ...]:
        """What is done, in order."""
        return tuple(BringStep)
