"""What the words mean: those of the screen that one comes from first, then all others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from wizard.advise.glossary import Term, find_term, load_glossary, terms_in
from wizard.desk.asides.beside import Beside
from wizard.desk.asides.pages import read_actions
from wizard.desk.asides.words import pages as words
from wizard.desk.view import (
    GAP,
    Banner,
    Bar,
    Block,
    Column,
    Command,
    Figures,
    Pane,
    Para,
    Piece,
    Progress,
    Row,
    Rows,
    Text,
    View,
    muted,
    para,
    strong,
)
from wizard.model.said import t

if TYPE_CHECKING:
    from wizard.desk.desk import Desk

COLUMNS = (Column(t("Word")), Column(), Column(t("Also"), least=90))


class Glossary(Beside):
    """Words in a list, with what the one under the cursor means."""

    def __init__(self, desk: Desk, view: View) -> None:
        super().__init__(desk, view.step)
        below = desk.below if view.over else None
        seen = [*texts_of(view), *(texts_of(below) if below else ())]
        every = load_glossary()
        here = terms_in("\n".join(map(str, seen)), every)
        self._here = frozenset(term.id for term in here)
        self._terms = (*here, *(term for term in every if term.id not in self._here))
        self._row = self._terms[0].id if self._terms else ""

    def moved(self, row: str) -> None:
        """Another word."""
        self._row = row

    def view(self) -> View:
        """The list, and one meaning."""
        term = next((term for term in self._terms if term.id == self._row), None)
        return View(
            "glossary",
            self.at,
            t("What the words mean"),
            read_actions(),
            rows=Rows(tuple(map(self._of, self._terms)), self._row, COLUMNS),
            panes=(_pane(term),) if term else (),
            help=(
                t("Words marked `here` stand on the screen that you came from. They come first."),
                t(
                    "Your own words go into ~/.config/diskwright/glossary. `diskwright glossary "
                    "--help` says how."
                ),
            ),
        )

    def _of(self, term: Term) -> Row:
        here = muted(t("here")) if term.id in self._here else Piece("")
        return Row(term.id, (Piece(term.term), here, muted(", ".join(map(str, term.also)))))


def meaning(word: str) -> Pane:
    """What a word means; raises BadInput that names the nearest ones where nobody knows it."""
    return _pane(find_term(word))


def _pane(term: Term) -> Pane:
    also = (para(t("Also: {spellings:list}.", spellings=term.also)),) if term.also else ()
    source = para(muted(words.SOURCE), term.source, hang=2)
    return Pane(term.term, (*also, para(strong(term.text)), GAP, source))


def texts_of(view: View) -> Iterator[Text]:
    """All that a view says, also what is scrolled away; not what its keys are called."""
    yield from (view.title, view.about)
    yield from _said(view.above)
    if view.rows:
        yield from (column.title for column in view.rows.columns)
        for row in view.rows.rows:
            yield from (*(cell.text for cell in row.cells), row.why_not, *row.notes)
    for field in view.fields:
        yield from (field.caption, field.hint)
        yield from (text for offer in field.offers for text in (offer.text, offer.why_not))
    for pane in view.panes:
        yield pane.title
        yield from _said(pane.blocks)
    if view.said:
        yield view.said.text


def _said(blocks: Iterable[Block]) -> Iterator[Text]:
    for block in blocks:
        match block:
            case Para(pieces=pieces):
                yield from (piece.text for piece in pieces)
            case Command(argv=argv):
                yield " ".join(argv)
            case Bar(stretches=stretches, caption=caption):
                yield caption
                yield from (text for one in stretches for text in (one.name, one.filesystem))
            case Figures(unit=unit, values=values):
                yield unit
                yield from (name for name, _ in values)
            case Progress(said=said):
                yield said
            case Banner(text=text, detail=detail):
                yield from (text, *detail)
