"""Conversion of ext2 and ext3 filesystems to ext4, moves of partitions, and their steps."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain
from typing import Literal

from wizard.model.errors import DERIVED
from wizard.model.ext import ExtFacts
from wizard.model.finding import Finding
from wizard.model.geometry import Identity
from wizard.model.machine import Extent
from wizard.model.run import Document
from wizard.model.said import MIB, Message, t


class Way(StrEnum):
    """Conversion method. MOUNT: mount as ext4, with no change on disk. LIGHT: extents and other features for
    new files. FULL: convert every file and all metadata."""

    MOUNT = "mount"
    LIGHT = "light"
    FULL = "full"


class Means(StrEnum):
    """How a conversion is protected. TRANSACTION: works on a scratch copy and commits the change after
    verification; survives a power cut. FILES: only changes fstab."""

    TRANSACTION = "transaction"
    FILES = "files"


@dataclass(frozen=True, slots=True)
class CheckFiles:
    """Run a full e2fsck. `repairs`: repair damage, only with consent. `pending`: the filesystem was not
    unmounted cleanly, so replay the journal and make the repairs that e2fsck makes at every boot."""

    repairs: bool = False
    pending: bool = False
    kind: Literal["check-files"] = "check-files"


@dataclass(frozen=True, slots=True)
class AddJournal:
    """Add a journal to an ext2 filesystem."""

    kind: Literal["add-journal"] = "add-journal"


@dataclass(frozen=True, slots=True)
class WidenInodes:
    """Enlarge inodes to `inode_bytes`, for nanoseconds, dates past 2038 and small extended attributes."""

    inode_bytes: int = 256
    kind: Literal["widen-inodes"] = "widen-inodes"


@dataclass(frozen=True, slots=True)
class SetFeatures:
    """Enable features with tune2fs, without further changes on disk."""

    features: tuple[str, ...]
    kind: Literal["set-features"] = "set-features"


@dataclass(frozen=True, slots=True)
class ConvertFiles:
    """Convert all files and directories to extents with e2fsck, and compact directories."""

    kind: Literal["convert-files"] = "convert-files"


@dataclass(frozen=True, slots=True)
class WidenBlockNumbers:
    """Convert to 64-bit block numbers with resize2fs."""

    kind: Literal["widen-block-numbers"] = "widen-block-numbers"


@dataclass(frozen=True, slots=True)
class AddChecksums:
    """Enable metadata checksums, and write them everywhere with e2fsck."""

    kind: Literal["add-checksums"] = "add-checksums"


@dataclass(frozen=True, slots=True)
class SetOwnFstabType:
    """Change the type to ext4 in /etc/fstab on the converted filesystem itself.

    Line `number` changes from `old` to `new` by one byte: a 4 at `offset` of the file's block `block`, both
    counted from 0. `digest` is the SHA-256 of the whole file as found.
    """

    digest: str
    number: int
    block: int
    offset: int
    old: str
    new: str
    kind: Literal["set-own-fstab-type"] = "set-own-fstab-type"


@dataclass(frozen=True, slots=True)
class SetFstabType:
    """Change line `number` of `file` from `old` to `new`, with type ext4 and matching options. `digest` is
    the SHA-256 of the whole file as found."""

    file: str
    digest: str
    number: int
    old: str
    new: str
    kind: Literal["set-fstab-type"] = "set-fstab-type"


OnDevice = (
    CheckFiles
    | AddJournal
    | WidenInodes
    | SetFeatures
    | ConvertFiles
    | WidenBlockNumbers
    | AddChecksums
    | SetOwnFstabType
)
"""Operations on the filesystem itself. They do not name a device, because they run on a scratch copy."""

MigrationOperation = OnDevice | SetFstabType


@dataclass(frozen=True, slots=True)
class MigrationStep:
    """An operation with its description, derived from the operation and the conversion.

    `commands` name the device, even if run on the scratch copy. `undo`: how to undo the step. `power`:
    consequences of a power cut during the step. `holds`: checks afterwards. `seconds`: rough duration.
    """

    operation: MigrationOperation
    sentence: str = field(default="", metadata=DERIVED)
    commands: tuple[tuple[str, ...], ...] = field(default=(), metadata=DERIVED)
    edits: tuple[str, ...] = field(default=(), metadata=DERIVED)
    undo: str = field(default="", metadata=DERIVED)
    power: str = field(default="", metadata=DERIVED)
    holds: tuple[str, ...] = field(default=(), metadata=DERIVED)
    seconds: float = field(default=0.0, metadata=DERIVED)


@dataclass(frozen=True, slots=True)
class Migration(Document):
    """Planned conversion of the filesystem `before` on `device`: the drive `drive`, a partition or a volume
    on that drive.

    `store`: folder for the scratch copy and the undo data, empty if only fstab changes. `room_bytes`: space
    needed in that folder. `manifest`: compare the contents of all files before and after. `repairs`: damage
    may be repaired, on the scratch copy.
    """

    drive: Identity
    device: str
    before: ExtFacts
    way: Way
    means: Means
    steps: tuple[MigrationStep, ...]
    store: str = ""
    room_bytes: int = field(default=0, metadata=DERIVED)
    manifest: bool = False
    repairs: bool = False
    gains: tuple[str, ...] = field(default=(), metadata=DERIVED)
    doubts: tuple[Message | str, ...] = ()

    @property
    def drives(self) -> tuple[Identity, ...]:
        """The only drive."""
        return (self.drive,)

    @property
    def devices(self) -> tuple[str, ...]:
        """The converted device."""
        return (self.device,)

    @property
    def sentences(self) -> tuple[Message | str, ...]:
        """A sentence for each step."""
        return tuple(step.sentence for step in self.steps)

    @property
    def folders(self) -> tuple[str, ...]:
        """Folder for the scratch copy and the undo data."""
        return (self.store,) if self.store else ()


@dataclass(frozen=True, slots=True)
class WayOffer:
    """A conversion method as offered for one filesystem.

    `gains`, `costs` and `undone` (how to undo) are sentences. `seconds`, `room_bytes` and `compare_seconds`
    (to compare all files, in addition) are estimates.
    `obstacle`: why the method is not available, or empty. `obstacle_code`: code of that finding.
    """

    way: Way
    means: Means
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


WINDOW_BYTES = 64 * MIB
LOGGED_WINDOWS = (16 * MIB, MIB)
"""Smaller windows need smaller journals but are slower."""

JOURNALS = {WINDOW_BYTES: 8 * MIB, 16 * MIB: 48 * MIB, MIB: 12 * MIB}
"""Journal size by window size. The first is for moves without logging."""


def journal_places(span: Extent) -> Iterator[int]:
    """Yield possible journal positions in a table entry that spans a move: at the end or at the start."""
    yield from (span.end_bytes - size for size in JOURNALS.values() if size < span.size_bytes)
    yield span.start_bytes


class Scheme(StrEnum):
    """How a move survives a power cut. DIRECT: writes only to places whose bytes are no longer needed,
    without logging; needs a large shift. LOGGED: writes each window to the journal first; works for any
    shift, at half the speed."""

    DIRECT = "direct"
    LOGGED = "logged"


@dataclass(frozen=True, slots=True)
class Move:
    """In-place move of a partition.

    `holds`: content as libblkid reports it (`ext4`, `crypto_LUKS`). `span`: table entry during the move,
    covering both places and the `journal`. `head_bytes`: removed first and restored last. `in_flight`:
    maximum number of windows being written. `doubts`: notes before the move. `then`: tasks after the move.
    """

    drive: Identity
    device: str
    number: int
    table: str
    holds: str
    before: Extent
    after: Extent
    span: Extent
    journal: Extent
    scheme: Scheme
    window_bytes: int
    in_flight: int
    head_bytes: int
    doubts: tuple[Message | str, ...] = ()
    then: tuple[Message | str, ...] = ()

    @property
    def shift_bytes(self) -> int:
        """Distance of the move in bytes."""
        return abs(self.after.start_bytes - self.before.start_bytes)


@dataclass(frozen=True, slots=True)
class Moves(Document):
    """Moves of several partitions on one drive, in order: each uses space freed by the previous moves.
    `remarks` are about the whole drive, such as why other misaligned partitions do not move."""

    moves: tuple[Move, ...]
    remarks: tuple[Message | str, ...] = ()

    @property
    def drive(self) -> Identity:
        """The drive of all moves."""
        return self.moves[0].drive

    @property
    def devices(self) -> tuple[str, ...]:
        """The partitions, in order of moving."""
        return tuple(move.device for move in self.moves)

    @property
    def drives(self) -> tuple[Identity, ...]:
        """The only drive."""
        return (self.drive,)

    @property
    def sentences(self) -> tuple[Message, ...]:
        """A sentence for each step: all partitions are read first, then each is moved and compared."""
        reading = (
            t("Read all of {part} to find bad sectors before the first write.", part=move.device)
            for move in self.moves
        )
        moving = (
            (
                t(
                    "Move {part} from {before:exact} to {after:exact}.",
                    part=move.device,
                    before=move.before.start_bytes,
                    after=move.after.start_bytes,
                ),
                t("Read all of {part} at its new location and compare.", part=move.device),
            )
            for move in self.moves
        )
        return (*reading, *chain.from_iterable(moving))

    @property
    def device(self) -> str:
        """The partition, or the drive if several partitions move."""
        return self.moves[0].device if len(self.moves) == 1 else self.drive.path

    @property
    def doubts(self) -> tuple[Message | str, ...]:
        """All notes for before and after the moves, without duplicates."""
        of_each = (doubt for move in self.moves for doubt in (*move.doubts, *move.then))
        every = (*of_each, *self.remarks)
        return tuple(dict.fromkeys(every))
