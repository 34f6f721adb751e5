"""Beginning a migration. The run itself is a process of its own."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from wizard.apply.migration.guard import (
    check_migration_tools,
    check_new,
    check_own,
    devices_of,
)
from wizard.apply.migration.on_device.undo_files import undo_folder_of
from wizard.apply.migration.proof import manifests_bytes
from wizard.apply.run.begin import begin_new, check_root, settle
from wizard.apply.run.environment import Environment
from wizard.apply.run.lock import lock_drives, unlock
from wizard.apply.run.runs import (
    MIGRATION,
    check_lasts,
    check_room,
    make_run,
    runs_folder,
)
from wizard.apply.transaction.transaction import store_of
from wizard.migrate.check import check_migration
from wizard.migrate.document import render_migration
from wizard.model.documents.migration import MakeFresh, Means, Migration
from wizard.model.errors import Refused
from wizard.model.names import printable
from wizard.model.said import Said, t, tn


def check_token(migration: Migration, token: str) -> None:
    """Raises Refused unless the token is that of the drive that is written to, letter for letter."""
    wanted = migration.written.token
    if token != wanted:
        drive, given = migration.written.path, repr(printable(token))
        raise Refused(
            t(
                "To confirm that {outcome}, give the token of {drive} with --confirm "
                "{token}: {given} is not it. Nothing was written.",
                outcome=outcome(migration),
                drive=drive,
                token=printable(wanted),
                given=given,
            )
        )


def outcome(migration: Migration) -> Said:
    """What is confirmed, as the end of a sentence."""
    made = next((step.operation for step in migration.steps if isinstance(step.operation, MakeFresh)), None)
    if made is None:
        return t("{device} is to become ext4", device=migration.device)
    return t(
        "{target} is to become a new ext4 with everything of {device}",
        target=made.target,
        device=migration.device,
    )


def preflight_migration(migration: Migration, *, journal_dir: Path | None, environment: Environment) -> None:
    """Everything that must hold before a migration may be begun; raises Refused or BadInput for the first
    thing that does not."""
    unlock(_cleared(migration, runs_folder(journal_dir), environment, make=False))


def start_migration(
    migration: Migration, token: str, *, journal_dir: Path | None, environment: Environment
) -> Path:
    """Begin a run and give its folder; a detached process migrates. Raises as `preflight_migration` does."""
    check_token(migration, token)
    folder = runs_folder(journal_dir)
    drive_locks = _cleared(migration, folder, environment, make=True)

    def make() -> Path:
        return make_run(
            folder,
            (migration.device,),
            MIGRATION,
            render_migration(migration),
            environment,
            partial(_called_for, migration),
        )

    said = tn(
        "Migrating {device} in one step.",
        "Migrating {device} in {count} steps.",
        device=migration.device,
        count=len(migration.steps),
    )
    return begin_new(make, str(said), drive_locks)


def _called_for(migration: Migration, name: str) -> Iterator[Path]:
    """The folder that a run of this name keeps elsewhere what it needs in, or to take itself back."""
    if migration.store:
        yield store_of(Path(migration.store), name)
    if migration.undo_dir:
        yield undo_folder_of(Path(migration.undo_dir), name)


def _cleared(migration: Migration, folder: Path, environment: Environment, *, make: bool) -> tuple[int, ...]:
    """The drive's lock, given only where everything stands as the migration found it."""
    check_migration(migration)
    check_root()
    check_own(migration, environment)
    check_migration_tools(migration)
    if migration.means is Means.TRANSACTION:
        check_lasts(folder)
    check_room(folder, manifests_bytes(migration), make=make)
    settle()
    return lock_drives({drive.path for _, drive in devices_of(migration)}, partial(check_new, migration))
