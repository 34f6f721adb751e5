"""To ext4, step 5: watch the run, and at every moment what a power cut would leave. It goes on without this
screen."""

from collections.abc import Sequence
from time import monotonic
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult

from wizard.apply.run.progress import StepProgress
from wizard.migrate.told.ways import around_words, percent_done, power_words, seconds_left, silent_words
from wizard.model.migration import SetFstabType
from wizard.model.names import printable
from wizard.model.units import roughly
from wizard.tui.migrating import MovingStep
from wizard.tui.screens.applying import ApplyingScreen
from wizard.tui.widgets.words import Prose

OVER = "Nothing is at work any more: a power cut now changes nothing."
LEAST_BAR, MOST_BAR = 10, 40

SILENT_SECONDS = 3.0
"""A step that has told nothing for so long is said to."""


class MigratingScreen(MovingStep, ApplyingScreen):
    """How far it is, what a power cut would leave, the steps, and the journal's latest."""

    NUMBER = 5
    STOPPING: ClassVar[str] = (
        "The present step is finished first. Then resume goes on from there, or undo brings back what was "
        "before."
    )
    TITLE = "Running"
    INTRO = (
        "A process of its own is at work: closing this terminal does not stop it. `diskwright status` finds "
        "it again."
    )
    HELP = """
If the power goes now: what would be found after a power cut at this very moment, and what is to be done then.
It changes with the steps.

The percentage counts each step by its estimate; where a program tells how far it is, that is used.

Stopping: s ends the run before the next step begins; a step that has begun is finished. What was done stays
done; the last screen says how to go on.

Earlier steps cannot be opened from here; q only closes this window.
"""

    def body(self) -> ComposeResult:
        """What matters most on top."""
        yield Prose(id="percent")
        yield from ApplyingScreen.body(self)

    def begin(self) -> None:
        """Follow the journal, and look at the step's own progress."""
        self._progress: StepProgress | None = None
        self._working: int | None = None
        self._since = monotonic()
        super().begin()

    def sentences(self) -> Sequence[str]:
        """What each step does."""
        return [step.sentence for step in self.migration.steps]

    def _look(self) -> None:
        """Draw anew where the step has got on."""
        assert self.session.run is not None
        now = self.services.progress(self.session.run), self.services.power(self.session.run)
        if (now != (self._progress, self._told) or self._is_silent()) and not self._over:
            self._progress, self._told = now
            self.in_time(self._draw)

    def _is_silent(self) -> bool:
        """Whether a step is at work of which nobody has heard for a while how far it is."""
        told = (
            self._progress is not None
            and self._progress.step in (0, self._working)
            and self._progress.seconds_left is not None
        )
        return self._working is not None and not told and self._taken() >= SILENT_SECONDS

    def _taken(self) -> float:
        """For how many seconds the step at work has been seen there."""
        return monotonic() - self._since

    def _draw(self) -> None:
        working = next((number for number, state in enumerate(self._states, 1) if state == "working"), None)
        if working != self._working:
            self._working, self._since = working, monotonic()
        self.query_one("#percent", Prose).update(self._percent())
        super()._draw()

    def _power(self) -> Text:
        begun = any(state != "waiting" for state in self._states)
        said = OVER if self._over else power_words(self.migration, self._working, self._told, begun=begun)
        caption = "" if self._over or said == self._told else "If the power goes now: "
        return Text(caption, "bold").append(printable(said, 1000), "not bold")

    def _percent(self) -> Text:
        done, known = self._states.count("done"), self._progress
        in_files = self._working is not None and isinstance(
            self.migration.steps[self._working - 1].operation, SetFstabType
        )
        if known is not None and known.step == 0 and not in_files and not self._over:
            still = "" if known.seconds_left is None else f", {roughly(known.seconds_left)} left"
            return Text(
                f"{around_words(self.migration, done, self._working)}: {int(100 * known.share)} "
                f"percent{still}."
            )
        progress = known if known and known.step == done + 1 else None
        percent = percent_done(self.migration, done, progress.share if progress else 0.0)
        left = seconds_left(self.migration, done, progress.seconds_left if progress else None)
        room = max(LEAST_BAR, min(MOST_BAR, self.size.width - 50))
        full = room * percent // 100
        said = f" {percent} percent" + ("" if self._over else f", {roughly(left)} left (an estimate)")
        bar = Text("█" * full, "cyan").append("░" * (room - full), "default").append(said, "default")
        if self._working is None or self._over or not self._is_silent():
            return bar
        return bar.append(f"\n{silent_words(self.migration, self._working, self._taken())}", "default")
