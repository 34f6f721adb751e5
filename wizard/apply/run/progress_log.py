"""Progress of a run's current step, in a small file next to the journal. For display only.

Also offers the decisions for an interrupted run.
"""

import errno
import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import reduce
from pathlib import Path
from time import monotonic

from wizard.apply.engine.record import load_record, power_sentence
from wizard.apply.run.journal import read_entries
from wizard.apply.run.runs import command_on, run_argument
from wizard.model.errors import BadInput, Refused, printable
from wizard.model.ext import Event, JournalEntry
from wizard.model.said import Message, Sentence, join, t, tn

FILE = "progress.json"

NOTE_SECONDS = 0.5
"""How far a step is, is noted no more often."""

WHOLE = (0.0, 1.0)

Progress = Callable[[float], None]
"""Is told which part is done, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class StepProgress:
    """Of step `step`, which counts from 1, the part `share` is done, from 0 to 1; None in `seconds_left`
    where nobody can tell yet. Step 0 is what comes before the first, or behind the last: reading, checking,
    putting in place. `rate` is how many bytes a second it moves, None where nobody counts them.
    """

    step: int
    share: float
    seconds_left: float | None = None
    rate: float | None = None


def note_progress(run: Path, progress: StepProgress) -> None:
    """Put it beside the run's journal, whole or not at all. It is not made to outlive a power cut, and a
    failure is nobody's loss."""
    new = run / f"{FILE}.new"
    noted = asdict(progress)
    try:
        # Like everything in a run: for root alone.
        new.touch(mode=0o600)
        new.write_text(json.dumps(noted), "utf-8")
        new.replace(run / FILE)
    except OSError:
        return


def read_progress(run: Path) -> StepProgress | None:
    """What was noted last; None where nothing was, or nothing that makes sense."""
    try:
        said = json.loads((run / FILE).read_text("utf-8"))
        left, rate = (None if one is None else float(one) for one in (said["seconds_left"], said.get("rate")))
        progress = StepProgress(int(said["step"]), float(said["share"]), left, rate)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return (
        progress
        if 0 <= progress.share <= 1 and (progress.seconds_left is None or progress.seconds_left >= 0)
        else None
    )


