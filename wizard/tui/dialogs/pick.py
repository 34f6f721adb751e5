"""One of a few, from a list."""

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from wizard.tui.dialogs.explained import Dialog
from wizard.tui.widgets.keys import Pairs
from wizard.tui.widgets.rows import Column, Row, Rows
from wizard.tui.widgets.words import Prose


class Pick(Dialog[str | None]):
    """Asks for one of `choices`, pairs of a key and of words for a person; None is none of them."""

    NAME = "One of several"
    HELP = """
Several things on this drive are meant by the key. Each line is one; Enter takes the one with > in front.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "take", show=False, id="pick.take"),
        Binding("escape,b,q", "cancel", show=False, id="pick.cancel"),
    ]

    def __init__(self, question: str, choices: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._question, self._choices = question, tuple(choices)

    def compose(self) -> ComposeResult:
        """The question and the list."""
        with Vertical(classes="dialog"):
            yield Prose(Text(self._question, "bold"), classes="title")
            yield Rows(Column(flexible=True, wrapped=True), id="choices")
        yield self.key_lines()

    def keys(self) -> Pairs:
        """Taking one, or none."""
        return (("Up/Down", "choose"), ("Enter", "take it"), ("Esc", "none"))

    def on_mount(self) -> None:
        """The first."""
        rows = self.query_one(Rows)
        rows.set_rows([Row(key, (Text(words),)) for key, words in self._choices])
        rows.focus()

    def action_take(self) -> None:
        """The highlighted one."""
        row = self.query_one(Rows).current
        self.dismiss(row.key if row else None)

    def action_cancel(self) -> None:
        """None."""
        self.dismiss(None)
