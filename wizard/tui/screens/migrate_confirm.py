"""To ext4, step 4: the last question. Nothing has the focus that would begin."""

from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from wizard.migrate.told.ways import TITLES, confirm_command, how_sentences, risk_sentences
from wizard.model.names import printable
from wizard.tui.migrating import MovingStep
from wizard.tui.saving import save_migration
from wizard.tui.screens.last_question import LastQuestion
from wizard.tui.screens.tokens import Tokens
from wizard.tui.widgets.controls import Entry, Press
from wizard.tui.widgets.keys import Pairs
from wizard.tui.widgets.words import Block, Prose, Words, gap, para


class MigrateConfirmScreen(MovingStep, LastQuestion):
    """What becomes of the files, of a power cut, and of the way back; and a line for the drive's token. Back
    has the focus."""

    NUMBER = 4
    TITLE = "Confirm"
    INTRO = "The last question. Read what may happen; then type the drive's token to go on, or go back."
    HELP = """
Token: the drive's serial number, or its name where it has none. Typing it proves that you mean this drive and
no other.

Before the first write the filesystem is looked at once more: if it differs from the one that was planned for,
nothing is written.

The filesystem must not be mounted while it is changed. What is changed is done by a process of its own:
closing this terminal does not stop it, and `diskwright status` shows how it goes.
"""
    BINDINGS: ClassVar[list[BindingType]] = [Binding("s", "save", show=False, id="confirm.save")]

    def body(self) -> ComposeResult:
        """What may happen; then the token and the buttons, or why not from here."""
        yield Words(id="loss")
        if not self.services.apply_obstacle:
            yield Press("Back", id="no")
            yield Tokens([self.migration.written])
            yield Press("Begin", id="yes")

    def begin(self) -> None:
        """Back is what Enter does first."""
        self._waiting = False
        migration, obstacle = self.migration, self.services.apply_obstacle
        blocks: list[Block] = [
            para(
                f"{TITLES[migration.way]} ({migration.way.value}): {printable(migration.device, 200)}", "bold"
            ),
            *(para(sentence, hang=2) for sentence in how_sentences(migration)),
            gap(),
            para("What may happen", "bold"),
            *(para(f"- {printable(sentence, 1000)}", hang=2) for sentence in risk_sentences(migration)),
        ]
        if doubts := (*migration.doubts, *self.services.journal_doubts()):
            blocks += [
                gap(),
                para("Good to know, and in doubt", "bold"),
                *(para(f"- {printable(doubt, 1000)}", "yellow", hang=2) for doubt in doubts),
            ]
        if obstacle:
            blocks += [
                gap(),
                para("How to do it", "bold"),
                para("Save it by s, then run:"),
                para(confirm_command(migration), "cyan", indent=2),
            ]
            self.query_one("#intro", Prose).update(f"{obstacle} s saves what is to be done.")
        page = self.query_one(Words)
        page.show(blocks)
        (page if obstacle else self.query_one("#no")).focus()

    def keys(self) -> Pairs:
        """Without the right to begin there is only saving."""
        if self.services.apply_obstacle:
            return (("s", "save"), ("Up/Down", "scroll"))
        return (("Up/Down", "move"), ("Enter", "press"), ("s", "save"))

    def action_save(self) -> None:
        """As a file."""
        save_migration(self, self.migration)

    def plan_saved(self, path: Path) -> None:
        """Say how the saved file is carried out."""
        self.say(f"It is saved. Carry it out by:  {confirm_command(self.migration, str(path))}", "green")

    def action_next(self) -> None:
        """Enter outside of buttons and fields begins nothing."""
        if not self.services.apply_obstacle:
            self.query_one("#token").focus()

    @on(Entry.Submitted)
    def submitted(self) -> None:
        """Enter in the field: on to the button, if what was typed is right."""
        if self.token_fits():
            self.query_one("#yes").focus()

    @on(Press.Pressed)
    def pressed(self, message: Press.Pressed) -> None:
        """Back, or begin."""
        if message.press.id == "no":
            self.action_back()
        elif self.token_fits():
            migration = self.migration
            self.begin_run(
                "the filesystem", lambda: self.services.start_migration(migration, migration.written.token)
            )