def noting(
    run: Path, step: int = 0, part: tuple[float, float] = WHOLE, size_bytes: int | None = None
) -> Progress:
    """Notes which share, from 0 to 1, of what begins now is done, not too often. It is `part` of its step,
    from where to where, and moves `size_bytes` where that is known.

    What is left is told as if the whole step went as fast as this.
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
    """Counts bytes that are read or written, and tells which part of them is done; nothing where nobody has
    begun to count."""

    def __init__(self) -> None:
        self._progress: Progress | None = None
        self._bytes, self._done = 1, 0

    def begin(self, progress: Progress, all_bytes: int) -> None:
        """Count from 0; `all_bytes` is about how many there will be."""
        self._progress, self._bytes, self._done = progress, max(1, all_bytes), 0

    def __call__(self, size_bytes: int) -> None:
        """So many more are done."""
        self._done += size_bytes
        if self._progress is not None:
            self._progress(min(self._done / self._bytes, 1.0))


def part_of(progress: Progress, begin: float, end: float) -> Progress:
    """Tells of a part of the work as of the whole."""
    return lambda share: progress(begin + share * (end - begin))


NOTHING_WRITTEN_NOW = t("Nothing was written now.")
NOT_NOTED = Sentence("Cannot write the journal in {run}: {why}.")


def known_so_far(run: Path) -> str:
    """What the journal tells of the drive. A step is on the journal's medium before it begins, so none ran
    that is not in it."""
    try:
        entries = read_entries(run)
        record = load_record(run)
    except BadInput as error:
        return str(error)
    if record is not None:
        return power_sentence(record.phase, "its drives", waits=record.waits)
    begun = {entry.step for entry in entries if entry.event is Event.STEP_STARTED}
    done = {entry.step for entry in entries if entry.event is Event.STEP_DONE}
    if not begun:
        return str(t("According to the journal, the run started no step and has not written to the drive."))
    left = begun - done
    said = (
        [
            tn(
                "step {steps:list} is done",
                "steps {steps:list} are done",
                count=len(done),
                steps=(*sorted(done),),
            )
        ]
        if done
        else []
    )
    said += (
        [
            tn(
                "step {steps:list} was started but not finished",
                "steps {steps:list} were started but not finished",
                count=len(left),
                steps=(*sorted(left),),
            )
        ]
        if left
        else []
    )
    return str(t("According to the journal, {steps:and}; no later step was started.", steps=(*said,)))


def journal_fault(run: Path) -> str:
    """Why nothing can be noted in a run's folder, what is known of its drive, and what to do; empty where it
    can be written to."""
    error = _tried(run)
    if error is None:
        return ""
    folder = printable(str(run), 200)
    why = t("the filesystem is read-only") if error.errno == errno.EROFS else str(error.strerror)
    on = join(
        t(
            "If the filesystem turned read-only by itself, the disk may be failing: "
            "check the kernel log first."
        ),
        t(
            "When the filesystem is writable again (mount -o remount,rw), `diskwright "
            "resume {run}` continues. `diskwright undo {run}` undoes as much as possible.",
            run=run_argument(run),
        ),
    )
    return f"{NOT_NOTED(run=folder, why=why)} {known_so_far(run)} {on}"


def _tried(run: Path) -> OSError | None:
    """What stands against writing there. It is tried: an ext4 that met an error still says that it can be
    written to."""
    trial = run / f".noted-{os.getpid()}"
    try:
        fd = os.open(trial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        try:
            os.write(fd, b"\n")
            os.fsync(fd)
        finally:
            os.close(fd)
            trial.unlink()
    except FileNotFoundError:
        return None
    except OSError as error:
        return error
    return None


def check_noted(run: Path) -> None:
    """Raises Refused where nothing can be noted in the run's journal: then nothing may be done with its
    drive."""
    if fault := journal_fault(run):
        raise Refused(f"{fault} {NOTHING_WRITTEN_NOW}")


TELL_SECONDS = 15.0
"""A line is told no more often: a step of hours is not to push everything else off the screen."""


def progress_sentence(progress: StepProgress) -> str:
    """How far the step at work is, or what is read and checked around the steps."""
    percent, left = int(100 * progress.share), progress.seconds_left
    if progress.step and left is not None and progress.rate is not None:
        return str(
            t(
                "Step {step} is at {percent} percent, {left:time} left, at {rate:size} a second.",
                step=progress.step,
                percent=percent,
                left=left,
                rate=int(progress.rate),
            )
        )
    if progress.step:
        at = t("Step {step} is at {percent} percent.", step=progress.step, percent=percent)
        return str(
            at
            if left is None
            else t(
                "Step {step} is at {percent} percent, {left:time} left.",
                step=progress.step,
                percent=percent,
                left=left,
            )
        )
    return str(
        t("Reading or checking is at {percent} percent.", percent=percent)
        if left is None
        else t(
            "Reading or checking is at {percent} percent, {left:time} left.",
            percent=percent,
            left=left,
        )
    )


class Telling:
    """Asked as often as one likes while a run is followed. `read` gives the run's progress, `tell` takes a
    sentence on it."""

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

    def heard(self, entry: JournalEntry) -> None:
        """Something stands in the journal, which is told by others: so the next word on progress has time."""
        if entry.event is Event.STEP_STARTED:
            self._at_work = entry.step
        elif entry.event in (Event.STEP_DONE, Event.STEP_FAILED):
            self._at_work = 0
        self._due = monotonic() + self._every

    def __call__(self) -> None:
        """Say how far it is where that is due, is of what is at work, and goes on: what stands still was left
        by what is over."""
        if monotonic() < self._due:
            return
        self._due = monotonic() + self._every
        before, self._known = self._known, self._read()
        if self._known is not None and self._known != before and self._known.step == self._at_work:
            self._tell(progress_sentence(self._known))


def how_far(done: frozenset[int], total: int) -> Message:
    """Which steps of a run are done and which are not, by their numbers from 1, as a sentence."""
    left = frozenset(range(1, total + 1)) - done
    return t("Done: {done}; not done: {left}.", done=_numbered(done), left=_numbered(left))


def _numbered(numbers: frozenset[int]) -> Message:
    """`steps 1 to 3` for steps in a row, which they always are."""
    if not numbers:
        return t("none")
    low, high = min(numbers), max(numbers)
    return (
        t("step {number}", number=low) if low == high else t("steps {first} to {last}", first=low, last=high)
    )


class Settling(StrEnum):
    """The two ways to settle it; each is a command, too."""

    KEEP = "keep"
    UNDO = "undo"


@dataclass(frozen=True, slots=True)
class SettlingChoice:
    """One of the ways that can be had: the question that is asked before it, what it means, and why it takes
    the passphrase of what is encrypted; empty where it takes none."""

    way: Settling
    question: str
    means: str
    why_secret: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """The ways that can be had now, none where nothing is left to settle; `resumes`: the run can be gone on
    with; `look` says how what was made is looked at without ending the way back. `settled`: nothing waits for
    a word, though there is still a way back. `bad_sectors`: the places that it stopped at, which can be gone
    over; none otherwise.
    """

    choices: tuple[SettlingChoice, ...] = ()
    resumes: bool = False
    look: str = ""
    settled: bool = False
    bad_sectors: tuple[Message, ...] = ()

    def of(self, way: Settling) -> SettlingChoice | None:
        """This way, where it can be had."""
        return next((choice for choice in self.choices if choice.way is way), None)

    @property
    def is_open(self) -> bool:
        """Whether the run waits for a word."""
        return not self.settled and (self.resumes or bool(self.choices))

    def later(self, run: Path) -> str:
        """By which commands each can be done another time."""
        commands = [command_on(word, run) for word in self._words()]
        return str(t("Later: {commands}", commands=either(commands)))

    def _words(self) -> Iterator[str]:
        if self.resumes:
            yield "resume"
        yield from (choice.way for choice in self.choices)


def either(commands: Iterable[str]) -> Message | str:
    """One of them, in a row: `this, or that`."""
    found: list[Message | str] = [*commands]
    return reduce(_or, found) if found else ""


def _or(first: Message | str, other: Message | str) -> Message:
    return t("{first}, or {other}", first=first, other=other)
