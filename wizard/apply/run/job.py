"""Base of all kinds of runs: start or resume in a detached process, and end with one journal entry.

A kind of run is a subclass of `RunJob`.
"""

import os
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import closing
from enum import StrEnum
from pathlib import Path
from typing import Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from wizard.apply.engine.record import RESUMES_RUN, Phase, load_record, power_sentence
from wizard.apply.run import kinds, process, runs
from wizard.apply.run.backup_store import ANY, Environment
from wizard.apply.run.journal import Journal, RunState, begun_steps, fails_again, read_entries, state
from wizard.apply.run.process import UNDOING, Purpose
from wizard.apply.run.progress_log import either
from wizard.model.errors import BadInput, DiskwrightError, Failed, Refused
from wizard.model.run import Document, Event, WithSecret
from wizard.model.said import Message, Sentence, join, t, tn
from wizard.plan.changes import RunDocument
from wizard.plan.plan import PlanOperation, Step

D = TypeVar("D", bound=RunDocument)

READY = Sentence("{size:size} ready at {places:and}, writable by {who}.")
STOPPED = Sentence("Stopped before step {step} as requested.")
STEP_FAILED = Sentence("Step {step} of {steps} failed:")
NOT_WAITING = Sentence("Run {name} has no waiting result. Nothing was written.")
UNDO_UNFINISHED = Sentence("The undo of run {name} is unfinished. Continue with `diskwright undo {run}`.")
ALREADY = Sentence("Run {name} is already {state}.")
UNCHANGED = Sentence("Run {name} made no changes to undo.")
SHOWN_BY_STATUS = Sentence("`diskwright status {run}` shows the run.")
ANOTHER_DRIVE = Sentence("{fault:First}. Nothing was written.")
NOT_YET = t("Done, not in use yet: keep or undo the result.")


class Start(WithSecret, Struct, frozen=True):
    """How to start a new run: the tokens that confirm the drives, the folder for runs (None for the usual
    one), the passphrase of encrypted volumes. `keep`: keep the result as soon as it is written. `why_direct`:
    why the run cannot be rehearsed, empty if it can."""

    tokens: tuple[str, ...] = ()
    journal_dir: Path | None = None
    environment: Environment = ANY
    secret: bytes | None = None
    keep: bool = False
    why_direct: str = ""

    @property
    def folder(self) -> Path:
        """The folder for runs."""
        return runs.runs_folder(self.journal_dir)


def check_tokens(document: Document, tokens: Sequence[str]) -> None:
    """Raises Refused unless the tokens are exactly those of the drives, in any order."""
    if sorted(tokens) == sorted(document.tokens):
        return
    options = tuple(f"--confirm {token}" for token in document.tokens)
    wrong = next((token for token in tokens if token and token not in document.tokens), "")
    once = Sentence("To confirm writing to {devices:list}, add {options:row}, each exactly once.")
    mistaken = (t("'{token}' does not match.", token=wrong),) if wrong else ()
    raise process.refused(join(once(devices=document.devices, options=options), *mistaken))


def check_root() -> None:
    """Raises Refused unless the process is root."""
    if os.geteuid() != 0:
        raise process.refused(t("Root is required: use sudo."))


def begin(
    run: Path,
    purpose: Purpose,
    sentence: Message | str,
    drive_locks: Sequence[int],
    run_lock: int,
    secret: bytes | None = None,
) -> None:
    """Journal the start and launch the run's process. Raises Failed."""
    with closing(Journal(run)) as journal:
        journal.add(Event.STARTED, sentence)
    process.launch(run, purpose, drive_locks, run_lock, secret)


def carry_steps(
    work: "RunWork",
    total: int,
    steps: Iterable["TodoStep"],
    far: Callable[[], Message | str],
    describe: Callable[[Exception], str] = str,
    *,
    may_stop: bool = True,
) -> "Outcome | None":
    """Execute and journal steps. Return the outcome after an error or, if they `may_stop`, a stop request,
    with the progress according to `far`; or None."""
    journal = work.journal
    for number, sentence, does in steps:
        if may_stop and (work.run / process.STOP).exists():
            return Event.STOPPED, f"{STOPPED(step=number)} {far()}".rstrip()
        journal.add(Event.STEP_STARTED, sentence, step=number)
        try:
            done = does()
        except (DiskwrightError, OSError) as error:
            why = describe(error)
            journal.add(Event.STEP_FAILED, why, step=number)
            return Event.FAILED, f"{STEP_FAILED(step=number, steps=total)} {why} {far()}".rstrip()
        journal.add(Event.STEP_DONE, done or t("Done."), step=number)
    return None


