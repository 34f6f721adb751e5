"""Beginning, taking up and undoing a run that changes something for a filesystem in use. The run itself is a
process of its own."""

import os
from contextlib import suppress
from functools import partial
from pathlib import Path

from wizard.apply.plan.guard import NOTHING_WRITTEN, check_root
from wizard.apply.plan.resume import begun_steps
from wizard.apply.plan.start import begin, begin_new, settle
from wizard.apply.plan.undo import await_undone
from wizard.apply.run.environment import Environment
from wizard.apply.run.journal import RunState, read_entries, state
from wizard.apply.run.lock import lock_drives, lock_run, unlock
from wizard.apply.run.process import STOP, Purpose
from wizard.apply.run.runs import (
    CHANGES,
    check_owner,
    check_room,
    load_changes,
    load_environment,
    make_run,
    runs_folder,
)
from wizard.apply.tune.guard import check_new, check_own, check_tuning_tools
from wizard.apply.tune.run import check_goes_on, check_takes_back
from wizard.layout.changes.changes_document import render_changes
from wizard.layout.changes.check_changes import check_changes
from wizard.model.changes import Changes
from wizard.model.errors import BadInput, Refused
from wizard.model.names import printable


def check_token(changes: Changes, token: str) -> None:
    """Raises Refused unless the token is the drive's, letter for letter."""
    if token != changes.drive.token:
        raise Refused(
            f"To confirm that these changes are for {changes.device}, give its drive's token with "
            f"--confirm {printable(changes.drive.token)}: {printable(token)!r} is not it. {NOTHING_WRITTEN}"
        )


def preflight_tuning(changes: Changes, *, journal_dir: Path | None, environment: Environment) -> None:
    """Everything that must hold before changes may be begun; raises Refused or BadInput for the first thing
    that does not."""
    unlock(_cleared(changes, runs_folder(journal_dir), environment, make=False))


def start_tuning(changes: Changes, token: str, *, journal_dir: Path | None, environment: Environment) -> Path:
    """Begin a run and give its folder; a detached process makes the changes. Raises as `preflight_tuning`
    does."""
    check_token(changes, token)
    folder = runs_folder(journal_dir)
    drive_locks = _cleared(changes, folder, environment, make=True)

    def make() -> Path:
        return make_run(folder, (changes.device,), CHANGES, render_changes(changes), environment)

    return begin_new(make, f"Making {len(changes.steps)} changes for {changes.device}.", drive_locks)


def _cleared(changes: Changes, folder: Path, environment: Environment, *, make: bool) -> tuple[int, ...]:
    """The drive's lock, given only where everything stands as the changes found it."""
    check_changes(changes)
    check_root()
    check_own(changes, environment)
    check_tuning_tools(changes)
    check_room(folder, 0, make=make)
    settle()
    return lock_drives((changes.drive.path,), partial(check_new, changes))


def resume_tuning(run: Path) -> None:
    """Go on with a run from its first change that is not made, in a detached process. Raises Refused where
    that is not safe."""
    check_root()
    check_owner(run)
    run_lock = lock_run(run)
    try:
        now = state(run)
        if now in (RunState.DONE, RunState.UNDONE):
            raise Refused(f"The run {run.name} is {now}: there is nothing to resume.")
        changes = load_changes(run)
        check_own(changes, load_environment(run))
        check_tuning_tools(changes)
        drive_locks = lock_drives((changes.drive.path,))
        try:
            if begun_steps(read_entries(run)):
                check_goes_on(run, changes)
            else:
                check_new(changes)
            (run / STOP).unlink(missing_ok=True)
            begin(
                run, Purpose.APPLY, f"Going on with the changes for {changes.device}.", drive_locks, run_lock
            )
        finally:
            unlock(drive_locks)
    finally:
        os.close(run_lock)


def undo_tuning(run: Path) -> None:
    """Take back what the run changed, and return when that is proven. Raises Refused where it cannot be,
    Failed where it did not work."""
    check_root()
    check_owner(run)
    run_lock = lock_run(run)
    try:
        check_takes_back(run)
        changes = load_changes(run)
        check_own(changes, load_environment(run))
        drive_locks: tuple[int, ...] = ()
        # The files go back also where the drive is gone.
        with suppress(BadInput):
            drive_locks = lock_drives((changes.drive.path,))
        try:
            seen = len(read_entries(run))
            begin(
                run,
                Purpose.UNDO,
                f"Taking back what was changed for {changes.device}.",
                drive_locks,
                run_lock,
            )
        finally:
            unlock(drive_locks)
    finally:
        os.close(run_lock)
    await_undone(run, seen)
