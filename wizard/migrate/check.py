"""Whether a migration holds together: each step is one that `diskwright migrate` makes for that filesystem,
shown as it will be done."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from wizard.layout.check import identity_faults
from wizard.layout.rules import is_device_path, uuid_fault
from wizard.migrate.estimates import room_bytes
from wizard.migrate.operations import OLD_TYPES, fresh_operations, operations_for, retyped
from wizard.migrate.steps import OWN_FSTAB, migration_steps
from wizard.migrate.told.gains import gains_of
from wizard.model.errors import BadInput
from wizard.model.ext import ExtFacts
from wizard.model.migration import (
    CopyFiles,
    MakeFresh,
    Means,
    Migration,
    MigrationOperation,
    SetFstabType,
    SetOwnFstabType,
    Way,
)
from wizard.model.names import printable

MEANS = {
    Way.MOUNT: {Means.FILES},
    Way.LIGHT: {Means.TRANSACTION, Means.DIRECT},
    Way.FULL: {Means.TRANSACTION, Means.DIRECT},
    Way.FRESH: {Means.COPY},
}


def check_migration(migration: Migration, where: str = "The document") -> None:
    """Raises BadInput, naming `where` (a file), for the first thing that `diskwright migrate` would not have
    written.

    It proves that the steps are those of its way for the filesystem it names, and that every text shown is
    what will be done. That this filesystem is there, as it was found, is for whoever applies it.
    """
    if fault := next(_faults(migration), None):
        raise BadInput(f"{where} does not hold together: {fault}. Make it again with `diskwright migrate`.")


def _faults(migration: Migration) -> Iterator[str]:
    for drive in filter(None, (migration.drive, migration.target)):
        yield from identity_faults(drive)
    if (migration.target is None) == (migration.way is Way.FRESH):
        yield "it names a drive for a fresh filesystem where there is none, or none where there is one"
    if not is_device_path(migration.device):
        yield f"{printable(migration.device, 60)!r} is no device below /dev"
    yield from ext_faults(migration.before)
    if migration.means not in MEANS[migration.way]:
        yield f"the way {migration.way} is not made safe by {migration.means}"
    yield from _folder_faults(migration)
    operations = tuple(step.operation for step in migration.steps)
    yield from _operation_faults(migration, operations)
    if migration.room_bytes != room_bytes(operations, migration.before, migration.means):
        yield "the room that it asks for is not what its steps need"
    steps = migration_steps(operations, migration.device, migration.before, migration.drive, migration.means)
    if migration.steps != steps or migration.gains != gains_of(operations, migration.before):
        yield "its commands or explanations differ from what its steps do"


def ext_faults(before: ExtFacts) -> Iterator[str]:
    """What cannot be of a superblock that a document names."""
    if fault := uuid_fault(before.uuid):
        yield f"the filesystem's UUID {printable(before.uuid, 60)!r} {fault}"
    if before.block_bytes not in (1 << bits for bits in range(10, 17)) or before.inode_bytes not in (
        1 << bits for bits in range(7, 17)
    ):
        yield "its blocks or inodes have a size that no ext filesystem has"
    counts = (
        before.blocks,
        before.blocks_per_group,
        before.inodes,
        before.inodes_per_group,
        before.desc_bytes,
    )
    if not all(0 < count < 1 << 48 for count in counts) or not 0 <= before.free_blocks <= before.blocks:
        yield "its superblock holds numbers that cannot be"


def _folder_faults(migration: Migration) -> Iterator[str]:
    wanted = {Means.TRANSACTION: (True, False), Means.DIRECT: (False, True)}.get(
        migration.means, (False, False)
    )
    if (bool(migration.store), bool(migration.undo_dir)) != wanted:
        yield "it names other folders than its means need"
    for folder in filter(None, (migration.store, migration.undo_dir)):
        if (
            not folder.isprintable()
            or not PurePosixPath(folder).is_absolute()
            or ".." in PurePosixPath(folder).parts
        ):
            yield f"{printable(folder, 60)!r} is no folder"


def _operation_faults(migration: Migration, operations: tuple[MigrationOperation, ...]) -> Iterator[str]:
    lines = [operation for operation in operations if isinstance(operation, SetFstabType)]
    own = [operation for operation in operations if isinstance(operation, SetOwnFstabType)]
    others = tuple(
        operation for operation in operations if not isinstance(operation, SetFstabType | SetOwnFstabType)
    )
    if not operations:
        yield "it does nothing"
    if migration.way is Way.FRESH:
        yield from _fresh_faults(migration, operations)
        return
    if others != operations_for(migration.way, migration.before, repairs=migration.repairs) or operations != (
        *others,
        *own,
        *lines,
    ):
        yield f"its steps are not those of the way {migration.way} for its filesystem"
    if (
        len({(line.file, line.number) for line in lines}) != len(lines)
        or len({(line.file, line.digest) for line in lines}) > 1
    ):
        yield "it changes a line twice, or lines of several files"
    yield from _own_faults(migration, own)
    for line in lines:
        yield from _line_faults(line)


def _own_faults(migration: Migration, own: list[SetOwnFstabType]) -> Iterator[str]:
    if own and migration.way is Way.MOUNT:
        yield "it changes a file on a filesystem that is to stay as it is"
    if len({line.number for line in own}) != len(own) or len({line.digest for line in own}) > 1:
        yield "it changes a line twice, or lines of several files"
    for line in own:
        if line.block < 0 or not 0 <= line.offset < migration.before.block_bytes:
            yield f"byte {line.offset} of block {line.block} is no place in a file"
        yield from _line_faults(line)


def _line_faults(line: SetFstabType | SetOwnFstabType) -> Iterator[str]:
    fields = line.old.split()
    file = line.file if isinstance(line, SetFstabType) else OWN_FSTAB
    if not file.startswith("/") or not file.isprintable() or line.number < 1 or len(line.digest) != 64:
        yield f"{printable(file, 60)!r} is no file of mounts at boot"
    elif (
        len(fields) < 3
        or fields[0].startswith("#")
        or "\n" in line.old
        or fields[2] not in OLD_TYPES
        or line.new != retyped(line.old)
    ):
        yield "the line that it changes is none that names ext2 or ext3"


def _fresh_faults(migration: Migration, operations: tuple[MigrationOperation, ...]) -> Iterator[str]:
    match operations:
        case (MakeFresh(target=target, uuid=uuid), CopyFiles()):
            if operations != fresh_operations(migration.before, target, uuid):
                yield "the fresh filesystem is not called as it is to be"
            if (
                target == migration.device
                or not is_device_path(target)
                or uuid_fault(uuid)
                or uuid == migration.before.uuid
            ):
                yield f"it makes the fresh filesystem on {printable(target, 60)!r}"
        case _:
            yield "its steps are not those of a fresh filesystem and a copy"
