"""Beginning, taking up, undoing and keeping a migration. The run itself is a process of its own."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from wizard.apply.migration.ground import Ground, ground_of
from wizard.apply.migration.guard import (
    check_goes_on,
    check_migration_tools,
    check_new,
    check_own,
    devices_of,
)
from wizard.apply.migration.looking.found import migration_now
from wizard.apply.migration.on_device.undo_files import undo_folder_of
from wizard.apply.migration.proof import manifests_bytes
from wizard.apply.migration.run import check_begins, check_keeps, check_takes_back, site_of
from wizard.apply.plan.guard import NOTHING_WRITTEN, check_root
from wizard.apply.plan.start import begin, begin_new, settle
from wizard.apply.plan.undo import await_undone
from wizard.apply.run.environment import Environment
from wizard.apply.run.journal import Journal, RunState, follow, read_entries, state
from wizard.apply.run.lock import lock_drives, lock_run, unlock
from wizard.apply.run.process import STOP, Purpose
from wizard.apply.run.runs import (
    MIGRATION,
    check_lasts,
    check_owner,
    check_room,
    load_environment,
    load_migration,
    make_run,
    runs_folder,
)
from wizard.apply.transaction.transaction import store_of
from wizard.migrate.check import check_migration
from wizard.migrate.document import render_migration
from wizard.model.errors import Failed, Refused
from wizard.model.migration import MakeFresh, Means, Migration
from wizard.model.names import printable


def check_token(migration: Migration, token: str) -> None:
    """Raises Refused unless the token is that of the drive that is written to, letter for letter."""
    wanted = migration.written.token
    if token != wanted:
        raise Refused(
            f"To confirm that {outcome(migration)}, give the token of {migration.written.path} with "
            f"--confirm {printable(wanted)}: {printable(token)!r} is not it. {NOTHING_WRITTEN}"
        )


def outcome(migration: Migration) -> str:
    """What is confirmed, as the end of a sentence."""
    made = next((step.operation for step in migration.steps if isinstance(step.operation, MakeFresh)), None)
    if made is None:
        return f"{migration.device} is to become ext4"
    return f"{made.target} is to become a new ext4 with everything of {migration.device}"


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

    return begin_new(make, f"Migrating {migration.device} in {len(migration.steps)} steps.", drive_locks)


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


def resume_migration(run: Path) -> None:
    """Go on with a run in a detached process. Raises Refused where that is not safe."""

    def check(migration: Migration) -> None:
        if (now := state(run)) in (RunState.DONE, RunState.UNDONE, RunState.KEPT):
            raise Refused(f"The run {run.name} is {now}: there is nothing to resume.")
        check_migration_tools(migration)
        with _ground(run) as ground:
            check_begins(run, migration, ground)
        (run / STOP).unlink(missing_ok=True)

    _take_up(run, Purpose.APPLY, f"Going on with the migration of {load_migration(run).device}.", check)


def undo_migration(run: Path) -> None:
    """Take back what the run changed, and return when that is proven. Raises Refused where it cannot be,
    Failed where it did not work."""

    def check(migration: Migration) -> None:
        check_takes_back(run)
        with _ground(run) as ground:
            ground.release()
            check_goes_on(migration)
            ground.check_untouched()

    await_undone(
        run, _take_up(run, Purpose.UNDO, f"Taking back the migration of {load_migration(run).device}.", check)
    )


def keep_migration(run: Path) -> str:
    """Give up the way back, and mount it; a sentence on that. Raises Refused where nothing can be kept,
    Failed where it did not work."""
    seen = _take_up(
        run,
        Purpose.KEEP,
        f"Keeping the migration of {load_migration(run).device}.",
        lambda _: check_keeps(run),
    )
    last = list(follow(run, seen))[-1]
    if state(run) is not RunState.KEPT:
        raise Failed(last.sentence)
    return last.sentence


@contextmanager
def _ground(run: Path) -> Iterator[Ground]:
    """Where a run works that nobody else works on."""
    journal = Journal(run)
    try:
        yield ground_of(site_of(run, journal, ()))
    finally:
        journal.close()


def _take_up(run: Path, purpose: Purpose, sentence: str, check: Callable[[Migration], None]) -> int:
    """Hand a run over to a process of its own once `check` raised nothing; how many entries its journal had
    before."""
    check_root()
    check_owner(run)
    run_lock = lock_run(run)
    try:
        migration = migration_now(run)
        check_own(migration, load_environment(run))
        drive_locks = lock_drives({drive.path for _, drive in devices_of(migration)})
        try:
            check(migration)
            seen = len(read_entries(run))
            begin(run, purpose, sentence, drive_locks, run_lock)
        finally:
            unlock(drive_locks)
    finally:
        os.close(run_lock)
    return seen
