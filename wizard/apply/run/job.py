"""Base of all kinds of runs: start or resume in a detached process, and end with one journal entry.

A kind of run is a subclass of `RunJob`.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Generic, TypeVar

from wizard.apply.engine.record import RESUMES_RUN, Phase, load_record, power_sentence
from wizard.apply.run import process
from wizard.apply.run.backup_store import ANY, Environment
from wizard.apply.run.journal import Journal, RunState, begun_steps, fails_again, read_entries, state
from wizard.apply.run.load import kind_for, load, render_any
from wizard.apply.run.process import UNDOING, Purpose, launch, lock_run, unlock
from wizard.apply.run.progress_log import Settling, either
from wizard.apply.run.runs import command_on, make_run, run_argument, runs_folder
from wizard.model.errors import BadInput, DiskwrightError, Failed, Refused, printable
from wizard.model.run import Document, Event
from wizard.model.said import Message, Sentence, join, t
from wizard.plan.changes import RunDocument
from wizard.plan.plan import PlanOperation, Step

READY = Sentence("{size:size} ready at {places:and}, writable by {who}.")
STOPPED = Sentence("Stopped before step {step} as requested.")
STEP_FAILED = Sentence("Step {step} of {steps} failed:")
RESULT_RUNNING = Sentence("The run is still in progress.")
UNDONE = Sentence("Run {name} is already undone.")
UNCHANGED = Sentence("Run {name} made no changes to undo.")
KEPT = Sentence("Run {name} is already kept.")
NOTHING_TO_RESUME = Sentence("Run {name} is {state}; no steps remain to resume.")
SHOWN_BY_STATUS = Sentence("`diskwright status {run}` shows the run.")
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


def carry_steps(
    run: Path,
    journal: Journal,
    total: int,
    steps: Iterable[tuple[int, Message | str, Callable[[], Message | str]]],
    far: Callable[[], Message | str],
    describe: Callable[[Exception], str] = str,
) -> "Outcome | None":
    """Execute steps: number from 1, sentence, function. Return the outcome after a stop request or an error,
    with the progress according to `far`, or None."""
    for number, sentence, work in steps:
        if (run / process.STOP).exists():
            return Event.STOPPED, f"{STOPPED(step=number)} {far()}".rstrip()
        if why := journal.step(number, sentence, work, describe):
            return Event.FAILED, f"{STEP_FAILED(step=number, steps=total)} {why} {far()}".rstrip()
    return None


Locks = tuple[int, ...]
"""File descriptors with locks on drives."""

Outcome = tuple[Event, str]
"""The last event of a run, and its sentence."""


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


LEFT_OFF = frozenset({RunState.FAILED, RunState.STOPPED, RunState.REFUSED, RunState.INTERRUPTED})
"""States from which a run can resume."""

PURPOSES = {"resume": Purpose.APPLY, Settling.KEEP: Purpose.KEEP, Settling.UNDO: Purpose.UNDO}


@dataclass(frozen=True, slots=True)
class NextCommands:
    """Names of the commands that can continue a run now; `why_not` if there are none."""

    names: tuple[str, ...] = ()
    why_not: Message | str = ""

    def said(self, run: Path) -> Message | str:
        """Join the command lines, or return why there are none."""
        return either(command_on(way, run) for way in self.names) or self.why_not


@dataclass(frozen=True, slots=True)
class PendingWrites:
    """Steps, by number from 1, with which resuming a run overwrites data, and a summary. Empty if none."""

    steps: tuple[tuple[int, Step[PlanOperation]], ...] = ()
    said: Message | str = ""


class Rollback(StrEnum):
    """Possibility of undo.

    OPEN: the run can be undone. CLOSED: the filesystem was written to since. UNKNOWN: the device is
    unreadable.
    """

    OPEN = "open"
    CLOSED = "closed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class RollbackState:
    """Possibility of undo, with a sentence.

    `since` is the last mount for writing, in seconds since 1970, if the mount made undo impossible, else 0.
    """

    back: Rollback
    sentence: str
    since: int = 0


D = TypeVar("D", bound=RunDocument)


class RunJob(Generic[D]):
    """A kind of run. Subclasses define what differs. Methods that read a run's files raise BadInput."""

    keeps = False
    """True if a result can wait to be kept."""

    overwrites = False
    """True if undo can overwrite later changes by other programs."""

    explains = False
    """True if documents have explanations that may be outdated."""

    ended = frozenset({RunState.DONE, RunState.UNDONE, RunState.KEPT})
    """States from which no run resumes."""

    def lock_new(self, document: D, how: Start, *, make: bool) -> Locks:
        """Run all checks of a new run, and return the locks of the drives. Only writes with `make`. Raises
        Refused or BadInput for the first check that fails."""
        raise NotImplementedError

    def begun(self, document: D) -> Message:
        """Return the first message of the journal."""
        raise NotImplementedError

    def check_explained(self, document: D, environment: Environment) -> None:
        """Raises Refused if the explanations in a document are not the current ones."""

    def described_for(self, document: D, environment: Environment) -> D:
        """Return the document with the texts for an environment, which may use another fstab."""
        return document

    def preflight_unprivileged(self, document: D, how: Start) -> None:
        """Run the checks of `preflight` that need no root. Raises as that does."""

    def preflight(self, document: D, how: Start) -> None:
        """Run all checks of a new run, without writing. Raises as `lock_new` and `check_explained` do."""
        unlock(self.lock_new(document, how, make=False))
        self.check_explained(document, how.environment)

    def start(self, document: D, how: Start) -> Path:
        """Start a run in a detached process and return its folder. Raises as `preflight` does."""
        if self.explains:
            self.preflight(document, how)
        check_tokens(document, how.tokens)
        locks = self.lock_new(document, how, make=True)
        file, text = kind_for(document), render_any(document)
        make = partial(make_run, how.folder, document.devices, file, text, how.environment)
        return begin_new(make, self.begun(document), locks)

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

    def is_meant(self, run: Path, command: str, now: RunState) -> bool:
        """Return True if `command` without a name could mean this run, which is not undone or kept."""
        return command == "undo" or (command == "resume" and now is not RunState.DONE)

    def is_direct(self, run: Path) -> bool:
        """Return True if the run works directly on the drives, without undo."""
        return False

    def describe_direct(self, run: Path, now: RunState) -> Message | str:
        """Describe how far a direct run got, and what can be done. Empty for others, and before it ends."""
        return ""

    def commands(self, run: Path, now: RunState) -> tuple[str, ...]:
        """Return the names of commands that can continue a run, judged by its state and files."""
        if now is RunState.WAITING:
            return tuple(Settling)
        if now not in LEFT_OFF:
            return ()
        if (run / UNDOING).exists() or fails_again(read_entries(run)):
            return ("undo",)
        return ("resume", "undo")

    def working_commands(self, run: Path, now: RunState) -> NextCommands:
        """Check which commands can continue a run, without writing. Only root can check."""
        names = self.commands(run, now)
        if os.geteuid():
            return NextCommands(names)
        faults = {name: self.why_not(run, PURPOSES[name]) for name in names}
        works = tuple(name for name in names if faults[name] is None)
        fault = next((fault for fault in faults.values() if fault), "")
        return NextCommands(works, "" if works or not fault else self.last_resort(run, fault))

    def last_resort(self, run: Path, fault: Message | str) -> Message | str:
        """Return why no command can continue a run, and the command that overwrites later changes."""
        return fault

    def next_commands(self, run: Path, now: RunState) -> Message | str:
        """Describe the commands that can continue an ended run. Empty if it was refused before the first
        write: start it again."""
        try:
            if now is RunState.REFUSED and not begun_steps(read_entries(run)):
                return ""
            names = self.working_commands(run, now).names
        except BadInput:
            names = ()
        undo = Sentence("`diskwright undo {run}` reverts the changes.")
        found = [
            undo(run=run_argument(run))
            if name == Settling.UNDO
            else RESUMES_RUN(command=name, run=run_argument(run))
            for name in names
        ]
        return join(*found) if found else SHOWN_BY_STATUS(run=run_argument(run))

    def rollback(self, run: Path) -> RollbackState | None:
        """Return True if an ended run can be undone, or None if use of the filesystem is irrelevant."""
        return None

    def relocated(self, run: Path) -> dict[str, str]:
        """Return the drives of a run that have other nodes now, by old node."""
        return {}

    def pending_writes(self, run: Path) -> PendingWrites:
        """Return what resuming a run would overwrite."""
        return PendingWrites()

    def wants_passphrase(self, run: Path, *, keeps: bool = False) -> bool:
        """Return True if resuming a run, or keeping it, needs the passphrase or key of encrypted volumes.
        Raises Refused if the run has nothing to keep."""
        return False

    def phase(self, run: Path) -> Phase | None:
        """Return the phase of a rehearsed run that waits for keep or undo, or None."""
        record = load_record(run)
        return None if record is None or not record.waits else record.phase

    def power(self, run: Path) -> str:
        """Describe the effect of a power cut now; empty if unknown or the run is over."""
        record = load_record(run)
        if record is None:
            return self.power_unrecorded(run)
        if record.phase is Phase.KEPT and state(run) in (RunState.DONE, RunState.KEPT):
            return ""
        return power_sentence(record.phase, ", ".join(load(run).devices), waits=record.waits)

    def power_unrecorded(self, run: Path) -> str:
        """Return `power` of a run without a scratch copy."""
        return ""

    def why_not(self, run: Path, purpose: Purpose) -> Message | str | None:
        """Return why the run cannot be continued for this purpose, without "Nothing was written", or None if
        it can. Read-only."""
        try:
            self.ask(run, purpose)
        except DiskwrightError as error:
            return error.said if isinstance(error.said, Message) else str(error)
        return None
