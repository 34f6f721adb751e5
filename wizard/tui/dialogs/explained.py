"""What every dialog shares: the keys to its help and to the glossary, and how wide it is."""

from dataclasses import dataclass
from typing import ClassVar, TypeVar

from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from wizard.tui.widgets.keys import Keys, Pairs

Answer = TypeVar("Answer")

EXPLAINING: list[BindingType] = [
    Binding("f1,question_mark", "app.explain", show=False, id="explain.help"),
    Binding("f2,g", "app.glossary", show=False, id="explain.glossary"),
]
"""On every screen. Not every terminal has an F1 that arrives, so ? is the same; where letters are typed, F2
is the same as g."""

EXPLAINING_KEYS: Pairs = (("F1/?", "help"), ("g", "glossary"))
EXPLAINING_KEYS_TYPING: Pairs = (("F1/?", "help"), ("F2", "glossary"))

WIDE = 110
"""Columns from which there is room for two columns of text."""

WIDTHS = [(0, "-narrow"), (WIDE, "-wide")]
"""Classes of a screen by its columns."""

HEIGHTS = [(0, "-low"), (30, "-high")]
"""Classes of a screen by its lines."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """What F1 shows of a screen: its paragraphs, of which `Word: ...` begins one about a word, and its
    keys."""

    title: str
    text: str
    keys: Pairs


class Dialog(ModalScreen[Answer]):
    """Something over a step. `NAME` and `HELP` are what F1 says; `TYPING` where letters go into a field."""

    NAME: ClassVar[str] = ""
    HELP: ClassVar[str] = ""
    TYPING: ClassVar[bool] = False
    HORIZONTAL_BREAKPOINTS = WIDTHS
    VERTICAL_BREAKPOINTS = HEIGHTS
    BINDINGS: ClassVar[list[BindingType]] = EXPLAINING

    def keys(self) -> Pairs:
        """The dialog's own keys."""
        return ()

    def all_keys(self) -> Pairs:
        """Every key that does something here."""
        return (*self.keys(), *(EXPLAINING_KEYS_TYPING if self.TYPING else EXPLAINING_KEYS))

    def key_lines(self) -> Keys:
        """The bottom lines."""
        keys = Keys()
        keys.set_keys(self.all_keys())
        return keys

    def explanation(self) -> Explanation:
        """For F1."""
        return Explanation(self.NAME, self.HELP, self.all_keys())