TodoStep = tuple[int, Message | str, Callable[[], Message | str | None]]
"""A step to execute: its number from 1, its sentence, and a function that may return a summary."""

Locks = tuple[int, ...]
"""File descriptors with locks on drives."""

Outcome = tuple[Event, Message | str]
"""The last event of a run, and the sentence."""


class RunWork(WithSecret, Struct, frozen=True):
    """A run as its own process sees it. `secret` is the passphrase of encrypted volumes."""

    run: Path
    purpose: Purpose
    journal: Journal
    drive_locks: Locks
    secret: bytes | None = None


class JobRequest(WithSecret, Struct, frozen=True):
    """A request to continue a run. `over_changes`: undo even if other programs have changed the drive since;
    then `tokens` confirms the drives."""

    purpose: Purpose
    secret: bytes | None = None
    over_changes: bool = False
    tokens: tuple[str, ...] = ()


class Prepared(WithSecret, Struct, Generic[D], frozen=True):
    """How to continue a run: the document with current nodes, the drives to lock, the journal's sentence, the
    passphrase or key of encrypted volumes."""

    document: D
    drives: Collection[str]
    sentence: Message
    secret: bytes | None = None


LEFT_OFF = frozenset({RunState.FAILED, RunState.STOPPED, RunState.REFUSED, RunState.INTERRUPTED})
"""States from which a run can resume."""

ENDED = frozenset({RunState.DONE, RunState.UNDONE, RunState.KEPT})
"""States from which no run resumes."""


class NextCommands(Struct, frozen=True):
    """The commands that can continue a run now; `why_not` if there are none. `direct`: how far an ended run
    got directly on the drives."""

    names: tuple[str, ...] = ()
    why_not: Message | str = ""
    direct: Message | str = ""

    def said(self, run: Path) -> Message | str:
        """Join the command lines, or return why there are none."""
        return either(runs.command_on(way, run) for way in self.names) or self.why_not


class PendingWrites(Struct, frozen=True):
    """Steps, by number from 1, with which resuming a run overwrites data, and a summary. Empty if none."""

    steps: tuple[tuple[int, Step[PlanOperation]], ...] = ()
    said: Message | str = ""


class Rollback(StrEnum):
    """Possibility of undo. CLOSED: the filesystem was written to since. UNKNOWN: the device is unreadable."""

    OPEN = "open"
    CLOSED = "closed"
    UNKNOWN = "unknown"


class RollbackState(Struct, frozen=True):
    """Possibility of undo. `since`: the mount for writing that made undo impossible, in seconds since 1970,
    or 0."""

    back: Rollback
    sentence: str
    since: int = 0

    @property
    def closed(self) -> str:
        """The sentence if undo is impossible, else empty."""
        return self.sentence if self.back is Rollback.CLOSED else ""


STARTS = {
    Purpose.APPLY: Sentence("Resuming the run on {devices:list}."),
    Purpose.KEEP: Sentence("Keeping the result on {devices:list}."),
    Purpose.UNDO: Sentence("Undoing the run on {devices:list}."),
}
"""First journal sentence of a process that continues a run."""


