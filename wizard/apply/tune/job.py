"""Changes to a filesystem in use, as a kind of run: taken up, carried out, taken back."""

from contextlib import suppress
from functools import partial
from pathlib import Path

from wizard.apply.run.begin import NOTHING_WRITTEN
from wizard.apply.run.journal import RunState, begun_steps, read_entries, state
from wizard.apply.run.kinds import Asked, Job, Locks, Outcome, Taking, Work
from wizard.apply.run.lock import lock_drives
from wizard.apply.run.process import Purpose
from wizard.apply.run.runs import load_environment
from wizard.apply.tune.guard import check_new, check_own, check_tuning_tools
from wizard.apply.tune.of_run import load_changes
from wizard.apply.tune.run import check_goes_on, check_takes_back, make_changes, take_all_back
from wizard.model.changes import Changes
from wizard.model.errors import BadInput, DiskwrightError, Refused


def _taking(run: Path, asked: Asked) -> Taking:
    if asked.over_changes:
        raise Refused(
            f"The run {run.name} is no `apply`: it is not undone over what changed since. {NOTHING_WRITTEN}"
        )
    match asked.purpose:
        case Purpose.APPLY:
            return _going_on(run)
        case Purpose.UNDO:
            return _taking_back(run)
        case Purpose.KEEP:
            raise Refused(
                f"The run {run.name} changed a filesystem in use: there is nothing to keep. {NOTHING_WRITTEN}"
            )


def _going_on(run: Path) -> Taking:
    now = state(run)
    if now in (RunState.DONE, RunState.UNDONE):
        raise Refused(f"The run {run.name} is {now}: there is nothing to resume.")
    changes = load_changes(run)
    check_own(changes, load_environment(run))
    check_tuning_tools(changes)
    check = partial(check_goes_on, run) if begun_steps(read_entries(run)) else check_new
    return Taking(
        f"Going on with the changes for {changes.device}.",
        partial(_locked_if_there, changes),
        partial(check, changes),
    )


def _taking_back(run: Path) -> Taking:
    check_takes_back(run)
    changes = load_changes(run)
    check_own(changes, load_environment(run))
    return Taking(f"Taking back what was changed for {changes.device}.", partial(_locked_if_there, changes))


def _locked_if_there(changes: Changes) -> Locks:
    """The files go back also where the drive is gone."""
    with suppress(BadInput):
        return lock_drives((changes.drive.path,))
    return ()


def _told(_: Path, error: DiskwrightError) -> str:
    return str(error)


def _apply(work: Work) -> Outcome:
    return make_changes(work.run, work.journal, work.drive_locks)


def _undo(work: Work) -> Outcome:
    return take_all_back(work.run, work.journal, work.drive_locks)


JOB = Job(_taking, {Purpose.APPLY: _apply, Purpose.UNDO: _undo}, _told)
