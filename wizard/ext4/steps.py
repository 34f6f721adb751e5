"""What is said of each operation of a migration, for a person who has never heard of the programs that carry
it out.
"""

from collections.abc import Sequence
from pathlib import PurePosixPath

from wizard.ext4 import operations as words
from wizard.ext4.duration import operation_seconds
from wizard.filesystems.kind import Argv
from wizard.model.errors import printable
from wizard.model.ext import ExtFacts
from wizard.model.geometry import Identity
from wizard.model.migration import (
    AddChecksums,
    AddJournal,
    CheckFiles,
    ConvertFiles,
    CopyFiles,
    MakeFresh,
    Means,
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

LISTS = Sentence("Its superblock lists {features:list}.")


def sentence(operation: MigrationOperation, device: str) -> Message:
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


def _on_device(operation: OnDevice, device: str) -> Message:
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


def _checking(operation: CheckFiles, device: str) -> Message:
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


def undo(operation: MigrationOperation, means: Means) -> Message:
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


def power(operation: MigrationOperation, means: Means) -> Message:
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


def holds(operation: MigrationOperation) -> tuple[Message, ...]:
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


def promises(operation: OnDevice) -> tuple[Message, ...]:
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


OWN_FSTAB = "/etc/fstab"
"""On a filesystem that holds a system."""

CHECKER = "e2fsck"
FOUND_NOTHING, REPAIRED = 0, 1
"""What e2fsck ends with where the filesystem is sound: nothing was found, or all of it was put right
(e2fsck(8))."""


def operation_commands(operation: OnDevice, device: str, undo_file: str = "") -> tuple[Argv, ...]:
    """The argument lists that carry the operation out on `device`, which can be any node.

    With `undo_file` every program keeps there what it replaces. `tune2fs -I` takes no such file: it makes
    `tune2fs-NAME.e2undo`, after the node's last name, in the folder that E2FSPROGS_UNDO_DIR names,
    which is that of `undo_file`.
    """
    kept = ("-z", undo_file) if undo_file else ()
    match operation:
        case CheckFiles():
            return _steps_checking(operation, device, kept)
        case AddJournal():
            return (("tune2fs", *kept, "-j", device),)
        case WidenInodes(inode_bytes=size):
            widen = ("tune2fs", "-I", str(size), device)
            return (
                ("env", f"E2FSPROGS_UNDO_DIR={PurePosixPath(undo_file).parent}", *widen)
                if undo_file
                else widen,
            )
        case SetFeatures(features=features):
            return (("tune2fs", *kept, "-O", ",".join(features), device),)
        case ConvertFiles():
            return ((CHECKER, "-f", "-y", "-D", "-E", "bmap2extent", *kept, device),)
        case WidenBlockNumbers():
            return (("resize2fs", "-b", *kept, device),)
        case AddChecksums():
            return (
                ("tune2fs", *kept, "-O", "metadata_csum", device),
                (CHECKER, "-f", "-y", "-D", *kept, device),
            )
        case SetOwnFstabType(block=block, offset=offset):
            # The length stays, so no block is allotted; the byte's inode and its times stay, too.
            return (
                (
                    "debugfs",
                    "-w",
                    *kept,
                    "-R",
                    f"zap_block -f {OWN_FSTAB} -o {offset} -l 1 -p 0x34 {block}",
                    device,
                ),
            )


def _steps_checking(operation: CheckFiles, device: str, kept: tuple[str, ...]) -> tuple[Argv, ...]:
    checking = (CHECKER, "-f", "-y" if operation.repairs else "-p", *kept, device)
    # -p would repair even folders that are gone, so nothing may be left to repair by then: it marks the
    # filesystem as checked.
    return (checking,) if operation.repairs or operation.pending else (proof(device), checking)


def accepted(argv: Argv) -> tuple[int, ...]:
    """The statuses with which a command of `operation_commands` has done its work."""
    return (FOUND_NOTHING, REPAIRED) if argv[0] == CHECKER and "-n" not in argv else (0,)


def proof(device: str) -> Argv:
    """The command that looks at everything and changes nothing; it ends with 0 only where nothing is
    wrong."""
    return (CHECKER, "-f", "-n", device)


def migration_steps(
    operations: Sequence[MigrationOperation], device: str, before: ExtFacts, drive: Identity, means: Means
) -> tuple[MigrationStep, ...]:
    """A step for each operation on the filesystem `before` on `device`."""
    return tuple(
        MigrationStep(
            operation=operation,
            sentence=str(sentence(operation, device)),
            commands=_commands(operation, device),
            edits=_edits(operation),
            undo=str(undo(operation, means)),
            power=str(power(operation, means)),
            holds=tuple(map(str, holds(operation))),
            seconds=operation_seconds(operation, before, rotational=drive.rotational),
        )
        for operation in operations
    )


def _commands(operation: MigrationOperation, device: str) -> tuple[Argv, ...]:
    match operation:
        case SetFstabType() | CopyFiles():
            return ()
        case MakeFresh(target=target, uuid=uuid, label=label, options=options):
            named = ("-L", label) if label else ()
            return (("mkfs.ext4", "-F", "-U", uuid, *named, *options, target),)
        case _:
            return operation_commands(operation, device)


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
