"""The plan: the layout of a drive before and after, and the steps between."""

from dataclasses import dataclass, field
from itertools import takewhile

from wizard.model.errors import DERIVED, WHERE_USED, partition_path
from wizard.model.geometry import Identity
from wizard.model.layout import Encryption, Group, Layout, Member, Stripe, Volume
from wizard.model.run import Document
from wizard.model.said import Message
from wizard.operations.containers import AddCrypttabLine, MakeContainer, OpenContainer
from wizard.operations.filesystem import (
    GrowFilesystem,
    MakeFilesystem,
    MakeSubvolumes,
    SetOwner,
    ShrinkFilesystem,
)
from wizard.operations.layers import MakeArray, MakeLogicalVolume, MakeVolumeGroup
from wizard.operations.mounts import AddFstabLine, Mount, TurnOnSwap
from wizard.operations.table import ResetZones, WipeSignatures, WriteTable

PlanOperation = (
    WipeSignatures
    | WriteTable
    | ResetZones
    | MakeArray
    | MakeVolumeGroup
    | MakeLogicalVolume
    | MakeContainer
    | OpenContainer
    | MakeFilesystem
    | MakeSubvolumes
    | SetOwner
    | GrowFilesystem
    | ShrinkFilesystem
    | AddCrypttabLine
    | AddFstabLine
    | Mount
    | TurnOnSwap
)


@dataclass(frozen=True, slots=True)
class Step:
    """An operation with its description, derived from the plan's operations.

    `commands`: argument lists as run. `edits`: changed lines of a table or file, if no command runs.
    `destroys`: data that is lost, or empty. `undo`: how to undo the step, or that this is impossible.
    `holds`: checks afterwards.
    """

    operation: PlanOperation
    sentence: str = field(default="", metadata=DERIVED)
    commands: tuple[tuple[str, ...], ...] = field(default=(), metadata=DERIVED)
    edits: tuple[str, ...] = field(default=(), metadata=DERIVED)
    destroys: str = field(default="", metadata=DERIVED)
    undo: str = field(default="", metadata=DERIVED)
    holds: tuple[str, ...] = field(default=(), metadata=DERIVED)
    seconds: float = field(default=0.0, metadata=DERIVED)


@dataclass(frozen=True, slots=True)
class Plan(Document):
    """Planned changes to one drive, or with a `stripe` to this drive and `others`. With a `group`, all
    volumes are in this volume group.

    `doubts`: sentences on facts unknown when planning. `part`: number of the only partition to change, on a
    drive whose other partitions may be in use; 0 if the plan covers the whole drive.
    """

    drive: Identity
    before: Layout
    after: Layout
    volumes: tuple[Volume, ...]
    steps: tuple[Step, ...]
    doubts: tuple[Message | str, ...] = ()
    others: tuple[Member, ...] = field(default=(), metadata=WHERE_USED)
    stripe: Stripe | None = field(default=None, metadata=WHERE_USED)
    group: Group | None = field(default=None, metadata=WHERE_USED)
    part: int = field(default=0, metadata=WHERE_USED)

    @property
    def members(self) -> tuple[Member, ...]:
        """All drives of the plan, in the order given."""
        return (Member(self.drive, self.before, self.after), *self.others)

    @property
    def unread(self) -> tuple[str, ...]:
        """Nodes of drives that could not be read when planning, such as by an unprivileged user. Such a plan
        is never applied."""
        return tuple(member.drive.path for member in self.members if member.drive.content_digest is None)

    @property
    def wipes(self) -> tuple[WipeSignatures, ...]:
        """The steps before the first table that erase old signatures."""
        before = takewhile(lambda step: not isinstance(step.operation, WriteTable), self.steps)
        return tuple(step.operation for step in before if isinstance(step.operation, WipeSignatures))

    @property
    def tables(self) -> tuple[WriteTable, ...]:
        """The tables to write."""
        return tuple(step.operation for step in self.steps if isinstance(step.operation, WriteTable))

    @property
    def arrays(self) -> tuple[MakeArray, ...]:
        """The md arrays to create, at most one."""
        return tuple(step.operation for step in self.steps if isinstance(step.operation, MakeArray))

    @property
    def logical_volumes(self) -> tuple[MakeLogicalVolume, ...]:
        """The logical volumes to create, in volume order."""
        return tuple(step.operation for step in self.steps if isinstance(step.operation, MakeLogicalVolume))

    @property
    def filesystems(self) -> tuple[MakeFilesystem, ...]:
        """The filesystems to create."""
        return tuple(step.operation for step in self.steps if isinstance(step.operation, MakeFilesystem))

    @property
    def mounts(self) -> tuple[Mount, ...]:
        """The mounts, in order."""
        return tuple(step.operation for step in self.steps if isinstance(step.operation, Mount))

    @property
    def fstab_lines(self) -> tuple[AddFstabLine, ...]:
        """The lines to add to fstab."""
        return tuple(step.operation for step in self.steps if isinstance(step.operation, AddFstabLine))

    @property
    def crypttab_lines(self) -> tuple[AddCrypttabLine, ...]:
        """The lines to add to crypttab."""
        return tuple(step.operation for step in self.steps if isinstance(step.operation, AddCrypttabLine))

    @property
    def only_table(self) -> bool:
        """True if the plan writes a table and preserves all contents."""
        return len(self.tables) == len(self.steps)

    @property
    def part_path(self) -> str:
        """Node of the only partition to change. Empty if the plan covers the whole drive."""
        return partition_path(self.drive.path, self.part) if self.part else ""

    @property
    def drives(self) -> tuple[Identity, ...]:
        """The drives of all members."""
        return tuple(member.drive for member in self.members)

    @property
    def devices(self) -> tuple[str, ...]:
        """Nodes of the drives, in the order given."""
        return tuple(member.drive.path for member in self.members)

    @property
    def sentences(self) -> tuple[Message | str, ...]:
        """A sentence for each step."""
        return tuple(step.sentence for step in self.steps)

    @property
    def containers(self) -> tuple[Encryption, ...]:
        """Encrypted containers to create."""
        return tuple(volume.encryption for volume in self.volumes if volume.encryption)

    @property
    def encrypted(self) -> tuple[str, ...]:
        """Nodes of the containers."""
        return tuple(one.device for one in self.containers)

    @property
    def key_file(self) -> str:
        """The first key file of the containers."""
        return next((one.key for one in self.containers if one.key), "")

    def member(self, device: str) -> Member | None:
        """Return the drive that is `device` or contains this partition. Return None for an array, which spans
        all drives."""
        return next((member for member in self.members if member.owns(device)), None)
