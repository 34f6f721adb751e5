"""Every step of a migration, derived from its typed operation: shown and run alike."""

from collections.abc import Sequence
from pathlib import PurePosixPath

from wizard.filesystems.kind import Argv
from wizard.migrate.estimates import operation_seconds
from wizard.migrate.told.operations import holds, power, sentence, undo
from wizard.model.documents.migration import (
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
from wizard.model.ext import ExtFacts
from wizard.model.identity import Identity

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
            return _checking(operation, device, kept)
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


def _checking(operation: CheckFiles, device: str, kept: tuple[str, ...]) -> tuple[Argv, ...]:
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
