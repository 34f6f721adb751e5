"""What is said of each operation of a migration, for a person who has never heard of the programs that carry
it out."""

from wizard.migrate.words import steps as words
from wizard.model.documents.migration import (
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
from wizard.model.said import Said, Sentence, t

LISTS = Sentence("Its superblock lists {features:list}.")


def sentence(operation: MigrationOperation, device: str) -> Said:
    """What it does to the filesystem on `device`."""
    match operation:
        case SetFstabType(file=file, number=number):
            return t(
                "Have it mounted as ext4 from now on: line {number} of {file}.",
                number=number,
                file=printable(file, 2000),
            )
        case MakeFresh(target=target):
            return t("Make a new ext4 on {target}.", target=target)
        case CopyFiles(target=target):
            return t(
                "Copy everything from {device} to {target}, and compare both.", device=device, target=target
            )
        case _:
            return _on_device(operation, device)


def _on_device(operation: OnDevice, device: str) -> Said:
    match operation:
        case CheckFiles():
            return _checking(operation, device)
        case AddJournal():
            return t("Give it a journal, so that a power cut later on leaves it in order.")
        case WidenInodes(inode_bytes=size):
            return t(
                "Make room for {bytes} bytes about every file instead of 128: finer times, "
                "dates past 2038, small attributes.",
                bytes=size,
            )
        case SetFeatures(features=features):
            return t("Switch on what it may use from now on: {features:list}.", features=features)
        case ConvertFiles():
            return t(
                "Map every file and folder by extents (runs of blocks) instead of block by "
                "block, and pack the folders anew."
            )
        case WidenBlockNumbers():
            return t("Make block numbers 64 bits wide, which also makes room for full checksums.")
        case AddChecksums():
            return t(
                "Give everything but the files' own content checksums, and write them "
                "everywhere, so that damage is noticed."
            )
        case SetOwnFstabType(number=number):
            return t(
                "Have the system on {device} mount it as ext4 from now on: line {number} of "
                "its own /etc/fstab, one letter.",
                device=device,
                number=number,
            )


def _checking(operation: CheckFiles, device: str) -> Said:
    if operation.repairs:
        return t("Check everything on {device}, and repair what is damaged.", device=device)
    return (
        t(
            "Put what the journal of {device} holds in its place, and check everything. "
            "Small damage is repaired, as at any start.",
            device=device,
        )
        if operation.pending
        else t("Check everything on {device}. Where anything is damaged, it ends here.", device=device)
    )


def undo(operation: MigrationOperation, means: Means) -> Said:
    """How it is taken back."""
    match operation:
        case SetFstabType():
            return t("`diskwright undo` puts the old line back in its place.")
        case MakeFresh(target=target):
            return t(
                "There is nothing to undo: {target} held nothing before, and the old "
                "filesystem stays as it is.",
                target=target,
            )
        case CopyFiles():
            return t("The old filesystem stays as it is; the copy can be left unused.")
        case _:
            return (
                t(
                    "`diskwright undo` puts back every block that was replaced, until it is kept "
                    "or mounted for writing."
                )
                if means is Means.TRANSACTION
                else t(
                    "`diskwright undo` puts back every replaced block from an undo file "
                    "(e2undo), until it is kept or mounted for writing."
                )
            )


def power(operation: MigrationOperation, means: Means) -> Said:
    """What would become of the filesystem if the power went meanwhile."""
    match operation:
        case SetFstabType():
            return t("The file holds the old line or the new one, never anything between.")
        case MakeFresh() | CopyFiles():
            return t("The old filesystem is only read, so nothing of it is lost; the copy is begun again.")
        case _:
            return (
                t(
                    "Nothing is lost: the work is done on a copy of what changes. The filesystem "
                    "itself is as it was."
                )
                if means is Means.TRANSACTION
                else t(
                    "It can be damaged beyond repair, and the undo file can be useless: only a "
                    "backup would help."
                )
            )


def holds(operation: MigrationOperation) -> tuple[Said, ...]:
    """What is checked afterwards."""
    match operation:
        case SetFstabType(file=file):
            return (
                t("{file} has the new line once, and the old one no longer.", file=printable(file, 2000)),
            )
        case MakeFresh(uuid=uuid):
            return (t("The new filesystem is ext4 with the UUID {uuid}.", uuid=uuid),)
        case CopyFiles():
            return (
                t(
                    "Every file, folder and link on both is the same: content, owner, rights, "
                    "times, attributes."
                ),
            )
        case CheckFiles() | ConvertFiles():
            return (words.SOUND, *promises(operation))
        case AddChecksums():
            return (*promises(operation), words.SOUND)
        case _:
            return promises(operation)


def promises(operation: OnDevice) -> tuple[Said, ...]:
    """What is checked after a step on the device itself, besides that its filesystem is sound."""
    match operation:
        case CheckFiles():
            return ()
        case AddJournal():
            return (t("Its superblock says that it has a journal."),)
        case WidenInodes(inode_bytes=size):
            return (t("Its superblock says that inodes have {bytes} bytes.", bytes=size),)
        case SetFeatures(features=features):
            return (LISTS(features=features),)
        case ConvertFiles():
            return (t("No file or folder is still mapped block by block."),)
        case WidenBlockNumbers():
            return (LISTS(features=("64bit",)),)
        case AddChecksums():
            return (LISTS(features=("metadata_csum",)),)
        case SetOwnFstabType(number=number):
            return (
                t(
                    "Line {number} of its own /etc/fstab is the new one, and nothing else in "
                    "that file has changed.",
                    number=number,
                ),
            )
