"""Menu screen of a drive or partition, and the paths from there to Review."""

from functools import partial

from msgspec.structs import replace

from wizard.apply.local_runs import OpenRun
from wizard.filesystems.registry import title_of
from wizard.model import requests
from wizard.model.errors import printable
from wizard.model.machine import Drive
from wizard.model.said import format_capacity, t
from wizard.plan.request.plan_request import Mode
from wizard.plan.settings.possible import places_of
from wizard.ui import messages
from wizard.ui import view as ui
from wizard.ui.components import run_rows
from wizard.ui.desk import Desk, Screen
from wizard.ui.dialogs.asking import Dialog
from wizard.ui.dialogs.health import health_page
from wizard.ui.dialogs.measuring import TrialScreen
from wizard.ui.editors.adjusting import adjust
from wizard.ui.menu import Form, entries, label_on


class Actions(Screen):
    """Menu of actions. Unavailable actions are greyed and show the reason."""

    place = "actions"
    over = True
    help = (messages.NO_CHANGE_YET,)

    def __init__(self, desk: Desk, device: str) -> None:
        super().__init__(desk)
        self._device = device

    @property
    def _drive(self) -> Drive:
        return self.session.drive

    def _rows(self) -> ui.Listed:
        blocker = run_rows.blocker(self.desk.runs, self._drive)
        drive, device = self._drive, self._device
        self._found = entries(self.services, self.session.machine, drive, device, blocker, self.desk.runs)
        for one in self._found:
            label = messages.FIRST(what=one.label)
            if against := one.why_not:
                yield ui.row(one.name, ui.muted(""), ui.muted(label), ui.muted(against), why_not=against)
            else:
                tone = ui.Tone.DANGER if one.ends else ui.Tone.STRONG
                yield ui.row(one.name, ui.accent(one.key), ui.Piece(label, tone), one.says)

    def _actions(self) -> ui.Actions:
        # Enter has no effect if every action is unavailable.
        if not all(one.why_not for one in self._found):
            yield ui.Action("do", "enter", t("choose"))
        for one in self._found:
            yield ui.aside(one.name, one.key, one.label, one.why_not or "", one.ends)

    def _title(self) -> ui.Text:
        drive, part = self._drive, self._drive.partition(self._device)
        if part is None:
            name, what, size = drive.path, printable(drive.model or "", 40), drive.size_bytes or 0
        else:
            label = label_on(drive, part.path)
            name, size = part.path, part.size_bytes
            what = printable(label, 40) if label else title_of(part.filesystem or "")
        return f"{ui.short(name)}  {what}  {format_capacity(size)}"

    def act(self, name: str, values: ui.Values) -> None:
        entry = next((one for one in self._found if one.name == name), None)
        if entry is None or (makes := entry.makes) is None:
            super().act(name, values)
        elif isinstance(makes, OpenRun):
            self.desk.back()
            from wizard.ui.screens.work import WorkScreen

            self.open(WorkScreen, makes.run, name.removeprefix("show-run"))
        elif isinstance(makes, Mode):
            self._purpose(makes)
        elif isinstance(makes, requests.Wanted):
            self.work_out(self._device, makes)
        elif isinstance(makes, Form):
            title, form = messages.FIRST(what=entry.label), makes
            self.open(
                Dialog,
                title,
                (ui.para(form.says),),
                form.fields(),
                lambda values: partial(self.work_out, self._device, form.makes(values)),
            )
        else:
            plan = self.services.plan(self.session.machine, (self._drive,), makes)
            self.desk.open_review(plan)

    def act_do(self) -> None:
        self.desk.act(self.row, self.row)

    def _purpose(self, mode: Mode | None, part: str | None = None) -> None:
        self.desk.session = replace(self.session, mode=mode, part=part, specs=(), plan=None)
        from wizard.ui.screens.purpose import PurposeScreen

        self.open(PurposeScreen)

    def act_format(self) -> None:
        self._purpose(None, self._device)

    def act_adjust(self) -> None:
        adjust(self.desk, self._device)

    def act_move(self) -> None:
        self.desk.open_moves(self._drive.partition(self._device))

    def act_to_ext4(self) -> None:
        from wizard.ui.screens.ways import open_ways

        open_ways(self.desk, self._device)

    def act_speed(self) -> None:
        self.open(TrialScreen, self._drive)

    def act_health(self) -> None:
        self.open(health_page, self._drive, self.session.diagnosis)

    def act_bring(self) -> None:
        from wizard.ui.screens.copying import CopyScreen

        self.open(CopyScreen, places_of(self._drive, self._device)[:1])
