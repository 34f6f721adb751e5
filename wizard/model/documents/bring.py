"""Bringing files to a volume: from where, to where, and how much that is."""

from dataclasses import dataclass, field
from enum import StrEnum

from wizard.model.documents.changes import EditFstab
from wizard.model.identity import Identity
from wizard.model.said import Said
from wizard.model.written import DERIVED, WHERE_USED


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
    doubts: tuple[Said, ...] = field(default=(), metadata=DERIVED)

    @property
    def steps(self) -> tuple[BringStep, ...]:
        """What is done, in order."""
        return tuple(one for one in BringStep if self.takes is not None or one is not BringStep.TAKE_PLACE)
