"""What the last questions share: a token proves that the drive is meant, and the run begins while nobody can
leave."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from textual import on
from textual.message import Message

from wizard.model.errors import DiskwrightError
from wizard.services.session import Next
from wizard.tui.rooting import has_root
from wizard.tui.screens.tokens import Tokens
from wizard.tui.step import StepScreen


@dataclass
class Started(Message):
    """The run has begun, in a process of its own."""

    run: Path


@dataclass
class Rejected(Message):
    """It has not; nothing was written."""

    sentence: str


class LastQuestion(StepScreen):
    """Asks for the token and begins the run. In the moment in which it begins there is no way out: it tells
    by itself."""

    _waiting = False

    def token_fits(self) -> bool:
        """Whether what was typed is the token; what is wrong with it is said."""
        fault = self.query_one(Tokens).fault()
        self.say(fault, "yellow")
        if fault:
            self.query_one("#token").focus()
        return not fault

    def begin_run(self, what: str, start: Callable[[], Path]) -> None:
        """As root, which is asked for where that is still to be done. `what` is looked at once more by
        `start`."""
        if self._waiting or not has_root(self):
            return
        self._waiting = True
        self.draw_keys()
        self.say(f"Looking at {what} once more, then beginning ..")

        def work() -> None:
            try:
                run = start()
            except DiskwrightError as error:
                self.post_message(Rejected(str(error)))
            else:
                self.post_message(Started(run))

        self.in_background(work)

    def begun(self) -> None:
        """What is not needed any more goes."""

    def can_go_back(self) -> bool:
        """Not in the moment in which the run begins."""
        return not self._waiting

    def may_leave(self) -> bool:
        """Not in the moment in which the run begins."""
        return super().may_leave() and not self._waiting

    @on(Started)
    def started(self, message: Started) -> None:
        """On to watching it."""
        self.begun()
        self.dismiss(Next(replace(self.session, run=message.run)))

    @on(Rejected)
    def rejected(self, message: Rejected) -> None:
        """Say why nothing was written."""
        self._waiting = False
        self.draw_keys()
        self.say(message.sentence, "red")
        self.leave_if_gone()

    def after_crash(self) -> None:
        """Whether the run has begun is not known: `diskwright status` tells."""
        self._waiting = False
        self.draw_keys()

    def action_end(self) -> None:
        """Not in the moment in which the run begins."""
        if not self._waiting:
            super().action_end()
