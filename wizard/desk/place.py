"""A place of the wizard: it says what is to be seen, and does what a person asks for there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from wizard.desk.view import Action, Piece, Step, Text, Tone, View
from wizard.desk.words import BACK

if TYPE_CHECKING:
    from wizard.advise.missing import Missing
    from wizard.desk.desk import Desk
    from wizard.model.errors import DiskwrightError
    from wizard.services.contract import Services

Values = Mapping[str, str]
"""What the fields hold, by their keys."""


class Place:
    """One place. The desk holds those that were come through, and shows the last of them.

    `act_NAME` is called for the action NAME, with the row that the cursor stands on, or empty, and what the
    fields hold. Before it the cursor is where the face says it is.
    """

    step: ClassVar[Step] = Step.DRIVES

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.said: Piece | None = None
        self.missing: Missing | None = None

    @property
    def services(self) -> Services:
        """Who is asked about drives."""
        return self.desk.services

    def entered(self) -> None:
        """It is the last place now: come to, or come back to."""

    def left(self) -> None:
        """It is no place any more."""

    def view(self) -> View:
        """What is to be seen."""
        raise NotImplementedError

    def moved(self, row: str) -> None:
        """The cursor stands on this row now."""

    def act(self, name: str, row: str, values: Values) -> None:
        """Do an action of the view."""
        method = getattr(self, f"act_{name.replace('-', '_')}")
        method(row, values)

    def refused(self, error: DiskwrightError) -> None:
        """Tell why something was not done; what is missed for it can be installed from here."""
        from wizard.advise.missing import Lacking

        self.tell(str(error), Tone.WARN)
        self.missing = error.missing if isinstance(error, Lacking) else None

    def forget(self) -> None:
        """Something else is done now: take the answer to what was done last away."""
        self.tell("")
        self.missing = None

    def equipped(self) -> None:
        """What was missed is installed, and the session's machine knows it."""

    def act_back(self, _row: str, _values: Values) -> None:
        """To the place before."""
        self.desk.back()

    def turned(self, field: str, values: Values) -> None:
        """A field was turned to another value; the fields hold `values`."""

    def drives_changed(self) -> None:
        """Drives have come or gone."""

    def runs_changed(self) -> None:
        """A run that was at work is not any more."""

    @property
    def may_leave(self) -> bool:
        """Whether it can be left now."""
        return True

    def tell(self, text: Text, tone: Tone = Tone.PLAIN) -> None:
        """Answer what was done; empty takes the answer away."""
        self.said = Piece(text, tone) if text != "" else None


def back_action() -> Action:
    """To the place before."""
    return Action("back", "escape", BACK)
