"""A migration of an ext2 or ext3 filesystem to ext4: the ways there are, and the one that was chosen, step by
step."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from wizard.model.ext import ExtFacts
from wizard.model.finding import Finding
from wizard.model.identity import Identity
from wizard.model.said import Said
from wizard.model.written import DERIVED, WHERE_USED


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
    doubts: tuple[Said | str, ...] = ()
    target: Identity | None = field(default=None, metadata=WHERE_USED)

    @property
    def written(self) -> Identity:
        """The drive that is written to, whose token is asked for."""
        return self.target or self.drive


@dataclass(frozen=True, slots=True)
class Offer:
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
    offers: tuple[Offer, ...]
    default: Way | None
    why: str
