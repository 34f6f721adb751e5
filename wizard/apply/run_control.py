"""Resume, keep or undo a run of any kind, and carry out a run in a separate process.

Imports only the package of the run's kind.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from wizard.apply.run import journal, process
from wizard.apply.run.job import JobRequest, RunJob, RunWork, begin, check_root
from wizard.apply.run.journal import RunState
from wizard.apply.run.kinds import kind_for, kind_of
from wizard.apply.run.process import Purpose
from wizard.apply.run.runs import check_owner, run_argument
from wizard.model.errors import DiskwrightError, EndedByUser, Failed, Refused
from wizard.model.run import Event
from wizard.model.said import Sentence, t
from wizard.plan.changes import RunDocument

CONTINUES = Sentence("The run continues in the background; `diskwright status {run}` shows the progress.")


def job_of(run: Path) -> RunJob[RunDocument]:
    """Return the job of the run's kind."""
    return cast("RunJob[RunDocument]", kind_of(run).job)


def job_for(document: RunDocument) -> RunJob[RunDocument]:
    """Return the job that starts runs of a document."""
    return cast("RunJob[RunDocument]", kind_for(document).job)


def resume(run: Path, secret: bytes | None = None) -> None:
    """Resume an interrupted run in a detached process. Raises Refused."""
    hand_over(run, JobRequest(Purpose.APPLY, secret))


def keep(run: Path, secret: bytes | None = None) -> str:
    """Keep a run's result, which ends undo, and return a summary. Raises Refused and Failed."""
    return await_end(run, Purpose.KEEP, hand_over(run, JobRequest(Purpose.KEEP, secret)))


def undo(run: Path, *, over_changes: bool = False, tokens: Sequence[str] = ()) -> str:
    """Undo a run in a detached process, and return a summary after verification. `over_changes` overwrites
    later changes by other programs; then `tokens` confirms the drives. Raises Refused and Failed."""
    asked = JobRequest(Purpose.UNDO, over_changes=over_changes, tokens=tuple(tokens))
    return await_end(run, Purpose.UNDO, hand_over(run, asked))


def hand_over(run: Path, asked: JobRequest) -> int:
    """Check a request and start the run's process. Return the number of earlier journal entries. Raises
    Refused and Failed."""
    check_root()
    check_owner(run)
    job = job_of(run)
    run_lock = process.lock_run(run)
    try:
        job.check_possible(run, asked)
        taking = job.prepare(run, asked)
        drive_locks = job.lock(taking.document, taking.drives, run)
        try:
            job.check_continues(run, taking.document, asked.purpose)
            if asked.purpose is Purpose.APPLY:
                (run / process.STOP).unlink(missing_ok=True)
            seen = len(journal.read_entries(run))
            begin(run, asked.purpose, taking.sentence, drive_locks, run_lock, taking.secret)
        finally:
            process.unlock(drive_locks)
    finally:
        os.close(run_lock)
    return seen


def await_end(run: Path, purpose: Purpose, seen: int) -> str:
    """Follow the journal past its first `seen` entries and return the last sentence. Raises Failed with every
    failed check, Refused, and EndedByUser on Ctrl+C."""
    try:
        entries = list(journal.follow(run, seen))
    except KeyboardInterrupt:
        raise left_alone(run) from None
    if journal.state(run) is (RunState.UNDONE if purpose is Purpose.UNDO else RunState.KEPT):
        return entries[-1].sentence
    if entries[-1].event is Event.REFUSED:
        raise Refused(entries[-1].sentence)
    if entries[-1].event is Event.FAILED:
        wrong = (f"{one.sentence}: {one.output}" for one in entries if one.event is Event.NOT_VERIFIED)
        raise Failed(" ".join((entries[-1].sentence, *wrong)))
    raise Failed(
        t(
            "`diskwright {command} {run}` was interrupted. Run it again; it can be repeated.",
            command=purpose.value,
            run=run_argument(run),
        )
    )


def left_alone(run: Path) -> EndedByUser:
    """Return the error that ends a command while the run continues in the background."""
    return EndedByUser(CONTINUES(run=run_argument(run)))


def carry_out(work: RunWork) -> None:
    """Carry out a run in a separate process. Journals errors instead of raising them, with the possible
    commands."""
    job = job_of(work.run)
    does = {Purpose.APPLY: job.apply, Purpose.UNDO: job.undo, Purpose.KEEP: job.keep}
    try:
        outcome = does[work.purpose](work)
    except DiskwrightError as error:
        outcome = Event.REFUSED if isinstance(error, Refused) else Event.FAILED, str(error)
    job.leave(work, outcome)
    # Unlock before the last line: its reader may use the drives right away.
    process.unlock(work.drive_locks)
    event, sentence = job.ending(work, outcome)
    if event in (Event.FAILED, Event.STOPPED, Event.REFUSED):
        sentence = f"{sentence} {job.next_commands(work.run, journal.ENDS[event])}".rstrip()
    work.journal.end(event, sentence)


def is_not_yet(now: RunState, ways: Sequence[str]) -> bool:
    """Return True if the result of a run is not in use yet: it is waiting, or is done and can be undone."""
    return now is RunState.WAITING or (now is RunState.DONE and "undo" in ways)
