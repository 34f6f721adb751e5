"""What every form of several fields has: a title, a line for what is wrong, two buttons, and the keys that
leave it."""

from abc import abstractmethod
from typing import ClassVar, TypeVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical

from wizard.tui.dialogs.explained import Dialog
from wizard.tui.widgets.controls import Press
from wizard.tui.widgets.keys import Pairs
from wizard.tui.widgets.words import Prose

T = TypeVar("T")


class Form(Dialog[T | None]):
    """Gives what was entered, or None where all is left as it was."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", show=False, id="form.cancel"),
        Binding("enter", "take", show=False, id="form.take"),
    ]

    def __init__(self, hint: str = "") -> None:
        super().__init__()
        self._hint = hint

    def compose(self) -> ComposeResult:
        """The fields between the title and the buttons."""
        with Vertical(classes="dialog"):
            yield Prose(Text(self.title_words(), "bold"), classes="title")
            yield from self.fields()
            yield Prose(Text(self._hint, "yellow"), id="said", classes="said")
            with Horizontal(classes="buttons"):
                yield Press("Cancel", id="cancel")
                yield Press("Take it", id="take")
        yield self.key_lines()

    @abstractmethod
    def title_words(self) -> str:
        """What stands above the fields."""

    @abstractmethod
    def fields(self) -> ComposeResult:
        """The fields, from above."""

    @abstractmethod
    def action_take(self) -> None:
        """Give what was entered, or say what is wrong with it."""

    def action_cancel(self) -> None:
        """Leave all as it was."""
        self.dismiss(None)

    @on(Press.Pressed)
    def pressed(self, message: Press.Pressed) -> None:
        """A button."""
        if message.press.id == "take":
            self.action_take()
        else:
            self.action_cancel()

    def keys(self) -> Pairs:
        """Moving, changing, taking."""
        return (("Up/Down", "field"), ("Left/Right", "change"), ("Enter", "take it"), ("Esc", "cancel"))
