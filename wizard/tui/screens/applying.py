"""Step 8: watch the run. It goes on without this screen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message

from wizard.apply.run.journal import RunState
from wizard.model.errors import DiskwrightError
from wizard.model.journal import Entry, Event
from wizard.model.names import printable
from wizard.services.session import Next
from wizard.tui.dialogs.questions import Ask
from wizard.tui.step import StepScreen
from wizard.tui.widgets.rows import Column, Row, Rows
from wizard.tui.widgets.words import Prose, Words, para


@dataclass
class Noted(Message):
    """The journal has grown."""

    entry: Entry


@dataclass
class Ended(Message):
    """The run's process has ended."""

    state: RunState


@dataclass
class Lost(Message):
    """The journal cannot be followed any more."""

    sentence: str


STATES = {
    "waiting": "",
    "working": "cyan",
    "done": "green",
    "failed": "red",
    "not done": "yellow",
}


PERIOD = 1.0
"""Seconds between two looks at how far the run is."""

ENDS: Mapping[RunState, tuple[str, str]] = {
    RunState.DONE: ("Done: every step was carried out. Enter shows what was checked.", "green"),
    RunState.WAITING: (
        "Done, not yet in use: everything is written. Enter: keep it or take it back.",
        "green",
    ),
    RunState.STOPPED: ("Stopped between two steps, as you asked. Enter says how to go on.", "yellow"),
    RunState.REFUSED: ("Refused: nothing was written. Enter says why.", "yellow"),
}
"""What is said of a run that has come to its end, and in which colour."""


