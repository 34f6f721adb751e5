"""Conversion of an ext2 or ext3 filesystem to ext4: the available methods, and the steps of one."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from wizard.model.errors import DERIVED, WHERE_USED
from wizard.model.ext import ExtFacts
from wizard.model.finding import Finding
from wizard.model.geometry import Identity
from wizard.model.machine import Extent
from wizard.model.said import MIB, Message


class Way(StrEnum):
    """MOUNT: as ext4, nothing on the disk changed. LIGHT: extents and more for new files. FULL: every file
    and all metadata. FRESH: a new ext4 on another volume, and a copy that is compared.
    """

    MOUNT = "mount"
    LIGHT = "light"
    FULL = "full"
    FRESH = "fresh"


class Means(StrEnum):
    """How it is made safe. TRANSACTION: on a copy-on-write snapshot, committed when it is proven, and safe
    against a power cut. DIRECT: on the device itself with e2fsprogs' undo files, which a power cut can make
    useless. FILES: only fstab is changed. COPY: the old one is only read.
    """

    TRANSACTION = "transaction"
    DIRECT = "direct"
    FILES = "files"
    COPY = "copy"


@dataclass(frozen=True, slots=True)
class CheckFiles:
    """Have e2fsck check everything; `repairs` what it finds only where that was agreed to. `pending`: it was
    not unmounted in order, so the journal is replayed first, and what e2fsck repairs at every start is
    repaired.
    """

    repairs: bool = False
    pending: bool = False
    kind: Literal["check-files"] = "check-files"


@dataclass(frozen=True, slots=True)
class AddJournal:
    """Give an ext2 filesystem a journal."""

    kind: Literal["add-journal"] = "add-journal"


@dataclass(frozen=True, slots=True)
class WidenInodes:
    """Make every inode `inode_bytes` long: room for nanoseconds, dates past 2038 and small extended
    attributes."""

    inode_bytes: int = 256
    kind: Literal["widen-inodes"] = "widen-inodes"


@dataclass(frozen=True, slots=True)
class SetFeatures:
    """Switch features on by tune2fs, which rewrites nothing else."""

    features: tuple[str, ...]
    kind: Literal["set-features"] = "set-features"


@dataclass(frozen=True, slots=True)
class ConvertFiles:
    """Have e2fsck map every file and directory by extents, and pack directories anew."""

    kind: Literal["convert-files"] = "convert-files"


@dataclass(frozen=True, slots=True)
class WidenBlockNumbers:
    """Have resize2fs make block numbers 64 bits wide."""

    kind: Literal["widen-block-numbers"] = "widen-block-numbers"


@dataclass(frozen=True, slots=True)
class AddChecksums:
    """Give all metadata checksums, and have e2fsck write them everywhere."""

    kind: Literal["add-checksums"] = "add-checksums"


@dataclass(frozen=True, slots=True)
class SetOwnFstabType:
    """Give line `number` of /etc/fstab on the filesystem itself, which reads `old`, the type ext4: the byte
    at `offset` of the file's block `block`, both from 0, becomes a 4. `digest` is SHA-256 of the whole file
    as found.
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
    """Give line `number` of `file`, which reads `old`, the type ext4 and these options. `digest` is SHA-256
    of the whole file as found."""

    file: str
    digest: str
    number: int
    old: str
    new: str
    kind: Literal["set-fstab-type"] = "set-fstab-type"


@dataclass(frozen=True, slots=True)
class MakeFresh:
    """Make a new ext4 with this UUID and label on `target`, which must hold nothing."""

    target: str
    uuid: str
    label: str
    options: tuple[str, ...]
    kind: Literal["make-fresh"] = "make-fresh"


@dataclass(frozen=True, slots=True)
class CopyFiles:
    """Copy everything to the new ext4 on `target`, and compare both."""

    target: str
    kind: Literal["copy-files"] = "copy-files"


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
"""Operations on the filesystem itself. None names its device: the same ones run on a snapshot, or on the
device."""

MigrationOperation = OnDevice | SetFstabType | MakeFresh | CopyFiles


