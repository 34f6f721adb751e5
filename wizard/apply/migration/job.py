"""A migration, as a kind of run: taken up, carried out, kept, taken back."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from wizard.apply.block.write_protect import protect, take_writes
from wizard.apply.migration import words
from wizard.apply.migration.ground import Ground, ground_of
from wizard.apply.migration.guard import (
    check_goes_on,
    check_migration_tools,
    check_own,
    devices_of,
    drives_now,
)
from wizard.apply.migration.looking.found import migration_now
from wizard.apply.migration.run import (
    check_begins,
    check_held,
    check_keeps,
    check_one,
    check_takes_back,
    keep,
    migrate,
    reached,
    refuse_ended,
    site_of,
    take_back,
)
from wizard.apply.migration.steps import MigratingSite
from wizard.apply.migration.way_back import can_be_taken_back
from wizard.apply.run.journal import Journal, RunState, state
from wizard.apply.run.kinds import Asked, Job, Outcome, Taking, Work
from wizard.apply.run.lock import lock_drives
from wizard.apply.run.process import Purpose
from wizard.apply.run.runs import load_environment
from wizard.model.documents.migration import Migration
from wizard.model.errors import DiskwrightError, Refused
from wizard.model.said import Sentence, t


def _taking(run: Path, asked: Asked) -> Taking:
    if asked.over_changes:
        raise Refused(
            t(
                "The run {name} is no `apply`: it is not undone over what changed since. "
                "Nothing was written.",
                name=run.name,
            )
        )
    migration = migration_now(run)
    check_own(migration, load_environment(run))
    check_one(run, migration)
    paths = {drive.path for _, drive in devices_of(migration)}
    doing = {
        Purpose.APPLY: (Sentence("Going on with the migration of {device}."), _check_goes_on),
        Purpose.UNDO: (Sentence("Taking back the migration of {device}."), _check_takes_back),
        Purpose.KEEP: (Sentence("Keeping the migration of {device}."), _check_keeps),
    }
    said, check = doing[asked.purpose]
    return Taking(
        str(said(device=migration.device)),
        partial(lock_drives, paths),
        partial(check, run, migration),
    )


def _check_goes_on(run: Path, migration: Migration) -> None:
    if (now := state(run)) in (RunState.DONE, RunState.UNDONE, RunState.KEPT):
        raise Refused(words.NOTHING_TO_RESUME(name=run.name, state=now))
    check_migration_tools(migration)
    with _ground(run) as ground:
        check_begins(run, migration, ground)


def _check_takes_back(run: Path, migration: Migration) -> None:
    check_takes_back(run)
    with _ground(run) as ground:
        ground.release()
        check_goes_on(migration)
        ground.check_untouched()


def _check_keeps(run: Path, migration: Migration) -> None:
    check_keeps(run)
    check_held(migration)


@contextmanager
def _ground(run: Path) -> Iterator[Ground]:
    """Where a run works that nobody else works on."""
    journal = Journal(run)
    try:
        yield ground_of(site_of(run, journal, ()))
    finally:
        journal.close()


def _on_site(does: Callable[[MigratingSite], Outcome]) -> Callable[[Work], Outcome]:
    """Done while the kernel takes writes to the filesystem; where it took none before, and nothing came of
    it, it takes none afterwards either."""

    def work_on(work: Work) -> Outcome:
        site = site_of(work.run, work.journal, work.drive_locks)
        was_protected = take_writes(site.migration.device)
        try:
            return does(site)
        except DiskwrightError:
            if was_protected and can_be_taken_back(work.run, site.migration):
                protect(site.migration.device)
            raise

    return work_on


def _told(run: Path, error: DiskwrightError) -> str:
    return f"{error} {reached(run)}".rstrip()


def _ask(run: Path, purpose: Purpose) -> None:
    """The checks of a command that only read, and not those of a snapshot, which a command takes down."""
    migration = migration_now(run)
    check_own(migration, load_environment(run))
    check_one(run, migration)
    match purpose:
        case Purpose.APPLY:
            refuse_ended(run)
        case Purpose.UNDO:
            check_takes_back(run)
        case Purpose.KEEP:
            check_keeps(run)
            check_held(migration)
    drives_now(migration)


def _leave(work: Work, _: Outcome) -> None:
    """Nothing more can be done about a snapshot that somebody holds; whoever goes on finds it."""
    if work.purpose is Purpose.APPLY:
        with suppress(DiskwrightError):
            ground_of(site_of(work.run, work.journal, work.drive_locks)).release()


JOB = Job(
    _taking,
    {Purpose.APPLY: _on_site(migrate), Purpose.UNDO: _on_site(take_back), Purpose.KEEP: _on_site(keep)},
    _told,
    _leave,
    asks=_ask,
)
