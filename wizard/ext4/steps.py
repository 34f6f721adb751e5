"""Steps of a conversion with texts for people who do not know the tools."""

from collections.abc import Sequence

from wizard.ext4 import operations as words
from wizard.ext4.duration import operation_seconds
from wizard.filesystems.kind import Argv
from wizard.model.ext import ExtFacts
from wizard.model.geometry import Identity
from wizard.model.migration import (
    AddChecksums,
    AddJournal,
    CheckFiles,
    ConvertFiles,
    MigrationOperation,
    MigrationStep,
    OnDevice,
    SetFeatures,
    SetFstabType,
    SetOwnFstabType,
    WidenBlockNumbers,
    WidenInodes,
)
from wizard.model.said import Message, Sentence, t

LISTS = Sentence("The superblock lists {features:list}.")


def sentence(operation: MigrationOperation, device: str) -> Message:
    """Describe the operation on `device`."""
    match operation:
        case SetFstabType(file=file, number=number):
            return t(
                "Mount as ext4 in future: line {number} of {file}.",
                number=number,
                file=file,
            )
        case _:
            return _on_device(operation, device)


def _on_device(operation: OnDevice, device: str) -> Message:
    match operation:
        case CheckFiles():
            return _check_sentence(operation, device)
        case AddJournal():
            return t("Add a journal, for consistency after later power cuts.")
        case WidenInodes(inode_bytes=size):
            return t(
                "Enlarge inodes from 128 to {bytes} bytes: subsecond times, dates past 2038, "
                "small attributes.",
                bytes=size,
            )
        case SetFeatures(features=features):
            return t("Enable features for future use: {features:list}.", features=features)
        case ConvertFiles():
            return t("Convert all files and folders from block maps to extents, and repack folders.")
        case WidenBlockNumbers():
            return t("Widen block numbers to 64 bits, which also allows full checksums.")
        case AddChecksums():
            return t("Add checksums to all metadata, so corruption is detected.")
        case SetOwnFstabType(number=number):
            return t(
                "Mount as ext4 in the system on {device}: line {number} of its own /etc/fstab, one letter.",
                device=device,
                number=number,
            )


def _check_sentence(operation: CheckFiles, device: str) -> Message:
    if operation.repairs:
        return t("Check {device} and repair any damage.", device=device)
    return (
        t(
            "Replay the journal of {device} and check everything. Minor damage is repaired, as at boot.",
            device=device,
        )
        if operation.pending
        else t("Check {device}. Stop if the filesystem is damaged.", device=device)
    )


def undo(operation: MigrationOperation) -> Message:
    """Describe how to undo the operation."""
    return (
        t("`diskwright undo` restores the old line.")
        if isinstance(operation, SetFstabType)
        else t("`diskwright undo` restores all replaced blocks, until kept or mounted for writing.")
    )


def power(operation: MigrationOperation) -> Message:
    """Describe the consequences of a power cut during the operation."""
    return (
        t("The file contains either the old or the new line, never a mix.")
        if isinstance(operation, SetFstabType)
        else t("No data is lost: the step works on a scratch copy. The filesystem is unchanged.")
    )


def holds(operation: MigrationOperation) -> tuple[Message, ...]:
    """Describe the checks afterwards."""
    match operation:
        case SetFstabType(file=file):
            return (t("{file} contains the new line once and no longer the old one.", file=file),)
        case CheckFiles() | ConvertFiles():
            return (words.SOUND, *promises(operation))
        case AddChecksums():
            return (*promises(operation), words.SOUND)
        case _:
            return promises(operation)


