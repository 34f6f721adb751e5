"""Operations that convert an ext2 or ext3 filesystem to ext4, usually on a scratch copy."""

import re
from typing import ClassVar

from wizard.filesystems.kind import Argv, Commands
from wizard.model.drive_facts import PLATTER_BYTES_PER_SECOND
from wizard.model.errors import TaggedStruct
from wizard.model.ext import ExtFacts
from wizard.model.run import Check
from wizard.model.said import Message, Sentence, t
from wizard.operations.operation import OWN_FSTAB, filled

CHECKER = "e2fsck"
FOUND_NOTHING, REPAIRED = 0, 1
"""Exit statuses of e2fsck for a sound filesystem: no errors, or all repaired (e2fsck(8))."""

SOUND = Sentence("e2fsck finds no errors.")
CORRECTED = t("e2fsck made minor corrections")
LISTS = Sentence("The superblock lists {features:list}.")
WIDE_INODE_BYTES = 256

FEATURES = {
    "extent": Sentence("New files use extents, so large ones are written, read and deleted faster."),
    "huge_file": Sentence("Single files can exceed 2 TiB."),
    "dir_nlink": Sentence("A folder can contain more than 65,000 subfolders."),
    "dir_index": Sentence("Large folders use an index to find files."),
    "extra_isize": Sentence("Subsecond times, and dates past January 2038."),
}


def proof(device: str) -> Argv:
    """Return the command for a full read-only check, which exits with 0 only for a clean filesystem."""
    return (CHECKER, "-f", "-n", device)


def accepted(argv: Argv) -> tuple[int, ...]:
    """Return the exit statuses that mean success for a command of an operation."""
    return (FOUND_NOTHING, REPAIRED) if argv[0] == CHECKER and "-n" not in argv else (0,)


class ExtOperation(TaggedStruct):
    """A change to an ext filesystem, on any device."""

    says: ClassVar[Sentence]
    """The description, unless `sentence` returns another. Its fields are attributes, as in `checks`."""

    arguments: ClassVar[Commands] = ()
    """The commands, without the node at their end."""

    checks: ClassVar[tuple[Sentence, ...]] = ()
    """The checks afterwards. `verify` reports the first, unless only e2fsck checks the result."""

    gain: ClassVar[tuple[Sentence, ...]] = ()

    per_million_inodes: ClassVar[float] = 0.0
    """In seconds."""

    least_seconds: ClassVar[float] = 0.1

    def sentence(self, device: str) -> Message:
        """Describe the operation on `device`."""
        return filled(self.says, self)

    def commands(self, node: str) -> Commands:
        """Return the commands in order."""
        return tuple((*argv, node) for argv in self.arguments)

    def edits(self) -> tuple[str, ...]:
        """Return the difference of an edited file."""
        return ()

    @property
    def features(self) -> tuple[str, ...]:
        """Features that the superblock lists afterwards."""
        return ()

    @property
    def holds(self) -> tuple[Message, ...]:
        """All checks afterwards."""
        return tuple(filled(form, self) for form in self.checks)

    @property
    def repaired(self) -> Message:
        """Corrections by e2fsck, as a clause."""
        return CORRECTED

    def gains(self, before: ExtFacts) -> tuple[Message, ...]:
        """Return a sentence per gain. Empty for operations that only prepare others."""
        return tuple(filled(form, self) for form in self.gain)

    def seconds(self, before: ExtFacts, *, rotational: bool | None) -> float:
        """Return a rough duration. On rotating drives, at least the time to read and write all inodes."""
        seconds = max(self.least_seconds, self.per_million_inodes * before.inodes / 1e6)
        if rotational and self.per_million_inodes:
            seconds += 2 * before.inodes * WIDE_INODE_BYTES / PLATTER_BYTES_PER_SECOND
        return round(seconds, 1)

    def verify(self, now: ExtFacts, output: str) -> Check | None:
        """Check the superblock `now` and the `output` of `e2fsck -v`. Return None without a check."""
        if not self.features:
            return None
        missing = tuple(feature for feature in self.features if feature not in now.features)
        seen = (
            t("missing features: {features:list}", features=missing)
            if missing
            else t("features present: {features:list}", features=self.features)
        )
        return Check(str(self.holds[0]), not missing, str(seen))


class CheckFiles(ExtOperation):
    """Run a full e2fsck. `repairs`: repair damage, only with consent. `pending`: the filesystem was not
    unmounted cleanly, so replay the journal and make the repairs that e2fsck makes at every boot."""

    repairs: bool = False
    pending: bool = False

    per_million_inodes = 0.7
    checks = (SOUND,)

    def sentence(self, device: str) -> Message:
        if self.repairs:
            return t("Check {device} and repair any damage.", device=device)
        if self.pending:
            return t(
                "Replay the journal of {device} and check everything. Minor damage is repaired, as at boot.",
                device=device,
            )
        return t("Check {device}. Stop if the filesystem is damaged.", device=device)

    def commands(self, node: str) -> Commands:
        check = (CHECKER, "-f", "-y" if self.repairs else "-p", node)
        # -p would even repair lost folders, so a check first ensures there is nothing left to repair. -p
        # then only marks the filesystem as checked.
        return (check,) if self.repairs or self.pending else (proof(node), check)

    @property
    def repaired(self) -> Message:
        return t("e2fsck repaired the damage") if self.repairs else CORRECTED


