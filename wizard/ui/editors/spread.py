"""Select drives and layout of a volume, the partition table and the volume group."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from wizard.model.errors import BadInput, DiskwrightError, why_not
from wizard.model.said import Sentence, t
from wizard.plan.refusals import unread_content
from wizard.plan.request.plan_request import Arrangement
from wizard.ui import view as ui
from wizard.ui.components.decisions import blocker
from wizard.ui.components.drive_rows import held_on
from wizard.ui.desk import Desk, Screen
from wizard.ui.dialogs.asking import Question
from wizard.ui.session import Session
from wizard.ui.several_drives import WAYS, SpreadWay, candidates, loss_of, spread, spread_of, way_of

USE = t("use")

if TYPE_CHECKING:
    from wizard.model.machine import Drive


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
    Sentence("Btrfs combines drives directly. md needs another filesystem on top."),
    Sentence(
        "Each drive is used whole and contributes as much as the smallest. Unusable "
        "drives and layouts show a reason."
    ),
)


MEANS = t("Effect")
LAY = USE

DRIVES, HOW = "drives", "how"
"""Row keys of the two headings."""


class Spread(Screen):
    """Selection of additional drives and a layout.

    `take` receives the session with the selection and may refuse. If accepted, this screen closes, unless
    `take` opened another. If data would be lost, the user is asked first.
    """

    step = ui.ScreenStep.PLAN

    def __init__(self, desk: Desk, session: Session, take: Callable[[Session], None]) -> None:
        super().__init__(desk)
        self._session, self._take = session, take
        self._taken = [drive.path for drive in session.others]
        self._at = ""
        self._look()

    def _look(self) -> None:
        """Find the available drives and plan every layout for the chosen drives."""
        found = candidates(self._session, partial(blocker, self.services, self.desk.runs))
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

    def view(self) -> ui.View:
        """Return drives and layouts in one list, with the effect of the selected row."""
        first = self._session.drive
        rows = (
            ui.Row(DRIVES, (ui.strong(t("Drives besides {drive}", drive=first.path if first else "")),)),
            *(self._drive_row(drive, refusal) for drive, refusal in self._found),
            ui.Row(HOW, (ui.strong(t("Layout")),)),
            *map(self._way_row, WAYS),
        )
        return ui.View(
            "spread",
            self.step,
            t("Drives for this volume"),
            tuple(self._actions()),
            about=first.path if first else "",
            above=() if self._found else (ui.para(ui.Piece(t("No other drive found."), ui.Tone.WARN)),),
            rows=ui.Rows(rows, self._at, (ui.Column(),), many=True),
            panes=tuple(self._panes()),
            help=tuple(sentence() for sentence in HELP),
        )

    def _drive_row(self, drive: Drive, refusal: ui.Text) -> ui.Row:
        said = t(
            "{drive}, {model}, {size}, {serial}: {held}",
            drive=drive.path,
            model=drive.model or t("no name"),
            size=t("{size:size}", size=drive.size_bytes) if drive.size_bytes else t("size unknown"),
            serial=t("serial {serial}", serial=drive.serial) if drive.serial else t("no serial number"),
            held=t("not read") if unread_content(drive) else held_on(drive).text,
        )
        chosen = None if refusal != "" else drive.path in self._taken
        return ui.Row(drive.path, (ui.Piece(said),), level=1, chosen=chosen, why_not=refusal)

    def _way_row(self, way: SpreadWay) -> ui.Row:
        why_not = self._why_not(way.name)
        chosen = None if why_not != "" else way is way_of(self._session)
        return ui.Row(way.name, (ui.Piece(way.title),), level=1, chosen=chosen, why_not=why_not)

    def _why_not(self, row: str) -> ui.Text:
        """Return why a row is unavailable, or an empty text."""
        tried = self._tried.get(row, "")
        refused = {drive.path: refusal for drive, refusal in self._found}
        return tried if isinstance(tried, str) and row in self._tried else refused.get(row, "")

    def _actions(self) -> Iterator[ui.Action]:
        row = self._at
        if row in self._tried:
            yield ui.Action("take", "enter", LAY, self._why_not(row))
        elif row in {drive.path for drive, _ in self._found}:
            label = t("remove drive") if row in self._taken else t("add drive")
            yield ui.Action("take", "enter", label, self._why_not(row))
            yield ui.Action("take", "space", label, self._why_not(row), aside=True)
        else:
            yield ui.Action("take", "enter", LAY, t("Choose a drive or a layout below."))
        yield ui.back_action()

    def _panes(self) -> Iterator[ui.Pane]:
        way = next((way for way in WAYS if way.name == self._at), None)
        if way is not None:
            yield ui.Pane(MEANS, tuple(self._meaning(self._tried[way.name])))
        able = (drive for drive, refusal in self._found if refusal == "")
        drive = next((drive for drive in able if drive.path == self._at), None)
        if drive is not None and (loss := loss_of((drive,))) is not None:
            yield ui.Pane(MEANS, (ui.para(ui.Piece(loss, ui.Tone.DANGER)),))

    @staticmethod
    def _meaning(tried: Session | str) -> Iterator[ui.Block]:
        """Describe the effect of a layout on the files, or why the layout is impossible."""
        from wizard.plan.raid.striping import mirror_note
        from wizard.plan.text import danger_of

        if isinstance(tried, str):
            yield ui.para(ui.Piece(t("Not possible here:"), ui.Tone.WARN), tried, hang=2)
            return
        yield ui.para(t("The volume would use {spread}.", spread=spread_of(tried)))
        danger: ui.Text = (tried.plan and danger_of(tried.plan)) or ""
        if danger:
            yield ui.para(ui.Piece(danger, ui.Tone.DANGER))
        note: ui.Text = (tried.plan and mirror_note(tried.plan)) or ""
        if note:
            yield ui.para(note)
        loss = loss_of(tried.drives) if tried.others else None
        if loss is not None:
            yield ui.para(ui.Piece(loss, ui.Tone.DANGER))

    def moved(self, row: str) -> None:
        """Show the effect of the row."""
        self._at = row

    def drives_changed(self) -> None:
        """Update the available drives after one was plugged in or unplugged."""
        self._look()

    def runs_changed(self) -> None:
        """Update the available drives after a run ended or began to wait."""
        self._look()

    def act_take(self, row: str, _values: ui.Values) -> None:
        """Add or remove a drive, or use a layout."""
        if row in self._tried:
            self._use(self._tried[row])
        elif row in {drive.path for drive, refusal in self._found if refusal == ""}:
            taken = [path for path in self._taken if path != row]
            self._taken = taken if row in self._taken else [*taken, row]
            self._look()

    def _use(self, found: Session | str) -> None:
        if isinstance(found, str):
            self.tell(found, ui.Tone.WARN)
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
        if self.desk.screen is self:
            self.desk.back()


ABOUT_GPT = t("GPT has checksums, a backup table, partition names and up to 128 partitions.")
ABOUT_MBR = t(
    "MBR is the old table of four partitions, for firmware without GPT support. The limit is 2 TiB."
)
ABOUT_LVM = t(
    "An LVM volume group puts all volumes into one partition, where each can be "
    "grown later. Volumes with a role need a separate partition."
)

TABLE, GROUP = "table", "group"
LVM = "lvm"


class Arrange(Screen):
    """Selection of partition table and volume group. `check` raises the planner's error for an arrangement.

    `take` receives the arrangement and may refuse. If accepted, this screen closes, unless `take` opened
    another.
    """

    step = ui.ScreenStep.PLAN

    def __init__(
        self,
        desk: Desk,
        arrangement: Arrangement,
        check: Callable[[Arrangement], None],
        take: Callable[[Arrangement], None],
    ) -> None:
        super().__init__(desk)
        self._check, self._take = check, take
        self._settle(arrangement)

    def _settle(self, now: Arrangement) -> None:
        """Update both fields, which restrict each other."""
        self._now = now
        self._why_no_mbr = self._refusal(Arrangement("mbr", now.grouped), Arrangement("gpt", now.grouped))
        self._why_no_group = self._refusal(Arrangement(now.table, grouped=True), Arrangement(now.table))

    def view(self) -> ui.View:
        """Return the two fields and an explanation of the current values."""
        now = self._now
        tables = (
            ui.Offer("gpt", t("GPT (usual)")),
            ui.Offer("mbr", t("MBR, for old firmware"), self._why_no_mbr),
        )
        groups = (
            ui.Offer("", t("none: a partition each")),
            ui.Offer(LVM, t("LVM: all in one"), self._why_no_group),
        )
        table = ABOUT_MBR if now.table == "mbr" else ABOUT_GPT
        group = (
            ABOUT_LVM if now.grouped else t("Without a volume group, each volume has a separate partition.")
        )
        return ui.View(
            "arrangement",
            self.step,
            t("Table and volume group"),
            (ui.Action("take", "enter", USE), ui.back_action()),
            fields=(
                ui.Field(TABLE, t("Table"), now.table, offers=tables),
                ui.Field(GROUP, t("Volume group"), LVM if now.grouped else "", offers=groups),
            ),
            panes=(ui.Pane(t("Effect"), (ui.para(table), ui.GAP, ui.para(group))),),
            help=(ABOUT_GPT, ABOUT_MBR, ABOUT_LVM),
        )

    def turned(self, field: str, values: ui.Values) -> None:
        """Show why the chosen value is impossible."""
        self._settle(self._read(values))
        self.tell(self._refused, ui.Tone.WARN)

    def act_take(self, _row: str, values: ui.Values) -> None:
        """Use the arrangement. Raises BadInput if the planner refuses."""
        self._settle(self._read(values))
        if self._refused:
            raise BadInput(self._refused)
        self._take(self._now)
        if self.desk.screen is self:
            self.desk.back()

    @property
    def _refused(self) -> str:
        """Why the current values are impossible, or empty."""
        mbr = self._why_no_mbr if self._now.table == "mbr" else ""
        return mbr or (self._why_no_group if self._now.grouped else "")

    def _read(self, values: ui.Values) -> Arrangement:
        table, group = values.get(TABLE, self._now.table), values.get(GROUP)
        grouped = self._now.grouped if group is None else group == LVM
        return Arrangement("mbr" if table == "mbr" else "gpt", grouped)

    def _refusal(self, wanted: Arrangement, otherwise: Arrangement) -> str:
        """Return the planner's reason against `wanted`, or empty if the planner also refuses `otherwise`."""
        return "" if why_not(self._check, otherwise) else why_not(self._check, wanted)