def promises(operation: OnDevice) -> tuple[Message, ...]:
    """Describe the checks after an operation on the device itself, in addition to a clean e2fsck."""
    match operation:
        case CheckFiles():
            return ()
        case AddJournal():
            return (t("The superblock lists a journal."),)
        case WidenInodes(inode_bytes=size):
            return (t("The superblock specifies inodes of {bytes} bytes.", bytes=size),)
        case SetFeatures(features=features):
            return (LISTS(features=features),)
        case ConvertFiles():
            return (t("No file or folder still uses a block map."),)
        case WidenBlockNumbers():
            return (LISTS(features=("64bit",)),)
        case AddChecksums():
            return (LISTS(features=("metadata_csum",)),)
        case SetOwnFstabType(number=number):
            return (
                t(
                    "Line {number} of its own /etc/fstab is updated, and the rest of that file is unchanged.",
                    number=number,
                ),
            )


OWN_FSTAB = "/etc/fstab"
"""On a filesystem that contains a system."""

CHECKER = "e2fsck"
FOUND_NOTHING, REPAIRED = 0, 1
"""Exit statuses of e2fsck for a sound filesystem: no errors, or all repaired (e2fsck(8))."""


def operation_commands(operation: OnDevice, device: str) -> tuple[Argv, ...]:
    """Return the argument lists for an operation on `device`, which may be any node."""
    match operation:
        case CheckFiles():
            return _check_commands(operation, device)
        case AddJournal():
            return (("tune2fs", "-j", device),)
        case WidenInodes(inode_bytes=size):
            return (("tune2fs", "-I", str(size), device),)
        case SetFeatures(features=features):
            return (("tune2fs", "-O", ",".join(features), device),)
        case ConvertFiles():
            return ((CHECKER, "-f", "-y", "-D", "-E", "bmap2extent", device),)
        case WidenBlockNumbers():
            return (("resize2fs", "-b", device),)
        case AddChecksums():
            return (
                ("tune2fs", "-O", "metadata_csum", device),
                (CHECKER, "-f", "-y", "-D", device),
            )
        case SetOwnFstabType(block=block, offset=offset):
            # The length is unchanged, so no block is allocated, and inode and times do not change.
            zap = f"zap_block -f {OWN_FSTAB} -o {offset} -l 1 -p 0x34 {block}"
            return (("debugfs", "-w", "-R", zap, device),)


def _check_commands(operation: CheckFiles, device: str) -> tuple[Argv, ...]:
    check = (CHECKER, "-f", "-y" if operation.repairs else "-p", device)
    # -p would even repair lost folders, so a check first ensures there is nothing left to repair. -p then
    # only marks the filesystem as checked.
    return (check,) if operation.repairs or operation.pending else (proof(device), check)


def accepted(argv: Argv) -> tuple[int, ...]:
    """Return the exit statuses that mean success for a command from `operation_commands`."""
    return (FOUND_NOTHING, REPAIRED) if argv[0] == CHECKER and "-n" not in argv else (0,)


def proof(device: str) -> Argv:
    """Return the command for a full read-only check, which exits with 0 only for a clean filesystem."""
    return (CHECKER, "-f", "-n", device)


def migration_steps(
    operations: Sequence[MigrationOperation], device: str, before: ExtFacts, drive: Identity
) -> tuple[MigrationStep, ...]:
    """Return a step for each operation on the filesystem `before` on `device`."""
    return tuple(
        MigrationStep(
            operation=operation,
            sentence=str(sentence(operation, device)),
            commands=() if isinstance(operation, SetFstabType) else operation_commands(operation, device),
            edits=_edits(operation),
            undo=str(undo(operation)),
            power=str(power(operation)),
            holds=tuple(map(str, holds(operation))),
            seconds=operation_seconds(operation, before, rotational=drive.rotational),
        )
        for operation in operations
    )


def _edits(operation: MigrationOperation) -> tuple[str, ...]:
    match operation:
        case SetFstabType(file=file, number=number, old=old, new=new):
            return _difference(file, number, old, new)
        case SetOwnFstabType(number=number, old=old, new=new):
            return _difference(OWN_FSTAB, number, old, new)
        case _:
            return ()


def _difference(file: str, number: int, old: str, new: str) -> tuple[str, ...]:
    return (f"--- a{file}", f"+++ b{file}", f"@@ -{number} +{number} @@", f"-{old}", f"+{new}")
