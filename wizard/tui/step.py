"""What all steps share: the bar on top, the keys below, and the ways out."""

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, cast

from rich.cells import cell_len
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.screen import Screen
from textual.timer import Timer

from wizard.model.errors import DiskwrightError
from wizard.model.names import printable
from wizard.model.units import format_capacity
from wizard.services.contract import Services
from wizard.services.session import Back, Gone, Next, Outcome, Quit, Session
from wizard.tui.dialogs.explained import EXPLAINING, EXPLAINING_KEYS, HEIGHTS, WIDTHS, Explanation
from wizard.tui.dialogs.questions import Ask, Tell
from wizard.tui.dialogs.reasons import Reason, ReasonsScreen
from wizard.tui.widgets.keys import Keys, Pairs
from wizard.tui.widgets.rows import fitted
from wizard.tui.widgets.words import Prose

if TYPE_CHECKING:
    from wizard.tui.app import WizardApp

STEPS = 9
SLOW_PERIOD = 1.0
"""Seconds between two changes of a slow line's screen that nobody has asked for by a key."""


@dataclass
class Crashed(Message):
    """A thread has ended by a fault of the program itself."""

    what: str


class Changed(Message):
    """A drive may have come or gone."""


class StepScreen(Screen[Outcome]):
    """One step. It gets a session and ends with an Outcome; it may be shown again with what it handed on."""

    NUMBER: ClassVar[int] = 0
    OF: ClassVar[int] = STEPS
    WALK: ClassVar[str] = "Step"
    TITLE = ""
    INTRO: ClassVar[str] = ""
    HELP: ClassVar[str] = ""
    AUTO_FOCUS = ""
    HORIZONTAL_BREAKPOINTS = WIDTHS
    VERTICAL_BREAKPOINTS = HEIGHTS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "next", show=False, id="step.next"),
        Binding("escape,b", "back", show=False, id="step.back"),
        Binding("q", "end", show=False, id="step.quit"),
        *EXPLAINING,
    ]

    def __init__(self, session: Session, services: Services) -> None:
        super().__init__()
        self.session = session
        self.services = services
        self._unmounted = threading.Event()
        self._leaving = False
        self._undrawn: Callable[[], None] | None = None
        self._beat: Timer | None = None

    def compose(self) -> ComposeResult:
        """Bar, introduction, the step's own body, a line for messages, keys."""
        yield Prose(id="head")
        yield Prose(Text(self.INTRO), id="intro")
        with Vertical(id="body"):
            yield from self.body()
        yield Prose(id="message")
        yield Keys()

    def body(self) -> ComposeResult:
        """The step's own widgets."""
        yield from ()

    def keys(self) -> Pairs:
        """The keys of this step beside those of all."""
        return ()

    def all_keys(self) -> Pairs:
        """Every key that does something now."""
        back = (("b", "back"),) if self.can_go_back() else ()
        return (*self.keys(), *back, *EXPLAINING_KEYS, ("q", "quit"))

    def can_go_back(self) -> bool:
        """Not from the first step, and not once applying has begun."""
        return self.NUMBER > 1

    def on_mount(self) -> None:
        """Draw what is known already, and watch the drives. A run that is at work tells by itself what
        becomes of its drive."""
        changes = self.services.changes(self._unmounted) if self.session.run is None else iter(())
        self.begin()
        self.draw_keys()
        self.in_background(lambda: self._watch(changes))

    def on_unmount(self) -> None:
        """Nobody watches from here any more."""
        self._unmounted.set()

    def on_screen_resume(self) -> None:
        """The drive may have gone between two steps, or while a question was open."""
        self.leave_if_gone()

    def _watch(self, changes: Iterator[None]) -> None:
        for _ in changes:
            if self._unmounted.is_set() or not self.is_attached:
                return
            self.post_message(Changed())

    @on(Changed)
    def _changed(self) -> None:
        self.drives_changed()

    def drives_changed(self) -> None:
        """Drives have come or gone."""
        self.leave_if_gone()

    def may_leave(self) -> bool:
        """Whether this moment is one in which a drive that has gone ends the step."""
        return self.NUMBER > 1 and self.session.run is None

    def leave_if_gone(self) -> None:
        """Say that the drive has gone, and lead back to the list; another drive at its node is not it. An
        open question comes first."""
        if self._leaving or not self.is_active or not self.may_leave():
            return
        drive = next((drive for drive in self.session.drives if not self.services.is_attached(drive)), None)
        if drive is None:
            return
        self._leaving = True
        name = f"{drive.path} ({printable(drive.model, 40)})" if drive.model else drive.path
        text = (
            f"{name} is not attached any more, so it cannot be set up now. Whoever plugs it in again finds "
            "it in the list of drives."
        )

        def told(_: None) -> None:
            self.dismiss(Gone(Session(workload=self.session.workload)))

        self.app.push_screen(Tell("The drive has gone", text, "to the list of drives"), told)

    def dismiss(self, result: Outcome | None = None) -> AwaitComplete:
        """What is open over the step goes with it: Textual would take only that away."""
        self.pop_until_active()
        return super().dismiss(result)

    def begin(self) -> None:
        """The step's own start."""

    def on_resize(self) -> None:
        """The bar is as wide as the terminal; a step that is come to in a small one says so too."""
        self.draw_head()
        if self.is_current:
            self.wizard.mind(self.app.size)

    def draw_head(self) -> None:
        """`diskwright  Step 3 of 9: Advice` and the drive."""
        width = max(20, self.size.width or self.app.size.width)
        left = f" diskwright   {self.WALK} {self.NUMBER} of {self.OF}: {self.TITLE}"
        room = width - len(left) - 3
        line = next((part for part in self._drive_words() if cell_len(part) <= room), "")
        self.query_one("#head", Prose).update(
            Text(left).append("  ").append_text(fitted(Text(line), room, right=True))
        )

    def _drive_words(self) -> tuple[str, ...]:
        """The drive, from many words to few."""
        drive = self.session.drive
        if drive is None:
            return ()
        size = format_capacity(drive.size_bytes) if drive.size_bytes else ""
        model = printable(drive.model or "", 24)
        if count := len(self.session.others):
            return (f"{drive.path} and {count} more", f"{drive.path} +{count}")
        return tuple(
            "  ".join(filter(None, words))
            for words in ((drive.path, model, size), (drive.path, size), (drive.path,))
        )

    def draw_keys(self) -> None:
        """Show the keys that do something now."""
        self.query_one(Keys).set_keys(self.all_keys())

    def in_time(self, draw: Callable[[], None]) -> None:
        """Draw what has changed by itself: at once, or on a slow line the latest state once in a while."""
        if not self.wizard.terminal.slow:
            draw()
            return
        self._undrawn = draw
        if self._beat is None:
            self._draw_latest()

    def _draw_latest(self) -> None:
        draw, self._undrawn = self._undrawn, None
        self._beat = None if draw is None else self.set_timer(SLOW_PERIOD, self._draw_latest)
        if draw is not None:
            draw()

    def say(self, sentence: str, style: str = "") -> None:
        """A message above the keys; empty takes it away."""
        self.query_one("#message", Prose).update(Text(printable(sentence, 400), style))

    def plan_saved(self, path: Path) -> None:
        """The plan was written to a file; a step may say more about that."""

    def action_next(self) -> None:
        """Enter. A step that has something to check does so here."""
        self.dismiss(Next(self.session))

    def action_back(self) -> None:
        """To the step before."""
        if self.can_go_back():
            self.dismiss(Back(self.session))

    def show_reasons(self, title: str, reasons: Callable[[], Sequence[Reason]]) -> None:
        """The sentences of this step, and what stands behind each; making them reads profiles, which may be
        at fault."""
        try:
            self.app.push_screen(ReasonsScreen(title, reasons()))
        except DiskwrightError as error:
            self.say(str(error), "red")

    def explanation(self) -> Explanation:
        """For F1."""
        return Explanation(f"{self.TITLE} (step {self.NUMBER})", self.HELP, self.all_keys())

    def action_end(self) -> None:
        """q asks before it ends the wizard."""
        self.app.push_screen(
            Ask("End the wizard?", self.ending(), no="No, go on", yes="Yes, end"), self._ended
        )

    def ending(self) -> str:
        """What ending here means."""
        return "Nothing has been written to any drive."

    def _ended(self, yes: bool | None) -> None:
        if yes:
            self.dismiss(Quit())

    @property
    def wizard(self) -> "WizardApp":
        """The app."""
        return cast("WizardApp", self.app)

    def in_background(self, work: Callable[[], None], *, finishes: bool = False) -> None:
        """Run something slow in a thread that posts messages. It ends with the program and never keeps it
        from ending, but for what `finishes`.

        A fault of the program itself is said, too: nobody should wait for a thread that is gone.
        """

        def guarded() -> None:
            whole = False
            try:
                work()
                whole = True
            finally:
                if not whole and self.is_attached:
                    self.post_message(Crashed(repr(sys.exc_info()[1])))

        threading.Thread(target=guarded, daemon=not finishes).start()

    @on(Crashed)
    def crashed(self, message: Crashed) -> None:
        """Say what is to be reported."""
        self.say(f"diskwright itself has failed here, which is to be reported: {message.what}", "red")
        self.after_crash()

    def after_crash(self) -> None:
        """A step that waits for its thread no longer does."""
