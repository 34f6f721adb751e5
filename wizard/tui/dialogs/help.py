"""The help of a screen, in that screen's words."""

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from wizard.tui.dialogs.explained import Dialog, Explanation
from wizard.tui.widgets.keys import Pairs
from wizard.tui.widgets.words import Block, Prose, Words, gap, para

LONGEST_WORD = 24
"""Cells: what stands before a colon at a paragraph's start is a word that is explained only if it is
short."""


class HelpScreen(Dialog[None]):
    """What a screen shows, the words it uses, and its keys."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f1,question_mark,q,b,enter", "close", show=False, id="help.close")
    ]

    def __init__(self, explanation: Explanation) -> None:
        super().__init__()
        self._explanation = explanation

    def compose(self) -> ComposeResult:
        """A page to scroll."""
        yield Prose(Text(f" Help: {self._explanation.title}"), id="head")
        yield Words(gap(), *help_blocks(self._explanation), id="help")
        yield self.key_lines()

    def keys(self) -> Pairs:
        """Reading."""
        return (("Up/Down", "scroll"), ("Esc", "close the help"))

    def all_keys(self) -> Pairs:
        """There is no help on the help."""
        return (*self.keys(), ("g", "glossary"))

    def on_mount(self) -> None:
        """Ready to scroll."""
        self.query_one(Words).focus()

    def action_close(self) -> None:
        """Back to what it was about."""
        self.dismiss(None)


def help_blocks(explanation: Explanation) -> list[Block]:
    """The paragraphs, then the keys."""
    blocks: list[Block] = []
    for part in explanation.text.strip().split("\n\n"):
        flowing = part.replace("\n", " ")
        head, colon, rest = flowing.partition(": ")
        if colon and len(head) <= LONGEST_WORD:
            blocks.append(para(Text(f"{head}: ", "bold").append(rest, "not bold"), hang=2))
        else:
            blocks.append(para(flowing))
        blocks.append(gap())
    blocks.append(para("Keys", "bold"))
    return blocks + [para(f"{key:<12} {does}", indent=2, hang=13) for key, does in explanation.keys]
