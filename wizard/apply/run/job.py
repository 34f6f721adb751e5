"""Base of all kinds of runs: start or resume in a detached process, and end with one journal entry.

A kind of run is a `RunJob` value, which supplies the rest.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wizard.apply.run import process
from wizard.apply.run.journal import ENDS, Journal, RunState, follow, read_entries, state
from wizard.apply.run.process import STOP, Purpose, launch, lock_run, unlock
from wizard.apply.run.runs import check_owner, run_argument
from wizard.model.errors import DiskwrightError, EndedByUser, Failed, Refused
from wizard.model.ext import Event
from wizard.model.said import Message, Sentence, join, t
from wizard.process.program import find
from wizard.process.program import run as run_command

READY = Sentence("{size:size} ready at {places:and}, writable by {who}.")


NOT_YET = t("Done, not in use yet: keep or undo the result.")


def check_root() -> None:
    """Raises Refused for a plain user."""
    if os.geteuid() != 0:
        raise Refused(t("Root is required: use sudo. Nothing was written."))


def begin_new(
    make: Callable[[], Path],
    sentence: Message | str,
    drive_locks: tuple[int, ...],
    secret: bytes | None = None,
) -> Path:
    """Make a run, which `make` gives the folder of, and hand it over to a process of its own, as `begin`
    does; the drives' locks are let go of here. Raises Refused where either failed: nothing was written then.
    """
    try:
        run = make()
        run_lock = lock_run(run)
        try:
            begin(run, Purpose.APPLY, sentence, drive_locks, run_lock, secret)
        finally:
            os.close(run_lock)
    except Failed as error:
        raise Refused(f"{error} {process.NOTHING_WRITTEN}") from None
    finally:
        unlock(drive_locks)
    return run


def begin(
    run: Path,
    purpose: Purpose,
    sentence: Message | str,
    drive_locks: Sequence[int],
    run_lock: int,
    secret: bytes | None = None,
) -> None:
    """Write the sentence into the run's journal and hand the run over to a process of its own; raises Failed
    where there is none."""
    journal = Journal(run)
    journal.add(Event.STARTED, sentence)
    journal.close()
    launch(run, purpose, drive_locks, run_lock, secret)


def settle(seconds: int = 10) -> None:
    """Let udev finish what it has begun. Only while no drive is locked: of a locked one udev puts the events
    off."""
    if udev_runs():
        run_command(
            ["udevadm", "settle", f"--timeout={seconds}"], seconds=seconds + 10, accept=range(-64, 256)
        )


def udev_runs() -> bool:
    """Whether udev listens, and can be waited for."""
    return Path("/run/udev/control").exists() and find("udevadm") is not None


def request_stop(run: Path) -> None:
    """Ask a run to stop before its next step. The step it is in is finished first. Raises Failed where it
    cannot be asked."""
    try:
        (run / STOP).touch(mode=0o600)
    except OSError as error:
        raise Failed(
            t(
                "Cannot stop the run: {file} is not writable ({why}).",
                file=str(run / STOP),
                why=str(error.strerror),
            )
        ) from None


Locks = tuple[int, ...]
"""Descriptors that keep others away from drives."""

Outcome = tuple[Event, str]
"""How a run ended, and the sentence on it."""

DOING = {
    Purpose.APPLY: Sentence("Applying"),
    Purpose.KEEP: Sentence("Keeping"),
    Purpose.UNDO: Sentence("Undoing"),
}


@dataclass(frozen=True, slots=True)
class RunWork:
    """A run in the hands of the process that carries it out. `secret` is the passphrase of what is
    encrypted."""

    run: Path
    purpose: Purpose
    journal: Journal
    drive_locks: Locks
    secret: bytes | None = None


@dataclass(frozen=True, slots=True)
class JobRequest:
    """How a run is to be taken up. With `over_changes` it is undone also over what another program wrote to
    the drive since, which the drives' `tokens` confirm; with `over_bad_sectors` it goes on over those that it
    stopped at."""

    purpose: Purpose
    secret: bytes | None = None
    over_changes: bool = False
    over_bad_sectors: bool = False
    tokens: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Prepared:
    """What taking up a run takes: what its journal says, the drives' locks, what must hold under them, and
    the passphrase of what is encrypted, or the key that is in its place."""

    sentence: Message | str
    lock: Callable[[], Locks]
    check: Callable[[], None] = lambda: None
    secret: bytes | None = None


def _ends_so(_: RunWork, outcome: Outcome) -> Outcome:
    return outcome


@dataclass(frozen=True, slots=True)
class RunJob:
    """A kind of run.

    `taking` raises Refused where the run cannot be taken up so. What it `does` for each purpose may raise
    DiskwrightError; `told` makes a sentence of one that ended going forward. It lets go of what it holds
    open with `leave`, still under the drives' locks, and has the last word on how the run ended in `ending`,
    when the drives are free again. `goes_over_bad_sectors`: it can stop at those, and go on over them.
    `asks` raises a DiskwrightError if the run could not be taken up for a purpose now, and only reads; None
    if `taking` and its check only read.
    """

    taking: Callable[[Path, JobRequest], Prepared]
    does: Mapping[Purpose, Callable[[RunWork], Outcome]]
    told: Callable[[Path, DiskwrightError], str]
    leave: Callable[[RunWork, Outcome], None] = lambda _work, _outcome: None
    ending: Callable[[RunWork, Outcome], Outcome] = _ends_so
    goes_over_bad_sectors: bool = False
    asks: Callable[[Path, Purpose], None] | None = None

    def why_not(self, run: Path, purpose: Purpose) -> Message | str | None:
        """Why the run could not be taken up for this purpose now, without the sentence that nothing was
        written; None if it could. Only reads."""
        try:
            if self.asks is not None:
                self.asks(run, purpose)
            else:
                self.taking(run, JobRequest(purpose)).check()
        except DiskwrightError as error:
            return error.said if isinstance(error.said, Message) else str(error)
        return None


def hand_over(job: RunJob, run: Path, asked: JobRequest) -> int:
    """Hand a run over to a process of its own, once everything that must hold does; how many entries its
    journal had before. Raises Refused where it does not, Failed where there is no process."""
    check_root()
    check_owner(run)
    run_lock = lock_run(run)
    try:
        if asked.over_bad_sectors and not job.goes_over_bad_sectors:
            raise Refused(process.NO_BAD_SECTORS(run=run.name))
        taking = job.taking(run, asked)
        drive_locks = taking.lock()
        try:
            taking.check()
            if asked.purpose is Purpose.APPLY:
                (run / STOP).unlink(missing_ok=True)
            seen = len(read_entries(run))
            begin(run, asked.purpose, taking.sentence, drive_locks, run_lock, taking.secret)
        finally:
            unlock(drive_locks)
    finally:
        os.close(run_lock)
    return seen


def await_end(run: Path, purpose: Purpose, seen: int) -> str:
    """Follow the run's journal behind its first `seen` entries to its end, and give its last sentence; raises
    Failed unless it was kept, or undone, as was its purpose, with every check that does not hold, and
    EndedByUser at Ctrl+C."""
    try:
        entries = list(follow(run, seen))
    except KeyboardInterrupt:
        raise left_alone(run, purpose) from None
    if state(run) is (RunState.UNDONE if purpose is Purpose.UNDO else RunState.KEPT):
        return entries[-1].sentence
    if entries[-1].event is Event.REFUSED:
        raise Refused(entries[-1].sentence)
    if entries[-1].event is Event.FAILED:
        wrong = (f"{one.sentence}: {one.output}" for one in entries if one.event is Event.NOT_VERIFIED)
        raise Failed(" ".join((entries[-1].sentence, *wrong)))
    again = t(
        "Run `diskwright {purpose} {run}` again; it can be repeated.",
        purpose=purpose.value,
        run=run_argument(run),
    )
    raise Failed(join(t("{doing} was interrupted.", doing=DOING[purpose]()), again))


def left_alone(run: Path, purpose: Purpose) -> EndedByUser:
    """Of a run whose process is at work, and whose end nobody waits for any more."""
    return EndedByUser(
        t(
            "Ended by you. {doing} continues in the background; `diskwright status "
            "{run}` shows the progress.",
            doing=DOING[purpose](),
            run=run_argument(run),
        )
    )


def carry_out(job: RunJob, work: RunWork, next_commands: Callable[[Path, RunState], Message | str]) -> None:
    """What the run's own process does. Never raises for what a person can meet: the journal says how it
    ended, and which `next_commands` work then."""
    try:
        outcome = job.does[work.purpose](work)
    except DiskwrightError as error:
        outcome = _failure(job, work, error)
    job.leave(work, outcome)
    # The last line is written when the drives are free again: whoever reads it may use them at once.
    unlock(work.drive_locks)
    event, sentence = job.ending(work, outcome)
    if event in (Event.FAILED, Event.STOPPED, Event.REFUSED):
        sentence = f"{sentence} {next_commands(work.run, ENDS[event])}".rstrip()
    work.journal.end(event, sentence)


def _failure(job: RunJob, work: RunWork, error: DiskwrightError) -> Outcome:
    if isinstance(error, Refused):
        return Event.REFUSED, str(error)
    said = job.told(work.run, error) if work.purpose is Purpose.APPLY else str(error)
    return Event.FAILED, said


def check_told(
    wanted: Iterable[Message | str],
    told: Iterable[Message | str],
    again: str,
    alike: Callable[[Message | str], Message | str] = lambda said: said,
) -> None:
    """Raises Refused unless both are the same sentences, in whatever order and language; `again` is the
    command that makes the document.

    `alike` gives what is compared of a sentence, where a part of it may differ.
    """
    expected, found = {alike(one): one for one in wanted}, {alike(one): one for one in told}
    if missing := next((one for key, one in expected.items() if key not in found), None):
        fault = t('it lacks the expected text "{sentence}"', sentence=missing)
    elif foreign := next((one for key, one in found.items() if key not in expected), None):
        fault = t('it has the unexpected text "{sentence}"', sentence=foreign)
    else:
        return
    raise Refused(
        t(
            "The document's explanations differ from the current ones: {fault}. Make a "
            "new one with `{again}`. Nothing was written.",
            fault=fault,
            again=again,
        )
    )
