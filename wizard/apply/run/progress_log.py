"""Progress of a run's current step, in a small file next to the journal. For display only.

Also offers the decisions for an interrupted run.
"""

import errno
import json
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import reduce
from pathlib import Path
from tempfile import TemporaryFile
from time import monotonic

from msgspec import Struct
from msgspec.structs import asdict

from wizard.apply.engine.record import Phase, load_record, power_sentence
from wizard.apply.run import journal, process
from wizard.apply.run.runs import run_argument
from wizard.documents.codec import from_json
from wizard.model.errors import BadInput, Refused
from wizard.model.run import Event, JournalEntry
from wizard.model.said import Message, join, t

FILE = "progress.json"

NOTE_SECONDS = 0.5
"""The shortest interval between two updates of the file."""

WHOLE = (0.0, 1.0)

Progress = Callable[[float], None]
"""Receives the share done, from 0 to 1."""


class StepProgress(Struct, frozen=True):
    """Progress of a step.

    `step` counts from 1; 0 is for work before the first or after the last step, such as checks. `share` is
    between 0 and 1. `rate` is in bytes per second. `seconds_left` and `rate` are None if unknown.
    """

    step: int
    share: float
    seconds_left: float | None = None
    rate: float | None = None


class RunStatus(Struct, frozen=True):
    """Progress of the step, phase of a rehearsed plan, and effect of a power cut now."""

    progress: StepProgress | None = None
    phase: Phase | None = None
    power: str = ""


def note_progress(run: Path, progress: StepProgress) -> None:
    """Replace the progress file atomically. Not synced; ignores failures."""
    new = run / f"{FILE}.new"
    with suppress(OSError):
        # Readable only by root, like all files of a run.
        new.touch(mode=0o600)
        new.write_text(json.dumps(asdict(progress)), "utf-8")
        new.replace(run / FILE)


def read_progress(run: Path) -> StepProgress | None:
    """Return the last saved progress, or None if it is missing or invalid."""
    try:
        progress = from_json(json.loads((run / FILE).read_text("utf-8")), StepProgress, FILE)
    except (OSError, ValueError, RecursionError, BadInput):
        return None
    return progress if 0 <= progress.share <= 1 and (progress.seconds_left or 0) >= 0 else None


def noting(
    run: Path, step: int = 0, part: tuple[float, float] = WHOLE, size_bytes: int | None = None
) -> Progress:
    """Return a function that saves the progress of work that starts now, at most every NOTE_SECONDS.

    `part` is the range of the step that this work covers, and `size_bytes` the amount it moves, if known. The
    time left assumes the same speed for the whole step.
    """
    begun = told = monotonic()
    low, high = part
    note_progress(run, StepProgress(step, low))

    def note(share: float) -> None:
        nonlocal told
        now = monotonic()
        if share and now >= told + NOTE_SECONDS:
            told = now
            of_all = low + (high - low) * share
            left = (now - begun) * (1 - of_all) / (of_all - low)
            rate = None if size_bytes is None else size_bytes * share / (now - begun)
            note_progress(run, StepProgress(step, of_all, left, rate))

    return note


class Tally:
    """Count bytes and report the share done. Reports nothing before `begin`."""

    def __init__(self, progress: Progress = lambda _: None, all_bytes: int = 1) -> None:
        self.begin(progress, all_bytes)

    def begin(self, progress: Progress, all_bytes: int) -> None:
        """Start at 0. `all_bytes` is the expected total."""
        self._progress, self._bytes, self._done = progress, max(1, all_bytes), 0

    def __call__(self, size_bytes: int) -> None:
        """Count more bytes."""
        self._done += size_bytes
        self._progress(min(self._done / self._bytes, 1.0))


def part_of(progress: Progress, begin: float, end: float) -> Progress:
    """Map the progress of a part, from `begin` to `end`, to the whole."""
    return lambda share: progress(begin + share * (end - begin))