class AddJournal(ExtOperation):
    """Add a journal to an ext2 filesystem."""

    least_seconds = 1.0
    features = ("has_journal",)
    checks = (LISTS,)
    says = Sentence("Add a journal, for consistency after later power cuts.")
    arguments = (("tune2fs", "-j"),)
    gain = (Sentence("A journal: consistent within seconds after a power cut, without a full check."),)


class WidenInodes(ExtOperation):
    """Enlarge inodes to `inode_bytes`, for nanoseconds, dates past 2038 and small extended attributes."""

    inode_bytes: int = WIDE_INODE_BYTES

    per_million_inodes = 2.8
    says = Sentence(
        "Enlarge inodes from 128 to {inode_bytes} bytes: subsecond times, dates past 2038, small attributes."
    )
    checks = (Sentence("The superblock specifies inodes of {inode_bytes} bytes."),)
    gain = (
        Sentence("Space in every inode for small attributes, such as access lists, and for subsecond times."),
    )

    def commands(self, node: str) -> Commands:
        return (("tune2fs", "-I", str(self.inode_bytes), node),)

    def verify(self, now: ExtFacts, output: str) -> Check:
        seen = t("inodes have {bytes} bytes", bytes=now.inode_bytes)
        return Check(str(self.holds[0]), now.inode_bytes == self.inode_bytes, str(seen))


class SetFeatures(ExtOperation):
    """Enable features with tune2fs, without further changes on disk."""

    features: tuple[str, ...]

    says = Sentence("Enable features for future use: {features:list}.")
    checks = (LISTS,)

    def commands(self, node: str) -> Commands:
        return (("tune2fs", "-O", ",".join(self.features), node),)

    def gains(self, before: ExtFacts) -> tuple[Message, ...]:
        return tuple(FEATURES[feature]() for feature in self.features if feature in FEATURES)


class ConvertFiles(ExtOperation):
    """Convert all files and directories to extents with e2fsck, and compact directories."""

    per_million_inodes = 0.7
    says = Sentence("Convert all files and folders from block maps to extents, and repack folders.")
    arguments = ((CHECKER, "-f", "-y", "-D", "-E", "bmap2extent"),)
    checks = (Sentence("No file or folder still uses a block map."), SOUND)
    gain = (Sentence("Existing files and folders also use extents: checks are faster."),)

    def verify(self, now: ExtFacts, output: str) -> Check:
        mapped, every = extent_share(output)
        seen = t("{mapped} of {files} files and folders use extents", mapped=mapped, files=every)
        return Check(str(self.holds[0]), mapped == every, str(seen))


class WidenBlockNumbers(ExtOperation):
    """Convert to 64-bit block numbers with resize2fs."""

    per_million_inodes = 0.7
    features = ("64bit",)
    checks = (LISTS,)
    says = Sentence("Widen block numbers to 64 bits, which also allows full checksums.")
    arguments = (("resize2fs", "-b"),)

    def gains(self, before: ExtFacts) -> tuple[Message, ...]:
        limit = (1 << 32) * before.block_bytes
        return (
            t("The filesystem can grow beyond {limit:exact} and use full-length checksums.", limit=limit),
        )


class AddChecksums(ExtOperation):
    """Enable metadata checksums, and write them everywhere with e2fsck."""

    per_million_inodes = 1.2
    features = ("metadata_csum",)
    checks = (LISTS, SOUND)
    says = Sentence("Add checksums to all metadata, so corruption is detected.")
    arguments = (("tune2fs", "-O", "metadata_csum"), (CHECKER, "-f", "-y", "-D"))
    gain = (says,)


class SetOwnFstabType(ExtOperation):
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

    checks = (
        Sentence("Line {number} of its own /etc/fstab is updated, and the rest of that file is unchanged."),
    )

    def sentence(self, device: str) -> Message:
        return t(
            "Mount as ext4 in the system on {device}: line {number} of its own /etc/fstab, one letter.",
            device=device,
            number=self.number,
        )

    def commands(self, node: str) -> Commands:
        # The length is unchanged, so no block is allocated, and inode and times do not change.
        zap = f"zap_block -f {OWN_FSTAB} -o {self.offset} -l 1 -p 0x34 {self.block}"
        return (("debugfs", "-w", "-R", zap, node),)

    def edits(self) -> tuple[str, ...]:
        place = f"@@ -{self.number} +{self.number} @@"
        return (f"--- a{OWN_FSTAB}", f"+++ b{OWN_FSTAB}", place, f"-{self.old}", f"+{self.new}")


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


_DEPTHS = re.compile(r"Extent depth histogram: ([\d/]+)")
_COUNTS = {
    "files": re.compile(r"(\d+) regular files?"),
    "folders": re.compile(r"(\d+) director(?:y|ies)\n"),
    "links": re.compile(r"(\d+) symbolic links? \((\d+) fast symbolic links?\)"),
}


def extent_share(said: str) -> tuple[int, int]:
    """Return the number of files, folders and long links with extents, and the number of all, as counted by
    `e2fsck -v`."""
    depths = _DEPTHS.search(said)
    mapped = sum(map(int, depths[1].split("/"))) if depths else 0
    counted = {name: pattern.search(said) for name, pattern in _COUNTS.items()}
    links = counted["links"]
    plain = sum(int(found[1]) for name in ("files", "folders") if (found := counted[name]))
    return mapped, plain + (int(links[1]) - int(links[2]) if links else 0)
