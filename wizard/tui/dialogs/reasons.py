"""Why something is said: the sentences of a screen, and behind each its reason, its source and its
evidence."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container

from wizard.tui.dialogs.explained import Dialog
from wizard.tui.widgets.keys import Pairs
from wizard.tui.widgets.rows import Column, Row, Rows
from wizard.tui.widgets.words import Block, Prose, Words, para


@dataclass(frozen=True, slots=True)
class Reason:
    """A sentence and what stands behind it."""

    sentence: Text
    behind: Sequence[Block]


class ReasonsScreen(Dialog[None]):
    """Sentences, and what stands behind the highlighted one."""

    NAME = "Reasons"
    HELP = """
Each line is a sentence of the screen that you came from. What stands behind the highlighted one is shown
beside or below the list.

Why: what is at stake. Do: what helps, or why nothing does. Source: where the rule is from.

Evidence: published figures, drawn as bars, with when, on which kernel and on what they were measured. Old
figures are shown as old ones.

Where no figure stands behind a sentence, that is said: it is then a judgement.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,e,q,b,enter", "close", show=False, id="reasons.close")
    ]

    def __init__(self, title: str, reasons: Sequence[Reason]) -> None:
        super().__init__()
        self._title, self._reasons = title, tuple(reasons)

    def compose(self) -> ComposeResult:
        """Bar, sentences, what is behind one, keys."""
        yield Prose(Text(f" {self._title}"), id="head")
        with Container(id="halves"):
            yield Rows(Column(flexible=True, wrapped=True), id="sentences")
            yield Prose(classes="rule")
            yield Words(id="behind")
        yield self.key_lines()

    def keys(self) -> Pairs:
        """Choosing and reading."""
        return (("Up/Down", "choose"), ("Tab", "sentences or reason"), ("Esc", "close"))

    def on_mount(self) -> None:
        """The first sentence."""
        rows = self.query_one(Rows)
        rows.set_rows([Row(str(number), (reason.sentence,)) for number, reason in enumerate(self._reasons)])
        rows.focus()

    @on(Rows.Highlighted)
    def highlighted(self) -> None:
        """Show what stands behind it."""
        row = self.query_one(Rows).current
        self.query_one("#behind", Words).show(
            self._reasons[int(row.key)].behind if row else [para("There is no sentence here.")]
        )

    def action_close(self) -> None:
        """Back to the step."""
        self.dismiss(None)