class RunJob(Generic[D]):
    """A kind of run. Starts, resumes, keeps and undoes runs of every kind; subclasses define what differs.
    Methods that read a run's files raise BadInput."""

    kind: kinds.RunKind[D]

    # New runs.

    def check_document(self, document: D) -> None:
        """Raises BadInput or Refused unless the document is consistent."""
        self.kind.documents.check(document)

    def check_confirmed(self, document: D, how: Start) -> None:
        """Raises Refused unless the tokens confirm the drives."""
        check_tokens(document, how.tokens)

    def own_drives(
        self, document: D, environment: Environment, run: Path | None = None, *, undoing: bool = False
    ) -> Collection[str]:
        """Return the drives to lock. Raises Refused if the document may not write there. `run` is None for a
        new run."""
        raise NotImplementedError

    def check_requirements(self, document: D, how: Start) -> None:
        """Raises Refused if tools are missing, for a wrong folder of the run or journal, or if the document's
        explanations are outdated. Called without the locks, with which the drive would look open in another
        program."""

    def room_bytes(self, document: D) -> int:
        """Return the space that a run needs free at the start, besides the journal."""
        return 0

    def lock(self, document: D, drives: Collection[str], run: Path | None = None) -> Locks:
        """Lock the drives of a new run, or of `run`. Raises Refused or BadInput."""
        return process.lock_drives(drives)

    def check_new(self, document: D) -> None:
        """Raises Refused unless the drives and their contents are those of the document. Requires the
        locks."""
        raise NotImplementedError

    def lock_new(self, document: D, how: Start, *, make: bool) -> Locks:
        """Run all checks of a new run, and return the locks of the drives. Writes only with `make`. Raises
        Refused or BadInput."""
        self.check_document(document)
        self.check_confirmed(document, how)
        check_root()
        drives = self.own_drives(document, how.environment)
        self.check_requirements(document, how)
        runs.check_room(how.folder, self.room_bytes(document), make=make)
        process.settle()
        locks = self.lock(document, drives)
        try:
            self.check_new(document)
        except BaseException:
            process.unlock(locks)
            raise
        return locks

    def preflight_unprivileged(self, document: D, how: Start) -> None:
        """Run the checks of `preflight` that need no root. Raises as that does."""

    def preflight(self, document: D, how: Start) -> None:
        """Run all checks of a new run as if it were confirmed, without writing. Raises as `lock_new` does."""
        process.unlock(self.lock_new(document, replace(how, tokens=document.tokens), make=False))

    def make(self, document: D, how: Start) -> Path:
        """Create the folder of a new run."""
        text = self.kind.documents.render(document)
        return runs.make_run(how.folder, document.devices, self.kind.file, text, how.environment)

    def start(self, document: D, how: Start) -> Path:
        """Start a run in a detached process and return its folder. Raises as `lock_new` does. Nothing was
        written to the drives then."""
        drive_locks = self.lock_new(document, how, make=True)
        applying = tn(
            "Applying {count} step to {devices:list}.",
            "Applying {count} steps to {devices:list}.",
            count=len(document.sentences),
            devices=document.devices,
        )
        try:
            run = self.make(document, how)
            run_lock = process.lock_run(run)
            try:
                begin(run, Purpose.APPLY, applying, drive_locks, run_lock, how.secret)
            finally:
                os.close(run_lock)
        except Failed as error:
            raise process.refused(error) from None
        finally:
            process.unlock(drive_locks)
        return run

    # Existing runs.

    def located(self, run: Path) -> D:
        """Return the document of a run with current nodes. Raises Refused if they are not clear."""
        return self.kind.load(run)

    def owned(self, run: Path, *, undoing: bool = False) -> tuple[D, Collection[str]]:
        """Return the document of a run with current nodes, and the drives to lock. Raises Refused if they are
        not clear or not the run's."""
        document = self.located(run)
        return document, self.own_drives(document, runs.load_environment(run), run, undoing=undoing)

    def has_begun(self, run: Path) -> bool:
        """Return True if a run has started to write."""
        return bool(begun_steps(read_entries(run)))

    def check_possible(self, run: Path, asked: JobRequest) -> None:
        """Raises Refused if the kind or the state of the run does not allow the request."""
        now, name = state(run), run.name
        if asked.over_changes:
            raise process.refused(t("Undo of run {name} never overwrites later changes.", name=name))
        match asked.purpose:
            case Purpose.APPLY:
                if now in ENDED:
                    raise Refused(
                        t("Run {name} is {state}; no steps remain to resume.", name=name, state=now)
                    )
                if (run / UNDOING).exists():
                    raise process.refused(UNDO_UNFINISHED(name=name, run=runs.run_argument(run)))
            case Purpose.KEEP:
                raise Refused(NOT_WAITING(name=name))
            case Purpose.UNDO:
                if now is RunState.UNDONE:
                    raise Refused(ALREADY(name=name, state=now))
                if not self.has_begun(run):
                    raise Refused(UNCHANGED(name=name))

    def check_continues(self, run: Path, document: D, purpose: Purpose) -> None:
        """Raises Refused unless the drives are as the run left them. Requires the locks."""

    def prepare(self, run: Path, asked: JobRequest) -> Prepared[D]:
        """Prepare a request. Raises Refused if the run cannot continue that way."""
        document, drives = self.owned(run, undoing=asked.purpose is Purpose.UNDO)
        return Prepared(document, drives, STARTS[asked.purpose](devices=document.devices))

    def ask(self, run: Path, purpose: Purpose) -> None:
        """Check a purpose without writing. Raises DiskwrightError."""
        asked = JobRequest(purpose)
        self.check_possible(run, asked)
        self.check_continues(run, self.prepare(run, asked).document, purpose)

    def apply(self, work: RunWork) -> Outcome:
        """Carry out the run, or the rest of it. Raises DiskwrightError."""
        raise NotImplementedError

    def undo(self, work: RunWork) -> Outcome:
        """Undo the run. Raises DiskwrightError."""
        raise NotImplementedError

    def keep(self, work: RunWork) -> Outcome:
        """Keep the result. Raises DiskwrightError."""
        raise NotImplementedError

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

    def commands(self, run: Path, now: RunState) -> tuple[Purpose, ...]:
        """Return the commands that can continue a run, judged by the state and files."""
        if now is RunState.WAITING:
            return (Purpose.KEEP, Purpose.UNDO)
        if now not in LEFT_OFF:
            return ()
        is_stuck = (run / UNDOING).exists() or fails_again(run)
        return (Purpose.UNDO,) if is_stuck else (Purpose.APPLY, Purpose.UNDO)

    def working_commands(self, run: Path, now: RunState) -> NextCommands:
        """Check which commands can continue a run, without writing. Only root can check."""
        names = self.commands(run, now)
        if os.geteuid():
            return NextCommands(names)
        works, refusals = list[str](), list[Message | str]()
        for name in names:
            try:
                self.ask(run, name)
                works.append(name)
            except DiskwrightError as error:
                refusals.append(error.said if isinstance(error.said, Message) else str(error))
        return NextCommands(tuple(works), "" if works or not refusals else refusals[0])

    def next_commands(self, run: Path, now: RunState) -> Message | str:
        """Describe the commands that can continue an ended run. Empty if it was refused before the first
        write."""
        try:
            if now is RunState.REFUSED and not begun_steps(read_entries(run)):
                return ""
            names = self.working_commands(run, now).names
        except BadInput:
            names = ()
        shown = runs.run_argument(run)
        found = [
            t("`diskwright undo {run}` reverts the changes.", run=shown)
            if name == "undo"
            else RESUMES_RUN(command=name, run=shown)
            for name in names
        ]
        return join(*found) if found else SHOWN_BY_STATUS(run=shown)

    def rollback(self, run: Path) -> RollbackState | None:
        """Return how an ended run can be undone, or None if use of the filesystem is irrelevant."""
        return None

    def relocated(self, run: Path) -> dict[str, str]:
        """Return the drives of a run that have other nodes now, by old node."""
        return {}

    def pending_writes(self, run: Path) -> PendingWrites:
        """Return what resuming a run would overwrite."""
        return PendingWrites()

    def wants_passphrase(self, run: Path, *, keeps: bool = False) -> bool:
        """Return True if resuming a run, or keeping it, needs the passphrase or key of encrypted volumes.
        Raises Refused if there is nothing to keep."""
        return False

    def phase(self, run: Path) -> Phase | None:
        """Return the phase of a rehearsed run that waits for keep or undo, or None."""
        record = load_record(run)
        return None if record is None or not record.waits else record.phase

    def power(self, run: Path) -> str:
        """Describe the effect of a power cut now; empty if unknown or the run is over."""
        record = load_record(run)
        if record is None or (record.phase is Phase.KEPT and state(run) in (RunState.DONE, RunState.KEPT)):
            return ""
        return power_sentence(record.phase, ", ".join(kinds.load(run).devices), waits=record.waits)
