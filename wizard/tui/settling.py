"""What the last screens share: a run is kept or undone by a key, after a question, or that is left for
later."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.binding import Binding, BindingType
from textual.message import Message

from wizard.apply.run.decision import Decision, Settling
from wizard.model.errors import DiskwrightError
from wizard.services.session import Quit
from wizard.tui.dialogs.questions import Ask, AskSecret
from wizard.tui.step import StepScreen
from wizard.tui.widgets.keys import Pairs
from wizard.tui.widgets.words import Block, gap, para

DONE = {Settling.KEEP: "Kept.", Settling.UNDO: "Undone."}


@dataclass
class Settled(Message):
    """It was kept or undone; or was not, and why."""

    sentence: str
    done: bool


class SettlingScreen(StepScreen):
    """k keeps, u undoes, Enter or q leaves that for later. `decision` is what can be settled; `read` looks at
    the run anew."""

    decision = Decision()
    _waiting = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("k", "keep", show=False, id="moved.keep"),
        Binding("u", "undo", show=False, id="moved.undo"),
    ]

    def read(self) -> None:
        """Read the whole journal, which is the truth, and draw what it tells."""
        raise NotImplementedError

    def can_go_back(self) -> bool:
        """It is done."""
        return False

    def keys(self) -> Pairs:
        """Settling it, reading and ending."""
        offered = self.decision.choices
        settling: Pairs = tuple((choice.way[0], choice.way.value) for choice in offered)
        return (*settling, ("Up/Down", "scroll"), ("Enter", "end, settle it later" if offered else "end"))

    def action_keep(self) -> None:
        """After a question."""
        self._ask(Settling.KEEP)

    def action_undo(self) -> None:
        """After a question."""
        self._ask(Settling.UNDO)

    def _ask(self, way: Settling) -> None:
        run, choice = self.session.run, self.decision.of(way)
        if self._waiting or run is None or choice is None:
            return

        def typed(secret: bytes | None) -> None:
            if secret:
                self._begin(run, way, secret)

        def answered(agreed: bool | None) -> None:
            if agreed and choice.why_secret:
                self.app.push_screen(AskSecret("The passphrase", choice.why_secret), typed)
            elif agreed:
                self._begin(run, way)

        self.app.push_screen(Ask(choice.question, choice.means, no="No", yes=f"Yes, {way} it"), answered)

    def _begin(self, run: Path, way: Settling, secret: bytes | None = None) -> None:
        def work() -> None:
            try:
                if way is Settling.KEEP:
                    self.services.keep(run, secret)
                else:
                    self.services.undo(run)
            except DiskwrightError as error:
                self._post(Settled(str(error), done=False))
            else:
                self._post(Settled(DONE[way], done=True))

        self._waiting = True
        self.say("At work; this may take a while ..")
        self.in_background(work)

    def _post(self, message: Settled) -> None:
        if self.is_attached:
            self.post_message(message)

    @on(Settled)
    def settled(self, message: Settled) -> None:
        """Read the journal again, and say how it went."""
        self._waiting = False
        self.read()
        self.say(message.sentence, "green" if message.done else "red")

    def after_crash(self) -> None:
        """`diskwright status` tells."""
        self._waiting = False

    def action_next(self) -> None:
        """The end, but not in the middle of keeping or undoing."""
        if self._waiting:
            self.say("It is still at work; a moment.")
        else:
            self.dismiss(Quit())

    def action_end(self) -> None:
        """Nothing to ask."""
        self.action_next()


def decision_blocks(decision: Decision, run: Path, *, later: bool = True) -> list[Block]:
    """Each way with its key and what it means, and how it is settled another time, where it can be."""
    if not decision.is_open:
        return []
    blocks: list[Block] = [
        para(Text(f"{choice.way[0]} {choice.way}: ", "bold").append(choice.means, "not bold"), hang=2)
        for choice in decision.choices
    ]
    blocks += [para(decision.look, hang=2)] if decision.look else []
    blocks += [para(decision.later(run), hang=2)] if later else []
    return [*blocks, gap()]
