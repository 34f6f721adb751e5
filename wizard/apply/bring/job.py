"""Bringing files, as a kind of run: taken up, carried out, taken back."""

from functools import partial
from pathlib import Path

from wizard.apply.bring.guard import check_own
from wizard.apply.bring.of_run import load_bring
from wizard.apply.bring.places import shown
from wizard.apply.bring.run import bring_files, check_goes_on, check_takes_back, only_fstab_left, take_back
from wizard.apply.run.journal import RunState, state
from wizard.apply.run.kinds import Asked, Job, Outcome, Taking, Work
from wizard.apply.run.lock import lock_drives
from wizard.apply.run.process import Purpose
from wizard.apply.run.runs import load_environment
from wizard.model.errors import DiskwrightError, Refused
from wizard.model.said import t


def _taking(run: Path, asked: Asked) -> Taking:
    if asked.over_changes:
        raise Refused(
            t(
                "{run} copied files: what was changed since is never removed. Nothing was written.",
                run=run.name,
            )
        )
    bring = load_bring(run)
    folder = shown(bring.target.folder)
    match asked.purpose:
        case Purpose.APPLY:
            now = state(run)
            if now in (RunState.DONE, RunState.UNDONE):
                raise Refused(t("The run {run} is {state}: nothing is left to do.", run=run.name, state=now))
            check_goes_on(run)
            said = t(
                "Going on with bringing {source} to {folder}.", source=shown(bring.source.path), folder=folder
            )
        case Purpose.UNDO:
            check_takes_back(run)
            said = t("Removing what was brought to {folder}.", folder=folder)
        case Purpose.KEEP:
            raise Refused(t("What {run} brought is in its place already. Nothing was written.", run=run.name))
    anywhere = bring.takes is not None and (asked.purpose is Purpose.UNDO or only_fstab_left(run, bring))
    drives = check_own(bring, load_environment(run), anywhere=anywhere)
    return Taking(said, partial(lock_drives, drives))


def _told(_: Path, error: DiskwrightError) -> str:
    return str(error)


def _apply(work: Work) -> Outcome:
    event, said = bring_files(work.run, work.journal)
    return event, str(said)


def _undo(work: Work) -> Outcome:
    event, said = take_back(work.run, work.journal)
    return event, str(said)


JOB = Job(_taking, {Purpose.APPLY: _apply, Purpose.UNDO: _undo}, _told)
