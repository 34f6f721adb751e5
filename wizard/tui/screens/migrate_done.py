"""To ext4, step 6: what was checked, and the choice between keeping and undoing."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message

from wizard.apply.migration.moved import (
    HALF_DONE,
    can_keep,
    can_undo,
    keep_sentence,
    later_sentence,
    look_sentence,
    moved_sentence,
    undo_sentence,
)
from wizard.apply.run.journal import RunState
from wizard.model.errors import DiskwrightError
from wizard.model.journal import Entry, Event
from wizard.model.names import printable
from wizard.services.session import Quit
from wizard.tui.dialogs import Ask
from wizard.tui.migrating import MovingStep
from wizard.tui.runtext import INKS, check_blocks, step_blocks
from wizard.tui.widgets.keys import Pairs
from wizard.tui.widgets.words import Block, Prose, Words, gap, para


@dataclass
class Settled(Message):
    """It was kept or undone; or was not, and why."""

    sentence: str
    done: bool


class MigratedScreen(MovingStep):
    """One page; k keeps, u undoes, Enter or q leaves that for later."""

    NUMBER = 6
    TITLE = "Result"
    HELP = """
Every check was made after the last step, by reading the filesystem anew.

Keeping: k lets go of what is needed for undoing, and gives its room back. There is no way back then.

Undoing: u brings the filesystem back as it was before, to the bit. It works as long as nobody has mounted it for writing.

Later: both can be done later by `diskwright keep` and `diskwright undo`. Until then the room stays taken, and the filesystem should
not be mounted for writing.

The journal has every command with what it printed; it stays where it is.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("k", "keep", show=False, id="moved.keep"),
        Binding("u", "undo", show=False, id="moved.undo"),
    ]

    def body(self) -> ComposeResult:
        """The page."""
        yield Words(id="result")

    def begin(self) -> None:
        """Read the whole journal: it is the truth."""
        self._waiting = False
        self._state = RunState.RUNNING
        self._entries: tuple[Entry, ...] = ()
        self._used = ""
        self.query_one(Words).focus()
        self._read()

    def _read(self) -> None:
        run = self.session.run
        assert run is not None
        page = self.query_one(Words)
        try:
            self._state, self._entries = self.services.state(run), tuple(self.services.follow(run))
            self._used = self.services.closed(run)
        except DiskwrightError as error:
            page.show([para(str(error), "red")])
            return
        self.query_one("#intro", Prose).update(Text(moved_sentence(self._state), INKS.get(self._state, "")))
        page.show(self._blocks(run))
        self.draw_keys()

    def _blocks(self, run: Path) -> list[Block]:
        """The choice, the checks, the steps that are missing, and the journal."""
        blocks: list[Block] = [para(printable(self._used, 1000), "red")] if self._used else []
        if self._can_keep:
            blocks.append(para(Text("k keep: ", "bold").append(keep_sentence(self.migration), "not bold"), hang=2))
        if self._can_undo:
            blocks.append(para(Text("u undo: ", "bold").append(undo_sentence(self.migration), "not bold"), hang=2))
        resumes = self._state in HALF_DONE
        if resumes or self._can_keep or self._can_undo:
            looking = [para(look_sentence(self.migration), hang=2)] if self._can_keep and self._can_undo else []
            later = later_sentence(run, keeps=self._can_keep, undoes=self._can_undo, resumes=resumes)
            blocks += [*looking, para(later, hang=2), gap()]
        if self._state in (RunState.UNDONE, RunState.KEPT):
            ends = [entry for entry in self._entries if entry.event in (Event.UNDONE, Event.KEPT)]
            blocks += [*(para(printable(entry.sentence, 1000)) for entry in ends), gap()]
        else:
            blocks += check_blocks(self._entries)
        if self._state in HALF_DONE or self._state is RunState.REFUSED:
            blocks += step_blocks([step.sentence for step in self.migration.steps], self._entries)
            failed = [entry for entry in self._entries if entry.event in (Event.FAILED, Event.REFUSED)]
            blocks += [*(para(printable(entry.sentence, 400), "red") for entry in failed), gap()]
        blocks.append(para(f"Journal: {printable(str(run), 200)}", hang=9))
        return blocks

    @property
    def _can_keep(self) -> bool:
        return can_keep(self.migration, self._state)

    @property
    def _can_undo(self) -> bool:
        return not self._used and can_undo(self.migration, self._state, self._entries)

    def can_go_back(self) -> bool:
        """It is done."""
        return False

    def keys(self) -> Pairs:
        """Settling it, reading and ending."""
        keep: Pairs = (("k", "keep"),) if self._can_keep else ()
        undo: Pairs = (("u", "undo"),) if self._can_undo else ()
        return (*keep, *undo, ("Up/Down", "scroll"), ("Enter", "end, settle it later" if keep or undo else "end"))

    def action_keep(self) -> None:
        """After a question."""
        if self._can_keep:
            self._ask("Keep the new filesystem?", keep_sentence(self.migration), "Yes, keep it", "Kept", self.services.keep)

    def action_undo(self) -> None:
        """After a question."""
        if self._can_undo:
            self._ask("Undo the migration?", undo_sentence(self.migration), "Yes, undo it", "Undone", self.services.undo)

    def _ask(self, question: str, text: str, yes: str, done: str, settle: Callable[[Path], object]) -> None:
        run = self.session.run
        if self._waiting or run is None:
            return

        def work() -> None:
            try:
                settle(run)
            except DiskwrightError as error:
                self._post(Settled(str(error), done=False))
            else:
                self._post(Settled(f"{done}.", done=True))

        def answered(agreed: bool | None) -> None:
            if agreed:
                self._waiting = True
                self.say("At work; this may take a while ..")
                self.in_background(work)

        self.app.push_screen(Ask(question, text, no="No", yes=yes), answered)

    def _post(self, message: Settled) -> None:
        if self.is_attached:
            self.post_message(message)

    @on(Settled)
    def settled(self, message: Settled) -> None:
        """Read the journal again, and say how it went."""
        self._waiting = False
        self._read()
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
