"""What is said of each operation of a migration, for a person who has never heard of the programs that carry
it out."""

from wizard.model.migration import (
    AddChecksums,
    AddJournal,
    CheckFiles,
    ConvertFiles,
    CopyFiles,
    MakeFresh,
    Means,
    MigrationOperation,
    OnDevice,
    SetFeatures,
    SetFstabType,
    SetOwnFstabType,
    WidenBlockNumbers,
    WidenInodes,
)
from wizard.model.names import printable

SOUND = "e2fsck finds nothing that is wrong."


def sentence(operation: MigrationOperation, device: str) -> str:
    """What it does to the filesystem on `device`."""
    match operation:
        case SetFstabType(file=file, number=number):
            return f"Have it mounted as ext4 from now on: line {number} of {printable(file, 2000)}."
        case MakeFresh(target=target):
            return f"Make a new ext4 on {target}."
        case CopyFiles(target=target):
            return f"Copy everything from {device} to {target}, and compare both."
        case _:
            return _on_device(operation, device)


def _on_device(operation: OnDevice, device: str) -> str:
    match operation:
        case CheckFiles():
            return _checking(operation, device)
        case AddJournal():
            return "Give it a journal, so that a power cut later on leaves it in order."
        case WidenInodes(inode_bytes=size):
            return (
                f"Make room for {size} bytes about every file instead of 128: finer times, dates past 2038, "
                "small attributes."
            )
        case SetFeatures(features=features):
            return f"Switch on what it may use from now on: {', '.join(features)}."
        case ConvertFiles():
            return (
                "Note where every file and folder lies in runs of blocks (extents) instead of block by "
                "block, and pack the folders anew."
            )
        case WidenBlockNumbers():
            return "Make block numbers 64 bits wide, which also makes room for full checksums."
        case AddChecksums():
            return (
                "Give everything but the files' own content checksums, and write them everywhere, so that "
                "damage is noticed."
            )
        case SetOwnFstabType(number=number):
            return (
                f"Have the system on {device} mount it as ext4 from now on: line {number} of its own "
                "/etc/fstab, one letter."
            )


def _checking(operation: CheckFiles, device: str) -> str:
    if operation.repairs:
        return f"Check everything on {device}, and repair what is damaged."
    if operation.pending:
        return (
            f"Put what the journal of {device} holds in its place, and check everything. Small damage is "
            "repaired, as at any start."
        )
    return f"Check everything on {device}. Where anything is damaged, it ends here."


def undo(operation: MigrationOperation, means: Means) -> str:
    """How it is taken back."""
    match operation:
        case SetFstabType():
            return "The old line goes back to its place."
        case MakeFresh(target=target):
            return f"It is not: {target} held nothing before, and the old filesystem stays as it is."
        case CopyFiles():
            return "The old filesystem stays as it is; the copy can be left unused."
        case _ if means is Means.TRANSACTION:
            return "By putting back every block that was replaced, until it is kept or mounted for writing."
        case _:
            return (
                "By e2undo, from a file with every block that was replaced, until it is kept or mounted for "
                "writing."
            )


def power(operation: MigrationOperation, means: Means) -> str:
    """What would become of the filesystem if the power went meanwhile."""
    match operation:
        case SetFstabType():
            return "The file holds the old line or the new one, never anything between."
        case MakeFresh() | CopyFiles():
            return "The old filesystem is only read, so nothing of it is lost; the copy is begun again."
        case _ if means is Means.TRANSACTION:
            return (
                "Nothing is lost: the work is done on a copy of what changes, and the filesystem itself is "
                "as it was."
            )
        case _:
            return (
                "It can be damaged beyond repair, and the undo file can be useless: only a backup would help."
            )


def holds(operation: MigrationOperation) -> tuple[str, ...]:
    """What is checked afterwards."""
    match operation:
        case SetFstabType(file=file):
            return (f"{printable(file, 2000)} has the new line once, and the old one no longer.",)
        case MakeFresh(uuid=uuid):
            return (f"The new filesystem is ext4 with the UUID {uuid}.",)
        case CopyFiles():
            return (
                "Every file, folder and link on both is the same: content, owner, rights, times, attributes.",
            )
        case CheckFiles() | ConvertFiles():
            return (SOUND, *promises(operation))
        case AddChecksums():
            return (*promises(operation), SOUND)
        case _:
            return promises(operation)


def promises(operation: OnDevice) -> tuple[str, ...]:
    """What is checked after a step on the device itself, besides that its filesystem is sound."""
    match operation:
        case CheckFiles():
            return ()
        case AddJournal():
            return ("Its superblock says that it has a journal.",)
        case WidenInodes(inode_bytes=size):
            return (f"Its superblock says that inodes have {size} bytes.",)
        case SetFeatures(features=features):
            return (f"Its superblock lists {', '.join(features)}.",)
        case ConvertFiles():
            return ("No file or folder is still noted block by block.",)
        case WidenBlockNumbers():
            return ("Its superblock lists 64bit.",)
        case AddChecksums():
            return ("Its superblock lists metadata_csum.",)
        case SetOwnFstabType(number=number):
            return (
                f"Line {number} of its own /etc/fstab is the new one, and nothing else in that file has "
                "changed.",
            )
