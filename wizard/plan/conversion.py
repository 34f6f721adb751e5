"""The document of a conversion from ext2 or ext3 to ext4, and the methods to choose from."""

from dataclasses import dataclass, field
from enum import StrEnum

from wizard.model.errors import DERIVED
from wizard.model.ext import ExtFacts
from wizard.model.finding import Finding
from wizard.model.geometry import Identity
from wizard.model.run import DriveDocument
from wizard.model.said import Message
from wizard.operations.ext4 import OnDevice
from wizard.operations.fstab import EditFstab

MigrationOperation = OnDevice | EditFstab


class Way(StrEnum):
    """Conversion method. MOUNT: mount as ext4, with no change on disk. LIGHT: extents and other features for
    new files. FULL: convert every file and all metadata."""

    MOUNT = "mount"
    LIGHT = "light"
    FULL = "full"

    @property
    def converts(self) -> bool:
        """True if the filesystem itself changes."""
        return self is not Way.MOUNT


@dataclass(frozen=True, slots=True)
class MigrationStep:
    """An operation with its description, derived from the operation and the conversion.

    `commands` name the device, even if run on the scratch copy. `undo`: how to undo the step. `holds`: checks
    afterwards. `seconds`: rough duration.
    """

    operation: MigrationOperation
    sentence: str = field(default="", metadata=DERIVED)
    commands: tuple[tuple[str, ...], ...] = field(default=(), metadata=DERIVED)
    edits: tuple[str, ...] = field(default=(), metadata=DERIVED)
    undo: str = field(default="", metadata=DERIVED)
    holds: tuple[str, ...] = field(default=(), metadata=DERIVED)
    seconds: float = field(default=0.0, metadata=DERIVED)


@dataclass(frozen=True, slots=True)
class Migration(DriveDocument):
    """Planned conversion of the filesystem `before` on `device`: the drive `drive`, a partition or a volume
    on that drive.

    `room_bytes`: space needed for the scratch copy and the undo data. `manifest`: compare the contents of all
    files before and after. `repairs`: damage may be repaired, on the scratch copy.
    """

    drive: Identity
    device: str
    before: ExtFacts
    way: Way
    steps: tuple[MigrationStep, ...]
    room_bytes: int = field(default=0, metadata=DERIVED)
    manifest: bool = False
    repairs: bool = False
    gains: tuple[str, ...] = field(default=(), metadata=DERIVED)
    doubts: tuple[Message | str, ...] = ()

    @property
    def devices(self) -> tuple[str, ...]:
        """The converted device."""
        return (self.device,)

    @property
    def sentences(self) -> tuple[Message | str, ...]:
        """A sentence for each step."""
        return tuple(step.sentence for step in self.steps)

    @property
    def on_device(self) -> tuple[OnDevice, ...]:
        """The operations on the filesystem, which come first."""
        return tuple(step.operation for step in self.steps if not isinstance(step.operation, EditFstab))

    @property
    def settings(self) -> tuple[EditFstab, ...]:
        """The operation on fstab, if any. Comes last."""
        return tuple(step.operation for step in self.steps if isinstance(step.operation, EditFstab))


@dataclass(frozen=True, slots=True)
class WayOffer:
    """A conversion method as offered for one filesystem.

    `gains`, `costs` and `undone` (how to undo) are sentences. `seconds`, `room_bytes` and `compare_seconds`
    (to compare all files, in addition) are estimates.
    `obstacle`: why the method is not available, or empty. `obstacle_code`: code of that finding.
    """

    way: Way
    gains: tuple[str, ...]
    costs: tuple[str, ...]
    undone: str
    seconds: float
    room_bytes: int
    obstacle: str = ""
    obstacle_code: str = ""
    compare_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Prospect:
    """Information for choosing a conversion method for the filesystem `before` on `device`: findings, the
    three methods, and the recommended one with a reason. `default` is None if no method is available."""

    device: str
    before: ExtFacts
    findings: tuple[Finding, ...]
    offers: tuple[WayOffer, ...]
    default: Way | None
    why: str
