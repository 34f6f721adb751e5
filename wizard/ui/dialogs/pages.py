"""Pages to read: text, screen help, reasons, glossary, and steps with commands."""

from collections.abc import Iterable, Iterator
from enum import Enum

from msgspec import Struct

from wizard.advice import evidence
from wizard.model.said import Message, t
from wizard.ui import messages
from wizard.ui import view as ui
from wizard.ui.components.reasons import SOURCE, Reason
from wizard.ui.desk import Desk, Screen


class Page(Screen):
    """A page of text."""

    def __init__(self, desk: Desk, title: ui.Text, blocks: ui.Blocks, place: str = "page") -> None:
        super().__init__(desk)
        self.title, self.place, self.panes = title, place, (ui.Pane("", tuple(blocks)),)


def help_page(desk: Desk) -> Screen:
    """Return the help of the current view with all its keys."""
    view = desk.view
    blocks: list[ui.Block] = [block for text in view.help for block in (ui.para(text), ui.GAP)]
    blocks.append(ui.heading(t("Keys")))
    for action in view.actions:
        if action.name != "help":
            why_not = ui.muted(t("(not now: {why})", why=action.why_not)) if action.why_not else ""
            blocks.append(ui.named(ui.key_name(action.key), action.label, why_not, indent=2, hang=6))
    return Page(desk, messages.FIRST(what=messages.HELP), blocks, "help")


class Reasons(Screen):
    """Statements, with the evidence for the selected one. By default, Enter closes the list."""

    place = "reasons"

    def __init__(self, desk: Desk, title: ui.Text, reasons: Iterable[Reason]) -> None:
        super().__init__(desk)
        self.title = title
        self._reasons = {str(number): reason for number, reason in enumerate(reasons)}

    def _rows(self) -> ui.Listed:
        return (ui.row(key, *reason.cells) for key, reason in self._reasons.items())

    def _panes(self) -> ui.Panes:
        reason = self._reasons.get(self.at, Reason(()))
        yield ui.Pane(reason.title, reason.behind or (ui.para(t("No further details.")),))


class Glossary(Reasons):
    """The list of terms, beginning with the current view's."""

    place = "glossary"
    columns = (ui.Column(t("Term")), ui.Column(), ui.Column(t("Also"), least=90))
    help = (t("Add your own terms to ~/.config/diskwright/glossary. See `diskwright glossary --help`."),)

    def __init__(self, desk: Desk) -> None:
        view, every = desk.view, evidence.load_glossary()
        seen = texts_of((view, desk.below if view.over else None))
        here = evidence.terms_in("\n".join(map(str, seen)), every)
        terms = (
            Reason(
                (
                    term.term,
                    ui.muted(t("here") if term in here else ""),
                    ui.muted(", ".join(map(str, term.also))),
                ),
                term_blocks(term),
                term.term,
            )
            for term in dict.fromkeys((*here, *every))
        )
        super().__init__(desk, t("Glossary"), terms)


def meaning(word: str) -> ui.Pane:
    """Return the definition of a word. Raises BadInput with similar words if unknown."""
    term = evidence.find_term(word)
    return ui.Pane(term.term, term_blocks(term))


def term_blocks(term: evidence.Term) -> tuple[ui.Block, ...]:
    """Return other spellings, explanation and source of a term."""
    also = (ui.para(t("Also: {spellings:list}.", spellings=term.also)),) if term.also else ()
    source = ui.label(SOURCE, term.source)
    return (*also, ui.heading(term.text), ui.GAP, source)


UNSEEN = frozenset({"place", "key", "at", "value", "help", "actions"})
"""Fields of views that are not shown as text, are keys, or are shown elsewhere."""


def texts_of(part: object) -> Iterator[ui.Text]:
    """Yield all texts of a view or a part of it, including scrolled ones, except labels of keys."""
    if isinstance(part, Message | str) and not isinstance(part, Enum):
        yield part
    elif isinstance(part, tuple):
        for one in part:
            yield from texts_of(one)
    elif isinstance(part, Struct):
        for field in part.__struct_fields__:
            if field not in UNSEEN:
                yield from texts_of(getattr(part, field))
