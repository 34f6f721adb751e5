"""The conversion job: start, resume, keep and undo."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from wizard.apply.block.devices import protect, take_writes
from wizard.apply.conversion.guard import (
    check_explained,
    check_migration_tools,
    drive_now,
    lock_checked,
)
from wizard.apply.conversion.keep import check_held, check_keeps, keep
from wizard.apply.conversion.rollback import can_be_undone, is_closed, window_of
from wizard.apply.conversion.run import (
    check_can_start,
    check_can_undo,
    check_one,
    check_untouched,
    migrate,
    reached,
    refuse_ended,
    site_of,
    undo_conversion,
)
from wizard.apply.conversion.state import migration_now
from wizard.apply.conversion.verify import MigratingSite
from wizard.apply.run.backup_store import Environment
from wizard.apply.run.job import JobRequest, Locks, Outcome, Prepared, RollbackState, RunJob, RunWork, Start
from wizard.apply.run.journal import Journal, RunState
from wizard.apply.run.load import load_migration
from wizard.apply.run.process import Purpose, lock_drives
from wizard.apply.run.runs import load_environment
from wizard.apply.settings.guard import check_own
from wizard.model.errors import DiskwrightError
from wizard.model.said import Message, Sentence, tn
from wizard.plan.conversion import Migration


def _check_goes_on(run: Path, migration: Migration) -> None:
    check_migration_tools(migration)
    check_can_start(run, migration)


def _check_takes_back(run: Path, _: Migration) -> None:
    check_can_undo(run)
    journal = Journal(run)
    try:
        check_untouched(site_of(run, journal, ()))
    finally:
        journal.close()


def _check_keeps(run: Path, migration: Migration) -> None:
    check_keeps(run)
    check_held(migration)


def _with_writes(does: Callable[[MigratingSite], Outcome]) -> Callable[[RunWork], Outcome]:
    """Run `does` with the filesystem writable.

    If that fails, restore the write protection while undo is possible.
    """

    def work_on(work: RunWork) -> Outcome:
        site = site_of(work.run, work.journal, work.drive_locks)
        was_protected = take_writes(site.migration.device)
        try:
            return does(site)
        except DiskwrightError:
            if was_protected and can_be_undone(work.run, site.migration):
                protect(site.migration.device)
            raise

    return work_on


class ConversionRunJob(RunJob[Migration]):
    """Runs that convert a filesystem to ext4."""

    keeps = True
    explains = True

    def lock_new(self, document: Migration, how: Start, *, make: bool) -> Locks:
        """Check the filesystem."""
        return lock_checked(document, how, make=make)

    def begun(self, document: Migration) -> Message:
        """Count the steps."""
        return tn(
            "Converting {device} in one step.",
            "Converting {device} in {count} steps.",
            device=document.device,
            count=len(document.steps),
        )

    def check_explained(self, document: Migration, environment: Environment) -> None:
        """Work out the document again."""
        check_explained(document, environment)

    def prepare(self, run: Path, asked: JobRequest) -> Prepared:
        """Check the filesystem, and what an earlier process left."""
        migration = migration_now(run)
        check_own(migration, load_environment(run))
        check_one(run, migration)
        actions = {
            Purpose.APPLY: (Sentence("Resuming the conversion of {device}."), _check_goes_on),
            Purpose.UNDO: (Sentence("Undoing the conversion of {device}."), _check_takes_back),
            Purpose.KEEP: (Sentence("Keeping the conversion of {device}."), _check_keeps),
        }
        title, check = actions[asked.purpose]
        return Prepared(
            title(device=migration.device),
            partial(lock_drives, {migration.drive.path}),
            partial(check, run, migration),
        )

    def ask(self, run: Path, purpose: Purpose) -> None:
        """Run the quick checks of a command, without those of the saved blocks."""
        self.check_possible(run, JobRequest(purpose))
        migration = migration_now(run)
        check_own(migration, load_environment(run))
        check_one(run, migration)
        match purpose:
            case Purpose.APPLY:
                refuse_ended(run)
            case Purpose.UNDO:
                check_can_undo(run)
            case Purpose.KEEP:
                check_keeps(run)
                check_held(migration)
        drive_now(migration)

    def apply(self, work: RunWork) -> Outcome:
        """Convert the filesystem."""
        return _with_writes(migrate)(work)

    def undo(self, work: RunWork) -> Outcome:
        """Restore the old filesystem."""
        return _with_writes(undo_conversion)(work)

    def keep(self, work: RunWork) -> Outcome:
        """Keep the new filesystem, and delete the undo data."""
        return _with_writes(keep)(work)

    def describe_error(self, run: Path, error: DiskwrightError) -> str:
        """Add how far the conversion got."""
        return f"{error} {reached(run)}".rstrip()

    def commands(self, run: Path, now: RunState) -> tuple[str, ...]:
        """Return keep and undo for a finished run, until the filesystem is used."""
        if now is not RunState.DONE:
            return super().commands(run, now)
        migration = load_migration(run)
        if not migration.way.converts:
            return ()
        return ("keep",) if is_closed(run, migration) else ("keep", "undo")

    def rollback(self, run: Path) -> RollbackState | None:
        """Compare the superblock."""
        return window_of(run)


JOB = ConversionRunJob()
