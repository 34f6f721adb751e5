"""Questions, and something to type. What Enter does at first changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from wizard.desk.asides.beside import Beside
from wizard.desk.place import Values
from wizard.desk.view import Action, Block, Field, Text, Tone, View, para
from wizard.model.errors import DiskwrightError
from wizard.model.said import t

if TYPE_CHECKING:
    from wizard.desk.desk import Desk


class Question(Beside):
    """A question over the place before. `text` is what yes would mean; `then` is called after a yes, when the
    place before is the last one again, and what it raises is told there."""

    def __init__(
        self,
        desk: Desk,
        title: Text,
        text: Text | Sequence[Block],
        yes: Text,
        then: Callable[[], None],
        no: Text = "",
        *,
        ends: bool = False,
    ) -> None:
        super().__init__(desk)
        self._title, self._yes, self._then, self._ends = title, yes, then, ends
        self._no = no if no != "" else t("no")
        self._blocks = blocks_of(text)

    def view(self) -> View:
        """No comes first."""
        actions = (
            Action("no", "enter", self._no),
            Action("yes", "y", self._yes, ends=self._ends),
            Action("no", "escape", self._no, aside=True),
            Action("no", "n", self._no, aside=True),
        )
        return View(
            "question",
            self.at,
            self._title,
            actions,
            above=self._blocks,
            over=True,
            help=(t("Nothing happens before you answer. Enter changes nothing."),),
        )

    def act_no(self, _row: str, _values: Values) -> None:
        """All stays as it was."""
        self.desk.back()

    def act_yes(self, _row: str, _values: Values) -> None:
        """Back, and do it."""
        self.desk.back()
        go_on(self.desk, self._then)


Take = Callable[[Values], Callable[[], None] | None]
"""What is done with what was typed."""


class Typing(Beside):
    """Something to type over the place before.

    `take` gets what was typed while this is still the last place. Where it raises, that is told here, and
    what was typed stays. Otherwise the place before is the last one again, and then what `take` returned is
    called: whatever leads to another place belongs there. What that raises is told in the place before.
    """

    def __init__(
        self,
        desk: Desk,
        title: Text,
        blocks: Text | Sequence[Block],
        fields: Sequence[Field],
        take: Take,
        label: Text,
    ) -> None:
        super().__init__(desk)
        self._title, self._take, self._label = title, take, label
        self._blocks, self._fields = blocks_of(blocks), tuple(fields)

    def view(self) -> View:
        """The fields, as they were typed so far."""
        return View(
            "typing",
            self.at,
            self._title,
            (Action("take", "enter", self._label), Action("back", "escape", t("cancel"))),
            above=self._blocks,
            fields=self._fields,
            over=True,
            help=(t("Enter in the last line takes what you typed. Esc leaves all as it was."),),
        )

    def turned(self, field: str, values: Values) -> None:
        """Another value of a field."""
        self._fields = _typed(self._fields, values)

    def act_take(self, _row: str, values: Values) -> None:
        """Take it, or say what is wrong with it."""
        self._fields = _typed(self._fields, values)
        then = self._take(values)
        if self.desk.place is self:
            self.desk.back()
        if then is not None:
            go_on(self.desk, then)


def blocks_of(text: Text | Sequence[Block]) -> tuple[Block, ...]:
    """A text as blocks."""
    from wizard.model.said import Said

    return (para(text),) if isinstance(text, str | Said) else tuple(text)


def go_on(desk: Desk, then: Callable[[], None]) -> None:
    """What it raises is told in the place that is the last one now."""
    place = desk.place
    try:
        then()
    except DiskwrightError as error:
        place.tell(str(error), Tone.WARN)


def _typed(fields: Sequence[Field], values: Values) -> tuple[Field, ...]:
    """Secrets are kept nowhere."""
    return tuple(
        field if field.secret else replace(field, value=values.get(field.key, field.value))
        for field in fields
    )
