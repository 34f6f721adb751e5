"""Step 5: before and after, every operation with its commands, and what it costs."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from wizard.layout.steps.shown import told_as_direct
from wizard.layout.told.promise import WayBackRoom
from wizard.tui.console.terminal import Glyphs
from wizard.tui.room import Measured, find_room
from wizard.tui.saving import save_plan
from wizard.tui.step import StepScreen
from wizard.tui.text.plantext import plan_blocks
from wizard.tui.text.reasontext import step_reasons
from wizard.tui.widgets.keys import Pairs
from wizard.tui.widgets.words import Words


class PreviewScreen(StepScreen):
    """One page to scroll; Enter goes on, s saves the plan."""

    NUMBER = 5
    TITLE = "Preview"
    INTRO = "Exactly this will be done, and nothing else. Nothing has been written yet."
    HELP = """
The bars show the drive from its first to its last byte, to scale; very small pieces are drawn wider than they
are.

The steps are carried out in this order. Commands are shown as they will be run; a table is not written by a
command but by a program of diskwright's own, with exactly the starts and sizes shown.

The way back: most plans are tried out on a stand-in for the drive first. What is to change is saved,
everything is written, and it waits: not in use, and taken back bit for bit by `diskwright undo`, until you
keep it. The page says so, or why it is otherwise here.

destroys: what cannot be read any more after the step. undo: how it is taken back, or that it is not.

Reasons: e lists the steps, each with why it is as it is, what is checked after it, and how it is undone.

Saving: s writes the plan as a file, which `diskwright show` prints and `diskwright apply` carries out, today
or later, as long as the drive is still the same.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "save", show=False, id="preview.save"),
        Binding("e", "reasons", show=False, id="preview.reasons"),
    ]

    def body(self) -> ComposeResult:
        """The page."""
        yield Words(id="preview")

    def begin(self) -> None:
        """Draw the plan."""
        assert self.session.plan is not None
        self._draw(find_room(self, self.session.plan))
        self.query_one(Words).focus()

    @on(Measured)
    def measured(self, message: Measured) -> None:
        """Say it, wherever the person reads."""
        self._draw(message.room)

    def _draw(self, room: WayBackRoom) -> None:
        plan = self.session.plan
        assert plan is not None
        why, ascii_only = self.services.why_direct(plan), self.wizard.terminal.glyphs is Glyphs.ASCII
        blocks = plan_blocks(plan, why_direct=why, room=room, ascii_only=ascii_only)
        self.query_one(Words).show(blocks, stay=True)

    def keys(self) -> Pairs:
        """Reading and saving."""
        return (("Up/Down", "scroll"), ("Enter", "next"), ("s", "save the plan"), ("e", "reasons"))

    def action_reasons(self) -> None:
        """Why each step is as it is, and what is checked after it."""
        if (plan := self.session.plan) is not None:
            told = told_as_direct(plan, self.services.why_direct(plan))
            self.show_reasons("Reasons of the steps", lambda: step_reasons(told, self.session.wishes))

    def action_save(self) -> None:
        """Ask for a name."""
        save_plan(self)
