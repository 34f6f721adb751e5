"""Pages that are read: a text, the help to a place, reasons, and steps with their commands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from wizard.desk.asides.beside import Beside
from wizard.desk.asides.words import pages as words
from wizard.desk.parts.reasons import (
    Reason,
    choice_reasons,
    finding_reasons,
    step_reasons,
    unmade_reasons,
    verdict_reasons,
)
from wizard.desk.place import Place
from wizard.desk.view import (
    GAP,
    Action,
    Block,
    Column,
    Command,
    Pane,
    Piece,
    Row,
    Rows,
    Step,
    Text,
    Tone,
    View,
    muted,
    para,
    strong,
)
from wizard.desk.words import BACK, GLOSSARY_KEY, QUIT_KEY
from wizard.model.said import t

if TYPE_CHECKING:
    from wizard.desk.desk import Desk
    from wizard.model.documents.changes import ChangeStep
    from wizard.model.documents.migration import MigrationStep
    from wizard.model.plan import Step as PlanStep

__all__ = [
    "Page",
    "Reason",
    "Reasons",
    "choice_reasons",
    "command_blocks",
    "finding_reasons",
    "help_page",
    "read_actions",
    "step_reasons",
    "unmade_reasons",
    "verdict_reasons",
]

CAPS = {"escape": "Esc", "enter": "Enter", "space": "Space", "delete": "Del", "backspace": "Backspace"}
"""What stands on the keys that have more than one letter."""


def read_actions() -> tuple[Action, ...]:
    """Of a place that is only read: Enter and Esc lead back."""
    return (Action("back", "enter", BACK), Action("back", "escape", BACK, aside=True))


class Page(Beside):
    """A text to read."""

    def __init__(
        self, desk: Desk, title: Text, blocks: Sequence[Block], step: Step | None = None, place: str = "page"
    ) -> None:
        super().__init__(desk, step)
        self._title, self._blocks, self._place = title, tuple(blocks), place

    def view(self) -> View:
        """The text."""
        return View(self._place, self.at, self._title, read_actions(), panes=(Pane("", self._blocks),))


def help_page(desk: Desk, view: View) -> Place:
    """What a place says of itself, and every key that does something there."""
    actions = (*view.actions, Action("glossary", "f2", GLOSSARY_KEY), Action("quit", "q", QUIT_KEY))
    blocks: list[Block] = [block for text in view.help for block in (para(text), GAP)]
    blocks.append(para(strong(t("Keys"))))
    blocks += [_key(action) for action in actions]
    return Page(desk, t("Help"), blocks, view.step, "help")


def _key(action: Action) -> Block:
    cap = CAPS.get(action.key, action.key.upper() if action.key[1:].isdigit() else action.key)
    why_not = muted(t("(not now: {why})", why=action.why_not)) if action.why_not != "" else ""
    return para(Piece(cap, Tone.ACCENT), action.label, why_not, indent=2, hang=6)


class Reasons(Beside):
    """Sentences, and what stands behind the one under the cursor."""

    def __init__(self, desk: Desk, title: Text, reasons: Sequence[Reason], step: Step | None = None) -> None:
        super().__init__(desk, step)
        self._title, self._reasons, self._row = title, tuple(reasons), "0"

    def moved(self, row: str) -> None:
        """Another sentence."""
        self._row = row

    def view(self) -> View:
        """The sentences, and what is behind one."""
        captions = any(reason.caption.text != "" for reason in self._reasons)
        rows = tuple(
            Row(str(number), (reason.caption, reason.sentence) if captions else (reason.sentence,))
            for number, reason in enumerate(self._reasons)
        )
        here = next(
            (reason for row, reason in zip(rows, self._reasons, strict=True) if row.key == self._row), None
        )
        behind = here.behind if here else (para(t("Nothing more can be said of this.")),)
        return View(
            "reasons",
            self.at,
            self._title,
            read_actions(),
            rows=Rows(rows, self._row, (Column(), Column()) if captions else (Column(),)),
            panes=(Pane("", behind),),
            help=(
                t("Each line is a statement. Its evidence is beside or below it."),
                t(
                    "Figures are published ones, with when, on what kernel and on what hardware "
                    "they were measured."
                ),
            ),
        )


def command_blocks(steps: Sequence[PlanStep | ChangeStep | MigrationStep]) -> tuple[Block, ...]:
    """Every step with its commands and edits, what it destroys, how it is undone, and what is checked."""
    return tuple(block for number, step in enumerate(steps, 1) for block in _step(number, step))


def _step(number: int, step: PlanStep | ChangeStep | MigrationStep) -> Iterator[Block]:
    from wizard.model.documents.changes import ChangeStep
    from wizard.model.documents.migration import MigrationStep
    from wizard.model.plan import Step as PlanStep

    yield para(strong(f"{number}."), strong(step.sentence), hang=3)
    yield from map(Command, step.commands)
    yield from (para(Piece(edit, Tone.ACCENT), indent=5, hang=2) for edit in step.edits)
    if isinstance(step, PlanStep) and step.destroys:
        yield para(Piece(words.DESTROYS, Tone.DANGER), step.destroys, indent=3, hang=2)
    if step.undo:
        yield para(muted(words.UNDO), step.undo, indent=3, hang=2)
    if isinstance(step, MigrationStep) and step.power:
        yield para(muted(t("If the power goes:")), step.power, indent=3, hang=2)
    yield from (para(muted(words.CHECKED), held, indent=3, hang=2) for held in step.holds)
    if not isinstance(step, ChangeStep) and step.seconds >= 1:
        yield para(t("Takes {seconds:time}, by estimate.", seconds=step.seconds), indent=3)
    yield GAP
