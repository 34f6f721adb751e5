"""Step 7: the last question. Nothing has the focus that would begin."""

from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from wizard.apply.plan.steps_told import confirmation
from wizard.layout.told.promise import WORD, WayBackRoom, wants_word
from wizard.model.plan import Plan
from wizard.services.session import Gone, Session
from wizard.tui.room import TRYING, Measured, find_room
from wizard.tui.rooting import has_root
from wizard.tui.saving import save_plan
from wizard.tui.screens.last_question import LastQuestion
from wizard.tui.screens.tokens import Tokens
from wizard.tui.text.plantext import loss_blocks, room_blocks
from wizard.tui.widgets.controls import Entry, Press
from wizard.tui.widgets.passphrase import Passphrase
from wizard.tui.widgets.words import Prose, Words, gap, para

ASKS = (
    "You are not root. Apply asks for root's rights first, perhaps with a question for your password; "
    "without them nothing is written."
)
NOT_READ = (
    "This plan was made without the right to read what the drive holds, and a plan like that is not applied. "
    "With root's rights the drives are read once more: you see what is there, and plan again. Nothing is "
    "written by that."
)


class ConfirmScreen(LastQuestion):
    """What is lost, and a line for the drive's token; Back has the focus."""

    NUMBER = 7
    TITLE = "Confirm"
    INTRO = "The last question. Read what is lost; then type the drive's token to go on, or go back."
    HELP = """
Token: the drive's serial number, or its name where it has none. Typing it proves that you mean this drive and
no other. Of several drives each wants its own, one after the other.

Passphrase: asked for where the plan encrypts, twice, and not shown. It opens the volume at every start.
Nobody can get at the data without it, and it is kept nowhere: not in the plan, not in the journal. Several
words that nobody guesses are best.

Before the first write the drive is looked at once more: if it differs from the one that was planned for,
nothing is written.

Without root's rights the wizard asks for them here, by sudo, run0 or pkexec; it may be your password that is
wanted. Only then is anything written, and the wizard itself stays without them.

Applying is a process of its own: closing this terminal does not stop it, and `diskwright status` shows how it
goes.
"""
    BINDINGS: ClassVar[list[BindingType]] = [Binding("s", "save", show=False, id="confirm.save")]

    def body(self) -> ComposeResult:
        """What is lost; then the token and the buttons, or why not from here."""
        # The passphrase is typed twice: with less room for the text, both and the last button are seen.
        yield Words(id="loss", classes="-before-passphrase" if self._plan.containers else None)
        if self._unread:
            yield Press("Back", id="no")
            yield Press("Read the drive with root's rights", id="look")
        elif not self.services.apply_obstacle:
            yield Press("Back", id="no")
            word = WORD if wants_word(self._plan, self.services.why_direct(self._plan)) else ""
            yield Tokens([member.drive for member in self._plan.members], word=word)
            if self._plan.containers:
                yield Passphrase()
            yield Press("Apply", id="yes")

    def begin(self) -> None:
        """Back is what Enter does first."""
        self._waiting = self._measuring = self._pressed = False
        blocks = loss_blocks(self._plan, why_direct=self.services.why_direct(self._plan))
        if doubts := self.services.journal_doubts():
            blocks += [gap(), para("The journal", "bold"), *(para(doubt, "yellow") for doubt in doubts)]
        if self.services.apply_obstacle and self.services.needs_root:
            command = f"sudo diskwright apply FILE {self._confirmation}"
            blocks += [
                gap(),
                para("How to apply it", "bold"),
                para("Save the plan by s, then run:"),
                para(command, "cyan", indent=2),
            ]
        elif self.services.asks_for_root:
            blocks += [gap(), para("Root's rights", "bold"), para(NOT_READ if self._unread else ASKS)]
        self._blocks = blocks
        self.query_one(Words).show(blocks)
        if not self.services.apply_obstacle:
            self._measure()
            self.query_one("#no").focus()
            if self._unread:
                self.query_one("#intro", Prose).update(
                    "What the drive holds could not be read, so nothing is applied from here yet."
                )
            return
        self.query_one(Words).focus()
        self.query_one("#intro", Prose).update(f"{self.services.apply_obstacle} s saves the plan.")

    def keys(self) -> tuple[tuple[str, str], ...]:
        """Without the right to apply there is only saving."""
        if self.services.apply_obstacle:
            return (("s", "save the plan"), ("Up/Down", "scroll"))
        return (("Up/Down", "move"), ("Enter", "press"), ("s", "save the plan"))

    @property
    def _plan(self) -> Plan:
        assert self.session.plan is not None
        return self.session.plan

    @property
    def _confirmation(self) -> str:
        return confirmation(self._plan, self.services.why_direct(self._plan))

    @property
    def _unread(self) -> bool:
        """Whether a plain user's plan knows nothing of what the drive holds: root would refuse it, and can
        read it."""
        return self.services.asks_for_root and any(
            member.drive.content_digest is None for member in self._plan.members
        )

    def action_save(self) -> None:
        """The plan as a file."""
        save_plan(self)

    def plan_saved(self, path: Path) -> None:
        """Say how the saved plan is applied."""
        if self.services.needs_root:
            self.say(
                f"The plan is saved. Apply it by:  sudo diskwright apply {path} {self._confirmation}",
                "green",
            )

    def action_next(self) -> None:
        """Enter outside of buttons and fields begins nothing."""
        if not self.services.apply_obstacle:
            self.query_one("#look" if self._unread else "#token").focus()

    @on(Entry.Submitted)
    def submitted(self) -> None:
        """Enter in a field: on to the next, or to the button, if what was typed is right."""
        if not self.token_fits():
            return
        if self._plan.containers and (problem := self._passphrase.problem())[0]:
            self._say_problem(*problem)
            if problem[1]:
                return
        self.query_one("#yes").focus()

    @on(Press.Pressed)
    def pressed(self, message: Press.Pressed) -> None:
        """Back, or begin."""
        if message.press.id == "no":
            self.action_back()
        elif message.press.id == "look":
            if has_root(self):
                self.dismiss(Gone(Session(workload=self.session.workload)))
        elif self.token_fits():
            sentence, line = self._passphrase.problem() if self._plan.containers else ("", "")
            if sentence:
                self._say_problem(sentence, line)
            else:
                self._begin_run()

    def _measure(self) -> None:
        """Find out how much room the way back takes, where that can be done from here; until then nothing
        begins."""
        if not self._unread:
            room = find_room(self, self._plan)
            self._measuring = room is TRYING
            self._say_room(room)

    @on(Measured)
    def measured(self, message: Measured) -> None:
        """Say it, and ask for the word where there is no room."""
        self._measuring = False
        if not message.room.fits:
            self.query_one(Tokens).word = WORD
        self._say_room(message.room)
        self.leave_if_gone()
        pressed, self._pressed = self._pressed, False
        if pressed and self.token_fits():
            self._begin_run()

    def _say_room(self, room: WayBackRoom) -> None:
        if room.sentence:
            heading = para("Room for the way back", "bold")
            self.query_one(Words).show([*self._blocks, gap(), heading, *room_blocks(room)], stay=True)

    @property
    def _passphrase(self) -> Passphrase:
        return self.query_one(Passphrase)

    def _say_problem(self, sentence: str, line: str) -> None:
        """What is wrong with the passphrase, with the focus on the line in question, if it is in one."""
        self.say(sentence, "yellow")
        if line:
            self.query_one(f"#{line}").focus()

    def _begin_run(self) -> None:
        plan = self._plan
        if self._measuring:
            # It begins by itself then, if there is room.
            self._pressed = True
            return
        secret = self._passphrase.secret if plan.containers else None
        tokens = (*plan.tokens, WORD) if self.query_one(Tokens).word else plan.tokens
        self.begin_run("the drive", lambda: self.services.start(plan, tokens, secret))

    def after_crash(self) -> None:
        """Nobody waits for how much room there is."""
        self._measuring = self._pressed = False
        super().after_crash()

    def begun(self) -> None:
        """The passphrase is kept nowhere."""
        if self._plan.containers:
            self._passphrase.clear()