@dataclass(frozen=True, slots=True)
class MigrationStep:
    """An operation with everything that is shown of it, which follows from it and from the migration.

    `commands` name the device itself; where a snapshot is worked on, its node stands there instead. `undo`
    says how it is taken back, `power` what would become of it if the power went meanwhile, `holds` what is
    checked afterwards, `seconds` roughly how long it takes.
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
class Migration:
    """What will be done to the filesystem `before` on `device`, which is `drive`, a partition of it or a
    volume on it.

    `store` is the folder where the snapshots' copy-on-write stores lie (TRANSACTION), `undo_dir` that of
    e2fsprogs' undo files (DIRECT); each is empty where it does not apply. `room_bytes` is what that folder is
    asked for. `manifest`: every file's content is compared before and after. `repairs`: damage may be
    repaired, on the snapshot. `gains`, `doubts` are sentences. `target` is the drive that a fresh filesystem
    is made on, and which a person confirms instead of `drive`, which is then only read.
    """

    drive: Identity
    device: str
    before: ExtFacts
    way: Way
    means: Means
    steps: tuple[MigrationStep, ...]
    store: str = ""
    undo_dir: str = ""
    room_bytes: int = field(default=0, metadata=DERIVED)
    manifest: bool = False
    repairs: bool = False
    gains: tuple[str, ...] = field(default=(), metadata=DERIVED)
    doubts: tuple[Message | str, ...] = ()
    target: Identity | None = field(default=None, metadata=WHERE_USED)

    @property
    def written(self) -> Identity:
        """The drive that is written to, whose token is asked for."""
        return self.target or self.drive


@dataclass(frozen=True, slots=True)
class WayOffer:
    """One way as it is offered for a filesystem.

    Sentences on what it `gains` and `costs` and how it is `undone`; `seconds` and `room_bytes` are estimates;
    `obstacle` says why it cannot be had here, empty where it can; `obstacle_code` is that finding's.
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


@dataclass(frozen=True, slots=True)
class Prospect:
    """What a person is told before choosing a way for the filesystem `before` on `device`: what stands
    against it or is good to know, the four ways, and which of them is proposed and why (a sentence);
    `default` None where none can be had.
    """

    device: str
    before: ExtFacts
    findings: tuple[Finding, ...]
    offers: tuple[WayOffer, ...]
    default: Way | None
    why: str


WINDOW_BYTES = 64 * MIB
LOGGED_WINDOWS = (16 * MIB, MIB)
"""Larger windows are faster; a smaller journal fits where there is little room."""

JOURNALS = {WINDOW_BYTES: 8 * MIB, 16 * MIB: 48 * MIB, MIB: 12 * MIB}
"""How large the journal is, by the window that is logged in it; the first is that of a move without a log."""


def journal_places(span: Extent) -> Iterator[int]:
    """Where a journal can begin in an entry that covers a move: at its end, or at its beginning."""
    yield from (span.end_bytes - size for size in JOURNALS.values() if size < span.size_bytes)
    yield span.start_bytes


class Scheme(StrEnum):
    """DIRECT: only places whose bytes are needed no more are written to, so nothing is logged; needs a large
    shift. LOGGED: every window lies in the journal before its place is written; works for any shift, at half
    the speed."""

    DIRECT = "direct"
    LOGGED = "logged"


@dataclass(frozen=True, slots=True)
class Move:
    """A partition from one place to another, in place.

    `holds` is what libblkid finds in it (`ext4`, `crypto_LUKS`). While it moves its entry in the table covers
    `span`: both places, and the `journal`. `head_bytes` of it are taken away first and put back last. So many
    windows may be `in_flight` to the medium at once. `doubts` are what is good to know before, `then` what
    is left to be done after it."""

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
        """How far it moves."""
        return abs(self.after.start_bytes - self.before.start_bytes)


@dataclass(frozen=True, slots=True)
class Moves:
    """Partitions of one drive that move one after another: each into room that is there once those before it
    have moved. `remarks` are what is good to know of all: what the drive is, and why others that are
    misaligned stay where they are."""

    moves: tuple[Move, ...]
    remarks: tuple[Message | str, ...] = ()

    @property
    def drive(self) -> Identity:
        """The one drive of all of them."""
        return self.moves[0].drive

    @property
    def devices(self) -> tuple[str, ...]:
        """The partitions, in the order in which they move."""
        return tuple(move.device for move in self.moves)

    @property
    def device(self) -> str:
        """What the whole is named after: the partition, or the drive where several move."""
        return self.moves[0].device if len(self.moves) == 1 else self.drive.path

    @property
    def doubts(self) -> tuple[Message | str, ...]:
        """What is good to know before, and what is left to be done afterwards, each said once."""
        of_each = (said for move in self.moves for said in (*move.doubts, *move.then))
        every = (*of_each, *self.remarks)
        return tuple(dict.fromkeys(every))


@dataclass(frozen=True, slots=True)
class Carried:
    """The `way` for the filesystem `before`, of `device_bytes`, which is known by its UUID wherever it is
    looked for.

    `drive` and `device` are as they are called where it was chosen. `fstab` is a file of mounts that names
    the filesystem by an old type and lies on another one, empty for none. `doubts` are sentences on what
    starts and mounts from it.
    """

    drive: Identity
    device: str
    device_bytes: int
    before: ExtFacts
    way: Way
    manifest: bool = False
    repairs: bool = False
    fstab: str = ""
    doubts: tuple[Message | str, ...] = ()
