"""Pages to read: text, screen help, reasons, glossary, and steps with commands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from wizard.advice.evidence import Term, find_term, load_glossary, terms_in
from wizard.model.said import t
from wizard.ui.components.reasons import SOURCE, Reason
from wizard.ui.desk import Desk, Screen
from wizard.ui.view import (
    BACK,
    GAP,
    GLOSSARY_KEY,
    QUIT_KEY,
    Action,
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
    ScreenStep,
    Text,
    Tone,
    View,
    muted,
    para,
    strong,
)


class Overlay(Screen):
    """A dialog of the current screen, or of step `at`."""

    def __init__(self, desk: Desk, at: ScreenStep | None = None) -> None:
        super().__init__(desk)
        self.at = at or desk.view.step

    def drives_changed(self) -> None:
        """Close the dialogs if a drive of the session was unplugged. The desk then leaves the screen."""
        if self.desk.screen is not self or self.at in (ScreenStep.DRIVES, ScreenStep.WORK):
            return
        if all(map(self.services.is_attached, self.desk.session.drives)):
            return
        while isinstance(self.desk.screen, Overlay) and self.desk.screen.may_leave:
            self.desk.back()


CAPS = {"escape": "Esc", "enter": "Enter", "space": "Space", "delete": "Del", "backspace": "Backspace"}
"""Labels of keys with several letters."""


def _read_actions() -> tuple[Action, ...]:
    """Return the actions of a page to read: Enter and Esc close it."""
    return (Action("back", "enter", BACK), Action("back", "escape", BACK, aside=True))


class Page(Overlay):
    """A page of text."""

    def __init__(
        self,
        desk: Desk,
        title: Text,
        blocks: Sequence[Block],
        step: ScreenStep | None = None,
        place: str = "page",
    ) -> None:
        super().__init__(desk, step)
        self._title, self._blocks, self._place = title, tuple(blocks), place

    def view(self) -> View:
        """Return the text."""
        return View(self._place, self.at, self._title, _read_actions(), panes=(Pane("", self._blocks),))


def help_page(desk: Desk, view: View) -> Screen:
    """Return the help of a view with all its keys."""
    actions = (*view.actions, Action("glossary", "f2", GLOSSARY_KEY), Action("quit", "q", QUIT_KEY))
    blocks: list[Block] = [block for text in view.help for block in (para(text), GAP)]
    blocks.append(para(strong(t("Keys"))))
    blocks += [_key(action) for action in actions]
    return Page(desk, t("Help"), blocks, view.step, "help")


def _key(action: Action) -> Block:
    cap = CAPS.get(action.key, action.key.upper() if action.key[1:].isdigit() else action.key)
    why_not = muted(t("(not now: {why})", why=action.why_not)) if action.why_not != "" else ""
    return para(Piece(cap, Tone.ACCENT), action.label, why_not, indent=2, hang=6)


class Reasons(Overlay):
    """Statements, with evidence for the selected one."""

    def __init__(
        self, desk: Desk, title: Text, reasons: Sequence[Reason], step: ScreenStep | None = None
    ) -> None:
        super().__init__(desk, step)
        self._title, self._reasons, self._row = title, tuple(reasons), "0"

    def moved(self, row: str) -> None:
        """Select another statement."""
        self._row = row

    def view(self) -> View:
        """Return the statements, and evidence for one."""
        captions = any(reason.caption.text != "" for reason in self._reasons)
        rows = tuple(
            Row(str(number), (reason.caption, reason.sentence) if captions else (reason.sentence,))
            for number, reason in enumerate(self._reasons)
        )
        here = next(
            (reason for row, reason in zip(rows, self._reasons, strict=True) if row.key == self._row), None
        )
        behind = here.behind if here else (para(t("No further details.")),)
        return View(
            "reasons",
            self.at,
            self._title,
            _read_actions(),
            rows=Rows(rows, self._row, (Column(), Column()) if captions else (Column(),)),
            panes=(Pane("", behind),),
            help=(
                t("Each line is a statement, with evidence next to or below the line."),
                t("Figures are published results, with date, kernel and hardware."),
            ),
        )


COLUMNS = (Column(t("Term")), Column(), Column(t("Also"), least=90))


class Glossary(Overlay):
    """List of terms, with a definition of the selected one."""

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
        """Select another term."""
        self._row = row

    def view(self) -> View:
        """Return the terms, and one definition."""
        term = next((term for term in self._terms if term.id == self._row), None)
        return View(
            "glossary",
            self.at,
            t("Glossary"),
            _read_actions(),
            rows=Rows(tuple(map(self._of, self._terms)), self._row, COLUMNS),
            panes=(_pane(term),) if term else (),
            help=(
                t("Terms marked `here` appear on the previous screen and are listed first."),
                t("Add your own terms to ~/.config/diskwright/glossary. See `diskwright glossary --help`."),
            ),
        )

    def _of(self, term: Term) -> Row:
        here = muted(t("here")) if term.id in self._here else Piece("")
        return Row(term.id, (Piece(term.term), here, muted(", ".join(map(str, term.also)))))


def meaning(word: str) -> Pane:
    """Return the definition of a word. Raises BadInput with similar words if unknown."""
    return _pane(find_term(word))


def _pane(term: Term) -> Pane:
    return Pane(term.term, term_blocks(term))


def term_blocks(term: Term) -> tuple[Block, ...]:
    """Return other spellings, explanation and source of a term."""
    also = (para(t("Also: {spellings:list}.", spellings=term.also)),) if term.also else ()
    source = para(muted(SOURCE), term.source, hang=2)
    return (*also, para(strong(term.text)), GAP, source)


def texts_of(view: View) -> Iterator[Text]:
    """Yield all texts of a view, including scrolled ones, except labels of keys."""
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
