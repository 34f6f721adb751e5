"""Menu screen of a drive or partition, and the paths from there to Review."""

from collections.abc import Callable, Sequence
from functools import partialmethod

from msgspec.structs import replace

from wizard.filesystems.registry import title_of
from wizard.model import requests
from wizard.model.errors import printable
from wizard.model.machine import Drive, Partition
from wizard.model.said import format_capacity, t
from wizard.plan.request import plan_request
from wizard.plan.settings.possible import places_of
from wizard.ui import messages
from wizard.ui import view as ui
from wizard.ui.components import run_rows
from wizard.ui.desk import Desk, Screen
from wizard.ui.dialogs.asking import Typing
from wizard.ui.dialogs.health import health_page
from wizard.ui.dialogs.measuring import TrialScreen
from wizard.ui.draft import usual_purpose
from wizard.ui.editors.adjusting import adjust
from wizard.ui.menu import entries, label_on


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
        self._found = entries(
            self.session.machine,
            drive,
            device,
            blocker,
            self.desk.runs,
            has_line=self.services.options_at_boot(drive, device) is not None,
            not_worked_out=self.services.apply_obstacle,
            not_measured=self.services.obstacle,
        )
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

    def act_do(self) -> None:
        self.desk.act(self.row, self.row)

    def act_show_run(self, way: str = "") -> None:
        run = run_rows.runs_on(self.desk.runs, self._drive, self._device)[0]
        self.desk.back()
        from wizard.ui.screens.work import WorkScreen

        self.open(WorkScreen, run.run, way)

    act_keep = partialmethod(act_show_run, "keep")
    act_undo = partialmethod(act_show_run, "undo")

    def _purpose(self, mode: plan_request.Mode | None, part: str | None = None) -> None:
        self.desk.session = replace(self.session, mode=mode, part=part, specs=(), plan=None)
        from wizard.ui.screens.purpose import PurposeScreen

        self.open(PurposeScreen)

    act_set_up = partialmethod(_purpose, plan_request.Mode.REPLACE)
    act_use_free = partialmethod(_purpose, plan_request.Mode.USE_FREE)

    def act_format(self) -> None:
        self._purpose(None, self._device)

    def act_delete(self) -> None:
        self._review(plan_request.DeletePart(self._part))

    def act_grow(self) -> None:
        if places_of(self._drive, self._device):
            self._work_out(requests.Grow())
        else:
            self._review(plan_request.GrowPart(self._part))

    def act_adjust(self) -> None:
        adjust(self.desk, self._device)

    def act_move(self) -> None:
        self.desk.open_moves(self._drive.partition(self._device))

    @property
    def _part(self) -> Partition:
        part = self._drive.partition(self._device)
        assert part is not None
        return part

    def _review(self, request: plan_request.Request) -> None:
        self.desk.open_review(self.services.plan(self.session.machine, (self._drive,), request))

    act_restore_table = partialmethod(_review, plan_request.RestoreTable())

    def act_to_ext4(self) -> None:
        from wizard.ui.screens.ways import open_ways

        open_ways(self.desk, self._device)

    def act_speed(self) -> None:
        self.open(TrialScreen, self._drive)

    def act_health(self) -> None:
        self.open(health_page, self._drive, self.session.diagnosis)

    def act_rename(self) -> None:
        label = printable(label_on(self._drive, self._device) or "", 300)
        field = ui.Field("label", t("New label"), label, selected=True)
        said = t("An fstab line with the old label is updated too.")
        self._ask(messages.RENAME, said, (field,), lambda values: requests.SetLabel(values["label"].strip()))

    def _ask(
        self,
        title: ui.Text,
        said: ui.Text,
        fields: Sequence[ui.Field],
        wanted: Callable[[ui.Values], requests.Wanted],
    ) -> None:
        self.open(Typing, messages.FIRST(what=title), (ui.para(said),), fields, wanted, self._work_out)

    def _work_out(self, wanted: requests.Wanted) -> None:
        self.work_out(self._device, wanted)

    act_new_uuid = partialmethod(_work_out, requests.NewUuid())
    act_power_off = partialmethod(_work_out, requests.SwitchOff())
    act_release = partialmethod(_work_out, requests.Release())

    def act_mount(self) -> None:
        fields = (
            ui.Field("folder", t("Folder"), "", t("/srv + label")),
            _when("boot", messages.AT_BOOT, t("only now")),
        )

        def wanted(values: ui.Values) -> requests.Wanted:
            folder, boot = values["folder"].strip() or None, values["when"] == "boot"
            return requests.Attach(folder, (), boot, self.services.usual().caller)

        self._ask(messages.MOUNT, "", fields, wanted)

    def act_bring(self) -> None:
        from wizard.ui.screens.copying import CopyScreen

        self.open(CopyScreen, places_of(self._drive, self._device)[:1])

    def act_unmount(self) -> None:
        when = _when("once", t("now, and no longer at boot"), t("now; fstab is not changed"))
        self._ask(messages.UNMOUNT, "", (when,), lambda values: requests.Detach(values["when"] == "boot"))

    def act_options(self) -> None:
        now = self.services.options_at_boot(self._drive, self._device) or ()
        fields = (ui.Field("options", messages.OPTIONS_TITLE, printable(",".join(now), 4000), "defaults"),)

        def wanted(values: ui.Values) -> requests.Wanted:
            given = values["options"].replace(" ", "").split(",")
            return requests.SetOptions(tuple(filter(None, given)))

        said = t("All options for the fstab line, separated by commas.")
        self._ask(messages.MOUNT_OPTIONS, said, fields, wanted)

    def act_tune(self) -> None:
        offers = tuple(ui.Offer(one.workload.id, one.workload.title) for one in self.services.profiles)
        fields = (
            ui.Field("purpose", ui.ScreenStep.PURPOSE.shown, usual_purpose(self._drive), offers=offers),
        )
        said = t("Compares the current options with those for this purpose.")
        self._ask(messages.TUNE, said, fields, lambda values: requests.Tune(values["purpose"]))


def _when(value: str, boot: ui.Text, once: ui.Text) -> ui.Field:
    return ui.Field("when", t("When"), value, offers=(ui.Offer("boot", boot), ui.Offer("once", once)))
