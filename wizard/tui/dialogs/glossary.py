"""What the words mean: a list that is searched by typing, the words of the screen below it first."""

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.events import Key
from textual.message import Message
from textual.screen import Screen

from wizard.advise.glossary import Term, load_glossary, search_terms, terms_in
from wizard.model.errors import DiskwrightError
from wizard.model.names import printable
from wizard.tui.dialogs.explained import Dialog
from wizard.tui.widgets.keys import Keys, Pairs
from wizard.tui.widgets.lineview import LineView
from wizard.tui.widgets.rows import Column, Row, Rows
from wizard.tui.widgets.words import Block, Prose, Words, gap, para

LONGEST_SEARCH = 40


class TypedRows(Rows):
    """Rows in which letters search: `Typed` tells of each."""

    class Typed(Message):
        """A letter was typed; empty for the last one taken back."""

        def __init__(self, letter: str) -> None:
            super().__init__()
            self.letter = letter

    def on_key(self, event: Key) -> None:
        """Letters and spaces; ? stays the key to the help."""
        letter = event.character if event.is_printable and event.key != "question_mark" else None
        if letter is None and event.key != "backspace":
            return
        event.stop()
        self.post_message(self.Typed(letter or ""))


class GlossaryScreen(Dialog[None]):
    """Terms, and what the highlighted one means. `text` is what the screen below says."""

    NAME = "Glossary"
    TYPING = True
    HELP = """
Each line is a word that diskwright uses, with its other spellings. What the highlighted one means stands
beside or below the list, with where that is from.

Here: the word stands on the screen that you came from, perhaps further down than can be seen. Those words
come first.

Search: type a few letters; only the words that have them are left. Backspace takes a letter back.

Your own words are files in ~/.config/diskwright/glossary or /etc/diskwright/glossary; `diskwright glossary
--help` says how they are written.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f2,enter", "close", show=False, id="glossary.close")
    ]

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text, self._search = text, ""
        self._terms: tuple[Term, ...] = ()
        self._here: frozenset[str] = frozenset()

    def compose(self) -> ComposeResult:
        """What is searched for, the list, the meaning."""
        yield Prose(Text(" Glossary"), id="head")
        yield Prose(id="search")
        with Container(id="halves"):
            yield TypedRows(
                Column("Term"), Column("Here"), Column("Other spellings", flexible=True), id="terms"
            )
            yield Prose(classes="rule")
            yield Words(id="meaning")
        yield self.key_lines()

    def keys(self) -> Pairs:
        """Searching and reading."""
        return (("letters", "search"), ("Up/Down", "choose"), ("Esc", "close"))

    def all_keys(self) -> Pairs:
        """It is the glossary already."""
        return (*self.keys(), ("F1/?", "help"))

    def on_mount(self) -> None:
        """The words of the screen below, then all others."""
        self.query_one(TypedRows).focus()
        try:
            every = load_glossary()
        except DiskwrightError as error:
            self.query_one("#meaning", Words).show([para(printable(str(error), 400), "red")])
            return
        here = terms_in(self._text, every)
        self._here = frozenset(term.id for term in here)
        self._terms = (*here, *(term for term in every if term.id not in self._here))
        self._draw()

    def _draw(self) -> None:
        found = search_terms(self._search, self._terms)
        count = f"{len(found)} of {len(self._terms)} words"
        self.query_one("#search", Prose).update(
            Text(f"Search: [{printable(self._search, LONGEST_SEARCH)}_]   {count}")
        )
        rows = self.query_one(TypedRows)
        rows.set_rows([self._row(term) for term in found], found[0].id if found else None)

    def _row(self, term: Term) -> Row:
        return Row(
            term.id,
            (
                Text(printable(term.term, 30)),
                Text("here" if term.id in self._here else ""),
                Text(printable(", ".join(term.also), 120)),
            ),
        )

    @on(TypedRows.Typed)
    def typed(self, message: TypedRows.Typed) -> None:
        """Search by one letter more, or less."""
        self._search = (
            (self._search + message.letter)[:LONGEST_SEARCH] if message.letter else self._search[:-1]
        )
        self._draw()

    @on(Rows.Highlighted)
    def highlighted(self) -> None:
        """Show what it means."""
        row = self.query_one(TypedRows).current
        term = next((term for term in self._terms if row and term.id == row.key), None)
        self.query_one("#meaning", Words).show(
            term_blocks(term) if term else [para("No word has these letters.")]
        )

    def action_close(self) -> None:
        """Back to where the word was read."""
        self.dismiss(None)


def term_blocks(term: Term) -> Sequence[Block]:
    """A term with its spellings, meaning and source."""
    also: list[Block] = [para(f"Also: {printable(', '.join(term.also), 200)}")] if term.also else []
    return [
        para(printable(term.term, 60), "bold"),
        *also,
        gap(),
        para(printable(term.text, 500)),
        gap(),
        para(f"Source: {printable(term.source, 200)}", hang=2),
    ]


def words_of(screen: Screen[object]) -> str:
    """All that a screen says, also what is scrolled away; not what its keys are called."""
    return "\n".join(view.plain for view in screen.query(LineView) if not isinstance(view, Keys))