def known_so_far(run: Path) -> str:
    """Describe what the journal shows about the drive. Steps are journaled before they start."""
    try:
        entries = journal.read_entries(run)
        record = load_record(run)
    except BadInput as error:
        return str(error)
    if record is not None:
        return power_sentence(record.phase, "its drives", waits=record.waits)
    begun, done = journal.begun_steps(entries), journal.done_steps(entries)
    if not begun:
        return str(t("According to the journal, the run started no step and has not written to the drive."))
    return str(
        t(
            "According to the journal, steps started: {begun:list}; finished: {done:list}.",
            begun=tuple(sorted(begun)),
            done=tuple(sorted(done)) or t("none"),
        )
    )


def journal_fault(run: Path) -> str:
    """Return why the journal is not writable, with the state of the drive and advice; empty if it is
    writable."""
    # After an error, ext4 can still claim to be writable, so write.
    try:
        with TemporaryFile(dir=run) as file:
            file.write(b"\n")
            file.flush()
            os.fsync(file.fileno())
        return ""
    except FileNotFoundError:
        return ""
    except OSError as error:
        why = t("the filesystem is read-only") if error.errno == errno.EROFS else str(error.strerror)
    on = t(
        "If the filesystem turned read-only by itself, the disk may be failing: check the kernel log first. "
        "When the filesystem is writable again (mount -o remount,rw), `diskwright resume {run}` continues. "
        "`diskwright undo {run}` undoes as much as possible.",
        run=run_argument(run),
    )
    return f"{journal.NOT_NOTED(run=run, why=why)} {known_so_far(run)} {on}"


def check_noted(run: Path) -> None:
    """Raises Refused if the journal is not writable: then nothing may be done to the drive."""
    if fault := journal_fault(run):
        raise Refused(fault, t("Nothing was written now."))


TELL_SECONDS = 15.0
"""The shortest interval between two lines, so a step of hours does not scroll away everything else."""


def progress_sentence(progress: StepProgress) -> str:
    """Describe the progress of the current step, or of checks around the steps."""
    what = t("Step {step}", step=progress.step) if progress.step else t("Reading or checking")
    percent, left = int(100 * progress.share), progress.seconds_left
    if left is None:
        said = t("{what} is at {percent} percent.", what=what, percent=percent)
    elif progress.rate is None or not progress.step:
        said = t("{what} is at {percent} percent, {left:time} left.", what=what, percent=percent, left=left)
    else:
        said = t(
            "{what} is at {percent} percent, {left:time} left, at {rate:size} a second.",
            what=what,
            percent=percent,
            left=left,
            rate=int(progress.rate),
        )
    return str(said)


class ProgressPrinter:
    """Print progress while following a run. `read` returns the progress, `tell` prints a sentence."""

    def __init__(
        self,
        read: Callable[[], StepProgress | None],
        tell: Callable[[str], None],
        every_seconds: float = TELL_SECONDS,
    ) -> None:
        self._read, self._tell, self._every = read, tell, every_seconds
        self._at_work = 0
        self._known: StepProgress | None = None
        self._due = monotonic() + every_seconds

    def handle(self, entry: JournalEntry) -> None:
        """Restart the interval: another line is printed for this entry."""
        if entry.event is Event.STEP_STARTED:
            self._at_work = entry.step
        elif entry.event in (Event.STEP_DONE, Event.STEP_FAILED):
            self._at_work = 0
        self._due = monotonic() + self._every

    def __call__(self) -> None:
        """Print the progress if it is due, belongs to the current step and has changed. Unchanged progress is
        from an earlier step."""
        if monotonic() < self._due:
            return
        self._due = monotonic() + self._every
        before, self._known = self._known, self._read()
        if self._known is not None and self._known != before and self._known.step == self._at_work:
            self._tell(progress_sentence(self._known))


def how_far(done: frozenset[int], total: int) -> Message:
    """Count the finished steps."""
    return t("{done} of {total} steps are done.", done=len(done), total=total)


def reached(run: Path, total: int) -> Message | str:
    """Report how many steps of a run are done, or an unchanged drive if no step has started."""
    try:
        entries = journal.read_entries(run)
    except BadInput as error:
        return str(error)
    done = how_far(journal.done_steps(entries), total)
    return done if journal.begun_steps(entries) else join(done, process.NOTHING_WRITTEN)


def either(commands: Iterable[str]) -> Message | str:
    """Join alternatives, as in `this, or that`."""
    found: list[Message | str] = [*commands]
    return reduce(lambda first, other: t("{first}, or {other}", first=first, other=other), found or [""])