class ApplyingScreen(StepScreen):
    """The steps with their state, and what is going on."""

    NUMBER = 8
    TITLE = "Applying"
    INTRO = (
        "A process of its own is at work: closing this terminal does not stop it. `diskwright status` finds "
        "it again."
    )
    HELP = """
The sentence on top: what a power cut at this very moment would leave, and what to do then. Where the steps
run on the drive directly nothing tells that, and there is none.

Every step is written to a journal before and after it is done. The journal is on another drive than the one
being set up.

Most plans are tried out on a stand-in first: the drive is as it was until every step has been done there.
Then it is written in one go. If it held something, it waits after that until you keep it or take it back.

Stopping: s ends the run before the next step begins; a step that has begun is finished. What was done stays
done, on the stand-in or on the drive; the last screen says how to go on.

Earlier steps cannot be opened from here; q only closes this window.
"""
    STOPPING: ClassVar[str] = (
        "The present step is finished first. The drive is then set up in part; resume or undo goes on from "
        "there."
    )
    """What the question says that comes before stopping, where the steps run on the drive."""
    STOPPING_REHEARSED: ClassVar[str] = (
        "The present step is finished first. As long as the steps are tried out on a stand-in the drive "
        "stays as it was; resume goes on."
    )

    BINDINGS: ClassVar[list[BindingType]] = [Binding("s", "stop", show=False, id="applying.stop")]

    def body(self) -> ComposeResult:
        """What a power cut would leave on top, the steps below it, then the journal's latest."""
        yield Prose(id="power")
        yield Rows(Column(), Column(flexible=True, wrapped=True), id="steps")
        yield Prose(classes="rule")
        yield Words(id="latest")

    def begin(self) -> None:
        """Follow the journal."""
        assert self.session.run is not None
        self._states = ["waiting"] * len(self.sentences())
        self._latest: list[Entry] = []
        self._over = False
        self._told = self.services.power(self.session.run)
        if self.services.demo:
            self.query_one("#intro", Prose).update(
                "A process of its own is at work. In the demo its drive goes when the wizard ends."
            )
        self.query_one(Rows).focus()
        self._draw()
        run = self.session.run

        def work() -> None:
            try:
                for entry in self.services.follow(run):
                    if not self.is_attached or not self.post_message(Noted(entry)):
                        return
                state = self.services.state(run)
            except DiskwrightError as error:
                self.post_message(Lost(str(error)))
                return
            if self.is_attached:
                self.post_message(Ended(state))

        self.in_background(work)
        self._timer = self.set_interval(PERIOD, self._look)

    def _look(self) -> None:
        """Draw anew where the run has got on."""
        assert self.session.run is not None
        told = self.services.power(self.session.run)
        if told != self._told:
            self._told = told
            self.in_time(self._draw)

    def _power(self) -> Text:
        """What a power cut now would leave; empty where nothing tells."""
        return Text(printable(self._told, 1000), "not bold")

    def sentences(self) -> Sequence[str]:
        """What each step does."""
        assert self.session.plan is not None
        return [step.sentence for step in self.session.plan.steps]

    def can_go_back(self) -> bool:
        """What has begun is not taken back by a key."""
        return False

    def keys(self) -> tuple[tuple[str, str], ...]:
        """Stopping while it runs."""
        return (("Enter", "the result"),) if self._over else (("s", "stop after this step"),)

    def ending(self) -> str:
        """It goes on, unless it has come to its end."""
        if self._over:
            return "The run has ended. `diskwright status` tells how it stands, and the ways from there."
        return "The run goes on without this window. `diskwright status` shows how it goes."

    def action_stop(self) -> None:
        """After a question."""
        if self._over:
            return

        def answered(yes: bool | None) -> None:
            if yes and self.session.run is not None and not self._over:
                try:
                    self.services.request_stop(self.session.run)
                except DiskwrightError as error:
                    self.say(str(error), "red")
                else:
                    self.say("It will stop when the present step is done.", "yellow")

        phase = None if self.session.run is None else self.services.phase(self.session.run)
        said = self.STOPPING if phase is None else self.STOPPING_REHEARSED
        self.app.push_screen(Ask("Stop the run?", said, no="No, go on", yes="Yes, stop"), answered)

    def action_next(self) -> None:
        """When it is over."""
        if self._over:
            self.dismiss(Next(self.session))
        else:
            self.say("It is still at work.")

    @on(Noted)
    def noted(self, message: Noted) -> None:
        """Change the step's state; keep the last few lines."""
        entry = message.entry
        index = entry.step - 1
        if 0 <= index < len(self._states):
            state = {Event.STEP_STARTED: "working", Event.STEP_DONE: "done", Event.STEP_FAILED: "failed"}.get(
                entry.event
            )
            if state:
                self._states[index] = state
        self._latest = [*self._latest, entry][-200:]
        self.in_time(self._draw)

    @on(Lost)
    def lost(self, message: Lost) -> None:
        """Say it; the run itself is not touched by that."""
        self.say(f"{message.sentence} The run goes on; `diskwright status` shows how it goes.", "red")

    @on(Ended)
    def ended(self, message: Ended) -> None:
        """Say how it ended; Enter shows the result."""
        self._over = True
        self._timer.stop()
        self._look()
        # What puts it to use is still to come where it waits for that.
        left = "waiting" if message.state is RunState.WAITING else "not done"
        self._states = [left if state in ("waiting", "working") else state for state in self._states]
        said, ink = ENDS.get(
            message.state, ("It did not come to its end. Enter says what was done and how to go on.", "red")
        )
        self._draw()
        self.draw_keys()
        self.say(said, ink)

    def _draw(self) -> None:
        width = max(map(len, STATES))
        rows = []
        for number, (sentence, state) in enumerate(zip(self.sentences(), self._states, strict=True), 1):
            mark = f"[{'x' if state == 'done' else '!' if state == 'failed' else ' '}] {state:<{width}}"
            rows.append(
                Row(str(number), (Text(mark, STATES[state]), Text(f"{number}. {printable(sentence, 400)}")))
            )
        working = next((index for index, state in enumerate(self._states) if state == "working"), None)
        self.query_one(Rows).set_rows(rows, None if working is None else str(working + 1))
        lines = [para(printable(entry.sentence, 600), hang=2) for entry in self._latest[-12:]]
        page = self.query_one("#latest", Words)
        page.show(lines, stay=True)
        page.scroll_end(animate=False)
        power, said = self.query_one("#power", Prose), self._power()
        power.display = bool(said)
        power.update(said)
