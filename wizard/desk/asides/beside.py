"""Places beside the five screens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wizard.desk.place import Place
from wizard.desk.view import Step

if TYPE_CHECKING:
    from wizard.desk.desk import Desk


class Beside(Place):
    """A place that belongs to the screen from which it is opened, or to `at`."""

    def __init__(self, desk: Desk, at: Step | None = None) -> None:
        super().__init__(desk)
        self.at = at or desk.view.step

    def drives_changed(self) -> None:
        """Where a drive has gone that is settled on the screen below, that one is to be the last place: it is
        what the desk leaves then."""
        if self.desk.place is not self or self.at in (Step.DRIVES, Step.WORK):
            return
        if all(map(self.services.is_attached, self.desk.session.drives)):
            return
        while isinstance(self.desk.place, Beside) and self.desk.place.may_leave:
            self.desk.back()
