"""Select the drives of a volume, and how it uses them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from wizard.host.recorded import WAYS, SpreadWay, candidates, loss_of, spread, spread_of, way_of
from wizard.host.session import Session
from wizard.model.errors import DiskwrightError
from wizard.model.said import Sentence, t
from wizard.plan.refusals import unread_content
from wizard.ui.components.decisions import impediment
from wizard.ui.components.drive_rows import held_on
from wizard.ui.view import (
    Action,
    Block,
    Column,
    Pane,
    Piece,
    Place,
    Row,
    Rows,
    ScreenStep,
    Text,
    Tone,
    Values,
    View,
    back_action,
    para,
    strong,
)

if TYPE_CHECKING:
    from wizard.model.machine import Drive
    from wizard.ui.desk import Desk


# Keys.

# Before anything is lost.

HELP = (
    Sentence(
        "One volume can span several drives. Choose the drives, then the layout. No data is written here."
    ),
    Sentence(
        "A mirror stores every file on more than one drive, so a drive may fail. "
        "Capacity is half or less. A mirror does not replace backups: deleted files "
        "disappear from all drives."
    ),
    Sentence(
        "A stripe splits each file across all drives, with their combined capacity "
        "and speed. If any drive fails, everything is lost."
    ),
    Sentence("Btrfs combines drives directly. md and LVM need another filesystem on top."),
    Sentence(
        "Each drive is used whole and contributes as much as the smallest. Unusable "
        "drives and layouts show a reason."
    ),
)


MEANS = t("Effect")
LAY = t("use")

DRIVES, HOW = "drives", "how"
"""The keys of the two headings."""


class Spread(Place):
    """The other drives, of which several can be taken, and the ways.

    `take` gets the session laid out over them, and may refuse it; then this place is left, unless `take` led
    elsewhere itself. Where something would be lost that is asked first.
    """

    step = ScreenStep.PLAN

    def __init__(self, desk: Desk, session: Session, take: Callable[[Session], None]) -> None:
        super().__init__(desk)
        self._session, self._take = session, take
        self._taken = [drive.path for drive in session.others]
        self._at = ""
        self._look()

    def _look(self) -> None:
        """Which drives there are, and what can be made of those that are taken."""
        found = candidates(self._session, partial(impediment, self.services, self.desk.runs))
        self._found = tuple(one for one in found if self.services.is_attached(one[0]))
        able = {drive.path for drive, refusal in self._found if refusal == ""}
        self._taken = [path for path in self._taken if path in able]
        keys = [*(drive.path for drive, _ in self._found), *(way.name for way in WAYS)]
        self._at = self._at if self._at in (*keys, DRIVES, HOW) else keys[0]
        self._tried = {way.name: self._try(way) for way in WAYS}

    def _try(self, way: SpreadWay) -> Session | str:
        try:
            return spread(self.services, self._session, way, self._others)
        except DiskwrightError as error:
            return str(error)

    @property
    def _others(self) -> tuple[Drive, ...]:
        by_path = {drive.path: drive for drive, _ in self._found}
        return tuple(by_path[path] for path in self._taken)

    def view(self) -> View:
        """Drives and ways in one list, and what the way under the cursor means."""
        first = self._session.drive
        rows = (
            Row(DRIVES, (strong(t("Drives besides {drive}", drive=first.path if first else "")),)),
            *(self._drive_row(drive, refusal) for drive, refusal in self._found),
            Row(HOW, (strong(t("Layout")),)),
            *map(self._way_row, WAYS),
        )
        return View(
            "spread",
            self.step,
            t("Drives for this volume"),
            tuple(self._actions()),
            about=first.path if first else "",
            above=() if self._found else (para(Piece(t("No other drive found."), Tone.WARN)),),
            rows=Rows(rows, self._at, (Column(),), many=True),
            panes=tuple(self._panes()),
            help=tuple(sentence() for sentence in HELP),
        )

    def _drive_row(self, drive: Drive, refusal: Text) -> Row:
        said = t(
            "{drive}, {model}, {size}, {serial}: {held}",
            drive=drive.path,
            model=drive.model or t("no name"),
            size=t("{size:size}", size=drive.size_bytes) if drive.size_bytes else t("size unknown"),
            serial=t("serial {serial}", serial=drive.serial) if drive.serial else t("no serial number"),
            held=t("not read") if unread_content(drive) else held_on(drive).text,
        )
        chosen = None if refusal != "" else drive.path in self._taken
        return Row(drive.path, (Piece(said),), level=1, chosen=chosen, why_not=refusal)

    def _way_row(self, way: SpreadWay) -> Row:
        why_not = self._why_not(way.name)
        chosen = None if why_not != "" else way is way_of(self._session)
        return Row(way.name, (Piece(way.title),), level=1, chosen=chosen, why_not=why_not)

    def _why_not(self, row: str) -> Text:
        """Why a row cannot be taken; empty where it can."""
        tried = self._tried.get(row, "")
        refused = {drive.path: refusal for drive, refusal in self._found}
        return tried if isinstance(tried, str) and row in self._tried else refused.get(row, "")

    def _actions(self) -> Iterator[Action]:
        row = self._at
        if row in self._tried:
            yield Action("take", "enter", LAY, self._why_not(row))
        elif row in {drive.path for drive, _ in self._found}:
            label = t("remove drive") if row in self._taken else t("add drive")
            yield Action("take", "enter", label, self._why_not(row))
            yield Action("take", "space", label, self._why_not(row), aside=True)
        else:
            yield Action("take", "enter", LAY, t("Choose a drive or a layout below."))
        yield back_action()

    def _panes(self) -> Iterator[Pane]:
        way = next((way for way in WAYS if way.name == self._at), None)
        if way is not None:
            yield Pane(MEANS, tuple(self._meaning(self._tried[way.name])))
        able = (drive for drive, refusal in self._found if refusal == "")
        drive = next((drive for drive in able if drive.path == self._at), None)
        if drive is not None and (loss := loss_of((drive,))) is not None:
            yield Pane(MEANS, (para(Piece(loss, Tone.DANGER)),))

    @staticmethod
    def _meaning(tried: Session | str) -> Iterator[Block]:
        """What a way means for the files, or why it cannot be had."""
        from wizard.plan.preview import danger_of
        from wizard.plan.raid.striping import mirror_note

        if isinstance(tried, str):
            yield para(Piece(t("Not possible here:"), Tone.WARN), tried, hang=2)
            return
        yield para(t("The volume would use {spread}.", spread=spread_of(tried)))
        danger: Text = (tried.plan and danger_of(tried.plan)) or ""
        if danger:
            yield para(Piece(danger, Tone.DANGER))
        note: Text = (tried.plan and mirror_note(tried.plan)) or ""
        if note:
            yield para(note)
        loss = loss_of(tried.drives) if tried.others else None
        if loss is not None:
            yield para(Piece(loss, Tone.DANGER))

    def moved(self, row: str) -> None:
        """What it means is shown."""
        self._at = row

    def drives_changed(self) -> None:
        """What can be taken is another matter now."""
        self._look()

    def runs_changed(self) -> None:
        """A run may have ended, or have begun to wait."""
        self._look()

    def act_take(self, row: str, _values: Values) -> None:
        """Take or leave a drive; lay the volume in a way."""
        if row in self._tried:
            self._lay(self._tried[row])
        elif row in {drive.path for drive, refusal in self._found if refusal == ""}:
            taken = [path for path in self._taken if path != row]
            self._taken = taken if row in self._taken else [*taken, row]
            self._look()

    def _lay(self, found: Session | str) -> None:
        from wizard.ui.dialogs.asking import Question

        if isinstance(found, str):
            self.tell(found, Tone.WARN)
            return
        loss = loss_of(found.drives) if found.others else None
        if loss is None:
            self._done(found)
            return
        question = Question(
            self.desk, t("Use these entire drives?"), loss, t("use drives"), lambda: self._done(found)
        )
        self.desk.go(question)

    def _done(self, found: Session) -> None:
        self._take(found)
        if self.desk.place is self:
            self.desk.back()
