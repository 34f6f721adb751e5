"""How far a run is, told now and then in a sentence to somebody who reads line by line."""

from collections.abc import Callable
from time import monotonic

from wizard.apply.run.progress import StepProgress
from wizard.model.journal import Entry, Event
from wizard.model.said import Said, t

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
        t("What it reads or checks now is at {percent} percent.", percent=percent)
        if left is None
        else t(
            "What it reads or checks now is at {percent} percent, {left:time} left.",
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

    def heard(self, entry: Entry) -> None:
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


def how_far(done: frozenset[int], total: int) -> Said:
    """Which steps of a run are done and which are not, by their numbers from 1, as a sentence."""
    left = frozenset(range(1, total + 1)) - done
    return t("Done: {done}; not done: {left}.", done=_numbered(done), left=_numbered(left))


def _numbered(numbers: frozenset[int]) -> Said:
    """`steps 1 to 3` for steps in a row, which they always are."""
    if not numbers:
        return t("none")
    low, high = min(numbers), max(numbers)
    return (
        t("step {number}", number=low) if low == high else t("steps {first} to {last}", first=low, last=high)
    )
