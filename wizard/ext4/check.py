"""Validate a conversion: each step must match what `diskwright migrate` makes for the filesystem."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from wizard.documents.codec import JSON, Sealed, without_texts
from wizard.ext4.duration import gains_of, room_bytes
from wizard.ext4.operations import OLD_TYPES, operations_for, retyped
from wizard.ext4.steps import OWN_FSTAB, migration_steps
from wizard.ext4.system_checks import COPY_COMMANDS, COPY_INSTEAD
from wizard.model.errors import BadInput, printable
from wizard.model.ext import ExtFacts
from wizard.model.migration import (
    Means,
    Migration,
    MigrationOperation,
    SetFstabType,
    SetOwnFstabType,
    Way,
)
from wizard.model.said import join, t
from wizard.operations.rules import is_device_path, uuid_fault
from wizard.plan.check import drive_faults

AGAIN = t("Recreate it with `diskwright migrate`.")


def with_current_texts(migration: Migration) -> Migration:
    """Recompute everything derived from the operations of a valid conversion: texts, commands, gains and
    space."""
    before = migration.before
    operations = tuple(step.operation for step in migration.steps)
    return replace(
        migration,
        steps=migration_steps(operations, migration.device, before, migration.drive),
        room_bytes=room_bytes(operations, before),
        gains=gains_of(operations, before),
    )


def _faults(migration: Migration) -> Iterator[str]:
    yield from drive_faults(migration.drive)
    if not is_device_path(migration.device):
        yield "device"
    yield from _ext_faults(migration.before)
    if (migration.means is Means.FILES) is not (migration.way is Way.MOUNT):
        yield "means"
    yield from _folder_faults(migration)
    operations = tuple(step.operation for step in migration.steps)
    yield from _operation_faults(migration, operations)


def _ext_faults(before: ExtFacts) -> Iterator[str]:
    """Yield impossible superblock values in a document."""
    if uuid_fault(before.uuid):
        yield "before.uuid"
    if before.block_bytes not in (1 << bits for bits in range(10, 17)) or before.inode_bytes not in (
        1 << bits for bits in range(7, 17)
    ):
        yield "before.block_bytes"
    counts = (
        before.blocks,
        before.blocks_per_group,
        before.inodes,
        before.inodes_per_group,
        before.desc_bytes,
    )
    if not all(0 < count < 1 << 48 for count in counts) or not 0 <= before.free_blocks <= before.blocks:
        yield "before"


def _folder_faults(migration: Migration) -> Iterator[str]:
    folder = migration.store
    if bool(folder) is (migration.way is Way.MOUNT):
        yield "store"
    elif folder and (
        not folder.isprintable()
        or not PurePosixPath(folder).is_absolute()
        or ".." in PurePosixPath(folder).parts
    ):
        yield printable(folder, 60)


def _operation_faults(migration: Migration, operations: tuple[MigrationOperation, ...]) -> Iterator[str]:
    lines = [operation for operation in operations if isinstance(operation, SetFstabType)]
    own = [operation for operation in operations if isinstance(operation, SetOwnFstabType)]
    others = tuple(
        operation for operation in operations if not isinstance(operation, SetFstabType | SetOwnFstabType)
    )
    if (
        not operations
        or others != operations_for(migration.way, migration.before, repairs=migration.repairs)
        or operations != (*others, *own, *lines)
        or len({(line.file, line.number) for line in lines}) != len(lines)
        or len({(line.file, line.digest) for line in lines}) > 1
    ):
        yield "steps"
    yield from _own_faults(migration, own)
    for line in lines:
        yield from _line_faults(line)


def _own_faults(migration: Migration, own: list[SetOwnFstabType]) -> Iterator[str]:
    if (
        (own and migration.way is Way.MOUNT)
        or len({line.number for line in own}) != len(own)
        or len({line.digest for line in own}) > 1
    ):
        yield "steps"
    for line in own:
        if line.block < 0 or not 0 <= line.offset < migration.before.block_bytes:
            yield "steps"
        yield from _line_faults(line)


def _line_faults(line: SetFstabType | SetOwnFstabType) -> Iterator[str]:
    fields = line.old.split()
    file = line.file if isinstance(line, SetFstabType) else OWN_FSTAB
    if (
        not file.startswith("/")
        or not file.isprintable()
        or line.number < 1
        or len(line.digest) != 64
        or len(fields) < 3
        or fields[0].startswith("#")
        or "\n" in line.old
        or fields[2] not in OLD_TYPES
        or line.new != retyped(line.old)
    ):
        yield "steps"


def _from_first(body: JSON) -> JSON:
    """Migrate schema 1: drop the derived fields."""
    derived = ("gains", "room_bytes")
    return {name: value for name, value in without_texts(_as_supported(body)).items() if name not in derived}


def _as_supported(body: JSON) -> JSON:
    """Drop the folder of undo files, which is empty. Raises BadInput for a conversion that an earlier version
    made by copying the files, or on the device itself."""
    if body.get("way") == "fresh":
        raise BadInput(
            join(
                t("This conversion copies the files to a new ext4; this version no longer does that."),
                t("The old filesystem was only read and is unchanged; the copy may be incomplete."),
                COPY_INSTEAD,
                COPY_COMMANDS,
            )
        )
    if body.get("means") == "direct":
        raise BadInput(
            t(
                "This conversion works on the device itself, with e2fsprogs undo files. Only the "
                "earlier version of diskwright that made it can apply, resume or undo it."
            )
        )
    return {name: value for name, value in body.items() if name != "undo_dir"}


MIGRATIONS = Sealed(
    "diskwright.migration/2",
    Migration,
    AGAIN,
    _faults,
    with_current_texts,
    {"diskwright.migration/1": _from_first, "diskwright.migration/2": _as_supported},
)
MIGRATION_SCHEMA, render_migration, is_migration, read_migration, read_kept_migration, check_migration = (
    MIGRATIONS.schema,
    MIGRATIONS.render,
    MIGRATIONS.is_one,
    MIGRATIONS.read,
    MIGRATIONS.read_kept,
    MIGRATIONS.check,
)
