"""Base of all kinds of runs: start or resume in a detached process, and end with one journal entry.

A kind of run is a subclass of `RunJob`.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from wizard.apply.run import process
from wizard.apply.run.backup_store import ANY, Environment
from wizard.apply.run.journal import ENDS, Journal, RunState, follow, read_entries, state
from wizard.apply.run.process import STOP, UNDOING, Purpose, launch, lock_run, unlock
from wizard.apply.run.runs import check_owner, run_argument, runs_folder
from wizard.model.errors import DiskwrightError, EndedByUser, Failed, Refused, printable
from wizard.model.run import Document, Event
from wizard.model.said import Message, Sentence, join, t
from wizard.process.program import find
from wizard.process.program import run as run_command

READY = Sentence("{size:size} ready at {places:and}, writable by {who}.")
STOPPED = Sentence("Stopped before step {step} as requested.")
STEP_FAILED = Sentence("Step {step} of {steps} failed:")
RESULT_RUNNING = Sentence("The run is still in progress.")
UNDONE = Sentence("Run {name} is already undone.")
KEPT = Sentence("Run {name} is already kept.")
NOTHING_TO_RESUME = Sentence("Run {name} is {state}; no steps remain to resume.")
ANOTHER_DRIVE = Sentence("{fault:First}. Nothing was written.")
NOT_YET = t("Done, not in use yet: keep or undo the result.")


@dataclass(frozen=True, slots=True)
class Start:
    """How a new run is started. `tokens` confirm the drives. `journal_dir`: folder for runs, None for the
    usual one. `secret`: passphrase of encrypted volumes. `keep`: keep the result as soon as it is written."""

    tokens: tuple[str, ...] = ()
    journal_dir: Path | None = None
    environment: Environment = ANY
    secret: bytes | None = field(default=None, repr=False)
    keep: bool = False

    @property
    def folder(self) -> Path:
        """The folder for runs."""
        return runs_folder(self.journal_dir)


def check_tokens(document: Document, tokens: Sequence[str]) -> None:
    """Raises Refused unless the tokens are exactly those of the drives, in any order."""
    if sorted(tokens) == sorted(document.tokens):
        return
    options = tuple(f"--confirm {printable(token)}" for token in document.tokens)
    wrong = next((token for token in tokens if token and token not in document.tokens), None)
    if wrong is None:
        raise Refused(
            t(
                "To confirm writing to {devices:list}, add {options:row}, each exactly once. "
                "Nothing was written.",
                devices=document.devices,
                options=options,
            )
        )
    raise Refused(
        t(
            "To confirm writing to {devices:list}, add {options:row}: '{wrong}' does not match. "
            "Nothing was written.",
            devices=document.devices,
            options=options,
            wrong=wrong,
        )
    )


def check_root() -> None:
    """Raises Refused unless the process is root."""
    if os.geteuid() != 0:
        raise Refused(t("Root is required: use sudo. Nothing was written."))


def begin_new(
    make: Callable[[], Path],
    sentence: Message | str,
    drive_locks: tuple[int, ...],
    secret: bytes | None = None,
) -> Path:
    """Create a run with `make` and start its process, as `begin` does. Closes the drive locks.

    Raises Refused if either fails; nothing has been written to the drives then.
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
    """Journal the start and launch the run's process. Raises Failed if the process cannot start."""
    journal = Journal(run)
    journal.add(Event.STARTED, sentence)
    journal.close()
    launch(run, purpose, drive_locks, run_lock, secret)


def settle(seconds: int = 10) -> None:
    """Wait until udev has processed its queue. Unlock the drives first: udev delays events of locked
    drives."""
    if udev_runs():
        run_command(
            ["udevadm", "settle", f"--timeout={seconds}"], seconds=seconds + 10, accept=range(-64, 256)
        )


def udev_runs() -> bool:
    """Return True if udev is running and `udevadm` is installed."""
    return Path("/run/udev/control").exists() and find("udevadm") is not None


def request_stop(run: Path) -> None:
    """Ask a run to stop before its next step; the current step is finished. Raises Failed if the stop file
    cannot be created."""
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
"""File descriptors with locks on drives."""

Outcome = tuple[Event, str]
"""The last event of a run, and its sentence."""

DOING = {
    Purpose.APPLY: Sentence("Applying"),
    Purpose.KEEP: Sentence("Keeping"),
    Purpose.UNDO: Sentence("Undoing"),
}


@dataclass(frozen=True, slots=True)
class RunWork:
    """A run as its own process sees it. `secret` is the passphrase of encrypted volumes."""

    run: Path
    purpose: Purpose
    journal: Journal
    drive_locks: Locks
    secret: bytes | None = None


@dataclass(frozen=True, slots=True)
class JobRequest:
    """A request to continue a run.

    `over_changes` allows undo although other programs have changed the drive since; `tokens` confirms the
    drives by serial number.
    """

    purpose: Purpose
    secret: bytes | None = None
    over_changes: bool = False
    tokens: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Prepared:
    """Everything needed to continue a run: the journal sentence, a function that locks the drives, a check to
    run under the locks, and the passphrase or key of encrypted volumes."""

    sentence: Message | str
    lock: Callable[[], Locks]
    check: Callable[[], None] = lambda: None
    secret: bytes | None = None


