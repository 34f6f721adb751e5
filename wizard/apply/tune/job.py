"""Changes to a filesystem in use, as a kind of run: taken up, carried out, taken back."""

from contextlib import suppress
from functools import partial
from pathlib import Path

from wizard.apply.run.journal import RunState, begun_steps, read_entries, state
from wizard.apply.run.kinds import Asked, Job, Locks, Outcome, Taking, Work
from wizard.apply.run.lock import lock_drives
from wizard.apply.run.process import Purpose
from wizard.apply.run.runs import load_environment
from wizard.apply.tune.guard import check_may, check_new, check_own, check_tuning_tools, refusal
from wizard.apply.tune.of_run import load_changes
from wizard.apply.tune.run import check_goes_on, check_takes_back, make_changes, take_all_back
from wizard.model.documents.changes import Changes
from wizard.model.errors import BadInput, DiskwrightError, Refused
from wizard.model.said import t


def _taking(run: Path, asked: Asked) -> Taking:
    if asked.over_changes:
        raise Refused(
            refusal(t("The run {run} is no `apply`: it is not undone over what changed since.", run=run.name))
        )
    match asked.purpose:
        case Purpose.APPLY:
            return _going_on(run)
        case Purpose.UNDO:
            return _taking_back(run)
        case Purpose.KEEP:
            raise Refused(
                refusal(
                    t("The run {run} changed a filesystem in use: there is nothing to keep.", run=run.name)
                )
            )


def _going_on(run: Path) -> Taking:
    now = state(run)
    if now in (RunState.DONE, RunState.UNDONE):
        raise Refused(t("The run {run} is {state}: there is nothing to resume.", run=run.name, state=now))
    changes = load_changes(run)
    check_own(changes, load_environment(run))
    check_may(changes)
    check_tuning_tools(changes)
    check = partial(check_goes_on, run) if begun_steps(read_entries(run)) else check_new
    return Taking(
        str(t("Going on with the changes for {device}.", device=changes.device)),
        partial(_locked_if_there, changes),
        partial(check, changes),
    )


def _taking_back(run: Path) -> Taking:
    check_takes_back(run)
    changes = load_changes(run)
    check_own(changes, load_environment(run))
    return Taking(
        str(t("Taking back what was changed for {device}.", device=changes.device)),
        partial(_locked_if_there, changes),
    )


def _locked_if_there(changes: Changes) -> Locks:
    """The files go back also where the drive is gone."""
    with suppress(BadInput):
        return lock_drives((changes.drive.path,))
    return ()


def _told(_: Path, error: DiskwrightError) -> str:
    return str(error)


def _apply(work: Work) -> Outcome:
    event, said = make_changes(work.run, work.journal, work.drive_locks)
    return event, str(said)


def _undo(work: Work) -> Outcome:
    event, said = take_all_back(work.run, work.journal, work.drive_locks)
    return event, str(said)


JOB = Job(_taking, {Purpose.APPLY: _apply, Purpose.UNDO: _undo}, _told)
