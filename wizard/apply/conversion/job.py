"""The conversion job: start, resume, keep and undo."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from wizard.apply.block.devices import protect, take_writes
from wizard.apply.conversion.guard import (
    check_explained,
    check_migration_tools,
    drive_now,
    lock_checked,
)
from wizard.apply.conversion.keep import check_held, keep
from wizard.apply.conversion.rollback import can_be_undone, why_closed, window_of
from wizard.apply.conversion.run import (
    check_can_start,
    check_one,
    check_state,
    check_untouched,
    migrate,
    reached,
    site_of,
    undo_conversion,
)
from wizard.apply.conversion.state import migration_now
from wizard.apply.conversion.verify import MigratingSite
from wizard.apply.run.backup_store import Environment
from wizard.apply.run.job import JobRequest, Locks, Outcome, Prepared, RollbackState, RunJob, RunWork, Start
from wizard.apply.run.journal import RunState
from wizard.apply.run.load import load_migration
from wizard.apply.run.process import Purpose, lock_drives
from wizard.apply.run.runs import load_environment
from wizard.apply.settings.guard import check_own
from wizard.model.errors import DiskwrightError
from wizard.model.said import Message, Sentence, tn
from wizard.plan.conversion import Migration


def _check_resumes(run: Path, migration: Migration) -> None:
    check_migration_tools(migration)
    check_can_start(run, migration)


ACTIONS: Mapping[Purpose, tuple[Sentence, Callable[[Path, Migration], None]]] = {
    Purpose.APPLY: (Sentence("Resuming the conversion of {device}."), _check_resumes),
    Purpose.UNDO: (Sentence("Undoing the conversion of {device}."), check_untouched),
    Purpose.KEEP: (
        Sentence("Keeping the conversion of {device}."),
        lambda _, migration: check_held(migration),
    ),
}
"""The journal's sentence for each purpose, and the check under the drive's lock."""


def _identified(run: Path) -> Migration:
    """Return the run's conversion. Raises Refused if the device is off limits, or a copy is attached."""
    migration = migration_now(run)
    check_own(migration, load_environment(run))
    check_one(run, migration)
    return migration


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

    def check_possible(self, run: Path, asked: JobRequest) -> None:
        """Check the run's own marks, too."""
        super().check_possible(run, asked)
        check_state(run, asked.purpose)

    def prepare(self, run: Path, asked: JobRequest) -> Prepared:
        """Check the filesystem, and what an earlier process left."""
        migration = _identified(run)
        title, check = ACTIONS[asked.purpose]
        return Prepared(
            title(device=migration.device),
            partial(lock_drives, {migration.drive.path}),
            partial(check, run, migration),
        )

    def ask(self, run: Path, purpose: Purpose) -> None:
        """Run the quick checks of a command. The device may be mounted read-only to look at it."""
        self.check_possible(run, JobRequest(purpose))
        migration = _identified(run)
        if purpose is Purpose.KEEP:
            check_held(migration)
        else:
            drive_now(migration)

    def apply(self, work: RunWork) -> Outcome:
        """Convert the filesystem."""
        return self._carry_out(work, migrate)

    def undo(self, work: RunWork) -> Outcome:
        """Restore the old filesystem."""
        return self._carry_out(work, undo_conversion)

    def keep(self, work: RunWork) -> Outcome:
        """Keep the new filesystem, and delete the undo data."""
        return self._carry_out(work, keep)

    def _carry_out(self, work: RunWork, does: Callable[[MigratingSite], Outcome]) -> Outcome:
        """Run `does` with the filesystem writable.

        If that fails, restore the write protection while undo is possible.
        """
        check_state(work.run, work.purpose)
        _identified(work.run)
        site = site_of(work)
        was_protected = take_writes(site.migration.device)
        try:
            return does(site)
        except DiskwrightError:
            if was_protected and can_be_undone(work.run, site.migration):
                protect(site.migration.device)
            raise

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
        return ("keep",) if why_closed(run, migration) else ("keep", "undo")

    def rollback(self, run: Path) -> RollbackState | None:
        """Compare the superblock."""
        return window_of(run)


JOB = ConversionRunJob()