class RunJob:
    """A kind of run. Subclasses define what differs."""

    keeps = False
    """True if a result can wait to be kept."""

    overwrites = False
    """True if undo can overwrite later changes by other programs."""

    ended = frozenset({RunState.DONE, RunState.UNDONE, RunState.KEPT})
    """States from which no run resumes."""

    def check_possible(self, run: Path, asked: JobRequest) -> None:
        """Raises Refused if no run of this kind, or in this state, can continue that way."""
        now, name = state(run), run.name
        if asked.over_changes and not self.overwrites:
            raise Refused(
                t("Undo of run {name} never overwrites later changes. Nothing was written.", name=name)
            )
        match asked.purpose:
            case Purpose.APPLY:
                if now in self.ended:
                    raise Refused(NOTHING_TO_RESUME(name=name, state=now))
                if (run / UNDOING).exists():
                    raise Refused(
                        t(
                            "The undo of run {name} is unfinished. Continue with `diskwright undo {run}`.",
                            name=name,
                            run=run_argument(run),
                        )
                    )
            case Purpose.KEEP:
                if not self.keeps:
                    raise Refused(
                        t("Run {name} has no waiting result to keep. Nothing was written.", name=name)
                    )
            case Purpose.UNDO:
                if now is RunState.UNDONE:
                    raise Refused(UNDONE(name=name))

    def prepare(self, run: Path, asked: JobRequest) -> Prepared:
        """Prepare a request. Raises Refused if the run cannot continue that way."""
        raise NotImplementedError

    def ask(self, run: Path, purpose: Purpose) -> None:
        """Check a purpose without writing. Raises DiskwrightError if it is not possible now."""
        asked = JobRequest(purpose)
        self.check_possible(run, asked)
        self.prepare(run, asked).check()

    def apply(self, work: RunWork) -> Outcome:
        """Carry out the run, or the rest of it. Raises DiskwrightError."""
        raise NotImplementedError

    def undo(self, work: RunWork) -> Outcome:
        """Undo the run. Raises DiskwrightError."""
        raise NotImplementedError

    def keep(self, work: RunWork) -> Outcome:
        """Keep the result. Raises DiskwrightError."""
        raise NotImplementedError

    def describe_error(self, run: Path, error: DiskwrightError) -> str:
        """Describe an error that ended `apply`."""
        return str(error)

    def leave(self, work: RunWork, outcome: Outcome) -> None:
        """Close resources while the drives are still locked."""

    def ending(self, work: RunWork, outcome: Outcome) -> Outcome:
        """Return the outcome, which may change after the drives are unlocked."""
        return outcome

    def commands_when_done(self, run: Path) -> tuple[str, ...]:
        """Return the names of commands that settle a finished run. Empty if nothing waits."""
        return ()

    def power(self, run: Path) -> str:
        """Describe the effect of a power cut now; empty if unknown or the run is over. Raises BadInput."""
        return ""

    def why_not(self, run: Path, purpose: Purpose) -> Message | str | None:
        """Return why the run cannot be continued for this purpose, without "Nothing was written", or None if
        it can. Read-only."""
        try:
            self.ask(run, purpose)
        except DiskwrightError as error:
            return error.said if isinstance(error.said, Message) else str(error)
        return None


def hand_over(job: RunJob, run: Path, asked: JobRequest) -> int:
    """Check a request and start the run's process. Return the number of earlier journal entries.

    Raises Refused if a check fails, and Failed if the process cannot start.
    """
    check_root()
    check_owner(run)
    run_lock = lock_run(run)
    try:
        job.check_possible(run, asked)
        taking = job.prepare(run, asked)
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
    """Follow the journal past its first `seen` entries and return the last sentence.

    Raises Failed, with every failed check, unless the run ends as kept or undone according to `purpose`;
    Refused if the run refused; and EndedByUser on Ctrl+C.
    """
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
    """Return the error that ends a command while the run continues in the background."""
    return EndedByUser(
        t(
            "Ended by you. {doing} continues in the background; `diskwright status "
            "{run}` shows the progress.",
            doing=DOING[purpose](),
            run=run_argument(run),
        )
    )


def carry_out(job: RunJob, work: RunWork, next_commands: Callable[[Path, RunState], Message | str]) -> None:
    """Carry out a run in its own process. Journals errors instead of raising them, with the `next_commands`
    that are possible afterwards."""
    try:
        does = {Purpose.APPLY: job.apply, Purpose.UNDO: job.undo, Purpose.KEEP: job.keep}
        outcome = does[work.purpose](work)
    except DiskwrightError as error:
        outcome = _failure(job, work, error)
    job.leave(work, outcome)
    # Unlock before the last line: its reader may use the drives right away.
    unlock(work.drive_locks)
    event, sentence = job.ending(work, outcome)
    if event in (Event.FAILED, Event.STOPPED, Event.REFUSED):
        sentence = f"{sentence} {next_commands(work.run, ENDS[event])}".rstrip()
    work.journal.end(event, sentence)


def _failure(job: RunJob, work: RunWork, error: DiskwrightError) -> Outcome:
    if isinstance(error, Refused):
        return Event.REFUSED, str(error)
    sentence = job.describe_error(work.run, error) if work.purpose is Purpose.APPLY else str(error)
    return Event.FAILED, sentence


def check_told(
    wanted: Iterable[Message | str],
    told: Iterable[Message | str],
    again: str,
) -> None:
    """Raises Refused unless a document contains the expected sentences, in any order and language.

    `again` is the command that renews the document.
    """
    expected, found = tuple(wanted), tuple(told)
    if missing := next((one for one in expected if one not in found), None):
        fault = t('it lacks the expected text "{sentence}"', sentence=missing)
    elif foreign := next((one for one in found if one not in expected), None):
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
