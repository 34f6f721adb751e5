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
from wizard.model.said import Said


def sentence(operation: MigrationOperation, device: str) -> Said:
    """What it does to the filesystem on `device`."""
    match operation:
        case SetFstabType(file=file, number=number):
            return words.MOUNT_AS_EXT4(number=number, file=printable(file, 2000))
        case MakeFresh(target=target):
            return words.MAKE(target=target)
        case CopyFiles(target=target):
            return words.COPY(device=device, target=target)
        case _:
            return _on_device(operation, device)


def _on_device(operation: OnDevice, device: str) -> Said:
    match operation:
        case CheckFiles():
            return _checking(operation, device)
        case AddJournal():
            return words.JOURNAL()
        case WidenInodes(inode_bytes=size):
            return words.WIDEN(bytes=size)
        case SetFeatures(features=features):
            return words.FEATURES(features=features)
        case ConvertFiles():
            return words.CONVERT()
        case WidenBlockNumbers():
            return words.BLOCK_NUMBERS()
        case AddChecksums():
            return words.ADD_CHECKSUMS()
        case SetOwnFstabType(number=number):
            return words.OWN_AS_EXT4(device=device, number=number)


def _checking(operation: CheckFiles, device: str) -> Said:
    if operation.repairs:
        return words.REPAIR(device=device)
    return words.CHECK_PENDING(device=device) if operation.pending else words.CHECK(device=device)


def undo(operation: MigrationOperation, means: Means) -> Said:
    """How it is taken back."""
    match operation:
        case SetFstabType():
            return words.LINE_BACK()
        case MakeFresh(target=target):
            return words.MADE_STAYS(target=target)
        case CopyFiles():
            return words.COPY_UNUSED()
        case _:
            return words.BLOCKS_BACK() if means is Means.TRANSACTION else words.UNDO_FILE_BACK()


def power(operation: MigrationOperation, means: Means) -> Said:
    """What would become of the filesystem if the power went meanwhile."""
    match operation:
        case SetFstabType():
            return words.LINE_WHOLE()
        case MakeFresh() | CopyFiles():
            return words.COPY_AGAIN()
        case _:
            return words.NOTHING_LOST() if means is Means.TRANSACTION else words.BACKUP_HELPS()


def holds(operation: MigrationOperation) -> tuple[Said, ...]:
    """What is checked afterwards."""
    match operation:
        case SetFstabType(file=file):
            return (words.NEW_LINE(file=printable(file, 2000)),)
        case MakeFresh(uuid=uuid):
            return (words.NEW_UUID(uuid=uuid),)
        case CopyFiles():
            return (words.SAME(),)
        case CheckFiles() | ConvertFiles():
            return (words.SOUND(), *promises(operation))
        case AddChecksums():
            return (*promises(operation), words.SOUND())
        case _:
            return promises(operation)


def promises(operation: OnDevice) -> tuple[Said, ...]:
    """What is checked after a step on the device itself, besides that its filesystem is sound."""
    match operation:
        case CheckFiles():
            return ()
        case AddJournal():
            return (words.HAS_JOURNAL(),)
        case WidenInodes(inode_bytes=size):
            return (words.HAS_BYTES(bytes=size),)
        case SetFeatures(features=features):
            return (words.LISTS(features=features),)
        case ConvertFiles():
            return (words.ALL_MAPPED(),)
        case WidenBlockNumbers():
            return (words.LISTS(features=("64bit",)),)
        case AddChecksums():
            return (words.LISTS(features=("metadata_csum",)),)
        case SetOwnFstabType(number=number):
            return (words.OWN_LINE(number=number),)
