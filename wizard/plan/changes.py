"""Planned changes to an existing filesystem, and planned copies of files."""

from dataclasses import dataclass, field
from enum import StrEnum

from wizard.model.errors import DERIVED, WHERE_USED, printable
from wizard.model.geometry import Identity
from wizard.model.moves import Moves
from wizard.model.requests import Wanted
from wizard.model.run import DriveDocument
from wizard.model.said import Message, t
from wizard.operations.fstab import EditFstab
from wizard.operations.growth import ExtendPartition, GrowMounted
from wizard.operations.layers import StopLayer
from wizard.operations.mounts import ChangeOwner, Mount, Remount, Top, Unmount
from wizard.operations.settings import PowerOff, Relabel, ReserveBlocks, SetQueue, SwitchOnTimer, WriteRules
from wizard.plan.conversion import Migration
from wizard.plan.plan import Plan

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
"""In this order in a document: operations that the kernel may refuse come before the file that the next boot
depends on."""


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
class Changes(DriveDocument):
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

    @property
    def devices(self) -> tuple[str, ...]:
        """The changed device."""
        return (self.device,)

    @property
    def sentences(self) -> tuple[Message | str, ...]:
        """A sentence for each step."""
        return tuple(step.sentence for step in self.steps)

    @property
    def settings(self) -> tuple[ChangeOperation, ...]:
        """The operations in order."""
        return tuple(step.operation for step in self.steps)

    @property
    def is_final(self) -> bool:
        """True if a finished step cannot be undone."""
        return any(setting.stays for setting in self.settings)


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
class Bring(DriveDocument):
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

    @property
    def settings(self) -> tuple[EditFstab, ...]:
        """The edit of fstab, if the target replaces the source."""
        return (self.takes.edit,) if self.takes else ()

    @property
    def devices(self) -> tuple[str, ...]:
        """The target of the copy."""
        return (self.target.device,)

    @property
    def sentences(self) -> tuple[Message | str, ...]:
        """A sentence for each step."""
        return tuple(map(self.step_sentence, self.steps))

    def step_sentence(self, step: BringStep) -> Message:
        """Describe a step."""
        match step:
            case BringStep.COPY:
                return t(
                    "Copy {entries:,d} files, folders and links ({size:size}).",
                    entries=self.amount.entries,
                    size=self.amount.size_bytes,
                )
            case BringStep.CATCH_UP:
                return t("Copy changed files again, and set the owners and dates of folders.")
            case BringStep.COMPARE:
                return t("Read the copy back from the drive and compare.")
            case BringStep.TAKE_PLACE:
                assert self.takes is not None
                file, place = (printable(path, 200) for path in (self.takes.edit.file, self.takes.place))
                return t(
                    "Change {file} to mount {device} at {place} from the next boot.",
                    file=file,
                    place=place,
                    device=self.target.device,
                )


RunDocument = Plan | Changes | Migration | Bring | Moves
