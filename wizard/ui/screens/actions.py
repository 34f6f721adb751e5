"""Menu screen of a drive or partition, and the paths from there to Review."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from wizard.ext4.superblock import old_filesystems
from wizard.filesystems.registry import title_of
from wizard.model.errors import DiskwrightError, printable
from wizard.model.finding import Recording
from wizard.model.machine import Drive, Machine, Partition
from wizard.model.requests import (
    Attach,
    Detach,
    Grow,
    NewUuid,
    Release,
    SetLabel,
    SetOptions,
    SwitchOff,
    Tune,
    Wanted,
)
from wizard.model.said import t
from wizard.plan.changes import Changes
from wizard.plan.request.plan_request import DeletePart, GrowPart, Mode, Request, RestoreTable
from wizard.plan.settings.possible import places_of, signatures_on
from wizard.ui import messages as words
from wizard.ui import view as ui
from wizard.ui.components.decisions import blocker, runs_on
from wizard.ui.components.drive_rows import short
from wizard.ui.desk import Desk, Screen
from wizard.ui.dialogs.asking import Typing
from wizard.ui.dialogs.health import health_page
from wizard.ui.draft import usual_purpose
from wizard.ui.editors.adjusting import adjust
from wizard.ui.menu import MenuEntry, MenuFacts, entries

WHEN = t("When")


class Actions(Screen):
    """Menu of actions. Unavailable actions are greyed and show the reason."""

    def __init__(self, desk: Desk, device: str) -> None:
        super().__init__(desk)
        self._device = device
        self._at = ""
        self._waiting = False

    @property
    def _drive(self) -> Drive:
        assert self.desk.session.drive is not None
        return self.desk.session.drive

    @property
    def _machine(self) -> Machine:
        assert self.desk.session.machine is not None
        return self.desk.session.machine

    def _entries(self) -> tuple[MenuEntry, ...]:
        against = blocker(self.services, self.desk.runs, self._drive)
        here = MenuFacts(
            self.services.options_at_boot(self._drive, self._device) is not None,
            self.services.apply_obstacle,
            self.services.obstacle,
        )
        return entries(self._machine, self._drive, self._device, against, self.desk.runs, here)

    def view(self) -> ui.View:
        """Return the menu as a dialog."""
        found = self._entries()
        able = [ui.Action(one.name, one.key, one.label, one.why_not, one.ends, aside=True) for one in found]
        # Enter has no effect if every action is unavailable.
        do = (ui.Action("do", "enter", t("do it")),) if any(one.why_not == "" for one in found) else ()
        actions = (*do, *able, ui.Action("back", "escape", ui.BACK))
        at = self._at or next((one.name for one in found), "")
        return ui.View(
            "actions",
            ui.ScreenStep.DRIVES,
            self._title(),
            actions,
            rows=ui.Rows(tuple(map(_row, found)), at),
            said=ui.Piece(t("Checking the current state ...")) if self._waiting else None,
            over=True,
            busy=self._waiting,
            help=(t("No change happens before you review."), t("Unavailable actions show the reason.")),
        )

    def _title(self) -> ui.Text:
        drive, part = self._drive, self._drive.partition(self._device)
        if part is None:
            model = printable(drive.model or "", 40)
            return t(
                "{drive}  {model}  {size:size}",
                drive=short(drive.path),
                model=model,
                size=drive.size_bytes or 0,
            )
        label = next((mark.label for mark in part.signatures if mark.label), None) or title_of(
            part.filesystem or ""
        )
        return t(
            "{part}  {what}  {size:size}",
            part=short(part.path),
            what=label,
            size=part.size_bytes,
        )

    def moved(self, row: str) -> None:
        """Remember the row."""
        self._at = row

    def act_do(self, row: str, values: ui.Values) -> None:
        """Perform the action of the row, or show why it is unavailable."""
        entry = next((one for one in self._entries() if one.name == row), None)
        if entry is None:
            return
        if entry.why_not != "":
            self.tell(entry.why_not, ui.Tone.WARN)
        else:
            self.act(row, row, values)

    def act_show_run(self, _row: str, _values: ui.Values) -> None:
        """Open the run on this device."""
        self._to_run("")

    def act_keep(self, _row: str, _values: ui.Values) -> None:
        """Keep the waiting result, after a question."""
        self._to_run("keep")

    def act_undo(self, _row: str, _values: ui.Values) -> None:
        """Undo the run, after a question."""
        self._to_run("undo")

    def _to_run(self, way: str) -> None:
        run = runs_on(self.desk.runs, self._drive, self._device)[0]
        self.desk.back()
        self.desk.open_run(run.run, way)

    def act_set_up(self, _row: str, _values: ui.Values) -> None:
        """Plan to replace all contents of the drive."""
        self._purpose(Mode.REPLACE)

    def act_use_free(self, _row: str, _values: ui.Values) -> None:
        """Plan to use free space. Preserves every partition."""
        self._purpose(Mode.USE_FREE)

    def act_format(self, _row: str, _values: ui.Values) -> None:
        """Plan to format a partition. Preserves the others."""
        self._purpose(None, self._device)

    def _purpose(self, mode: Mode | None, part: str | None = None) -> None:
        anew = replace(self.desk.session, mode=mode, part=part, specs=(), plan=None)
        self.desk.session = anew
        self.desk.open_purpose()

    def act_delete(self, _row: str, _values: ui.Values) -> None:
        """Review deleting a partition. Preserves the others."""
        self._review(DeletePart(self._part))

    def act_grow(self, _row: str, _values: ui.Values) -> None:
        """Review growing a partition into adjacent free space, online if mounted."""
        if places_of(self._drive, self._device):
            self.desk.with_root(self, lambda: self._work_out(Grow()))
        else:
            self._review(GrowPart(self._part))

    def act_adjust(self, _row: str, _values: ui.Values) -> None:
        """Open the editor for start, end and size."""
        adjust(self.desk, self._device)

    def act_move(self, _row: str, _values: ui.Values) -> None:
        """Review aligning a partition, or all misaligned partitions of a drive."""
        self.desk.open_moves(self._machine, self._drive, self._drive.partition(self._device))

    @property
    def _part(self) -> Partition:
        part = self._drive.partition(self._device)
        assert part is not None
        return part

    @property
    def _recording(self) -> Recording:
        return self.services.diagnose(self._machine, self._drive).recording

    def act_restore_table(self, _row: str, _values: ui.Values) -> None:
        """Review writing a lost partition table back."""
        self._review(RestoreTable())

    def _review(self, request: Request) -> None:
        self.desk.open_review(self.services.plan(self._machine, (self._drive,), request))

    def act_to_ext4(self, _row: str, _values: ui.Values) -> None:
        """Open the conversions to ext4."""
        found = [
            one for one in old_filesystems(self._drive) if self._device in (one.device, self._drive.path)
        ]
        self.desk.open_conversions(self._drive, found)

    def act_speed(self, _row: str, _values: ui.Values) -> None:
        """Open the measurement of alignment."""
        self.desk.open_alignment_test(self._drive)

    def act_health(self, _row: str, _values: ui.Values) -> None:
        """Open the health page."""
        diagnosis = self.services.diagnose(self._machine, self._drive)
        self.desk.go(health_page(self.desk, self._drive, diagnosis))

    def act_rename(self, _row: str, _values: ui.Values) -> None:
        """Ask for a new label."""
        label = next((one.label for one in signatures_on(self._drive, self._device) if one.label), None) or ""
        field = ui.Field("label", t("New label"), printable(label, 300), selected=True)
        self._type(
            words.RENAME,
            t("An fstab line with the old label is updated too."),
            (field,),
            lambda values: SetLabel(values.get("label", "").strip()),
        )

    def act_new_uuid(self, _row: str, _values: ui.Values) -> None:
        """Give a copy UUIDs of its own."""
        self.desk.with_root(self, lambda: self._work_out(NewUuid()))

    def act_mount(self, _row: str, _values: ui.Values) -> None:
        """Ask for a folder, and whether to mount at every boot or only now."""
        fields = (
            ui.Field("folder", t("Folder"), "", t("/srv + label")),
            ui.Field("when", WHEN, "boot", offers=_offers(t("now and at every boot"), t("only now"))),
        )

        def wanted(values: ui.Values) -> Wanted:
            folder, when = values.get("folder", "").strip(), values.get("when", "boot")
            return Attach(folder or None, (), when == "boot", self.services.usual().caller)

        self._type(words.MOUNT, "", fields, wanted)

    def act_bring(self, _row: str, _values: ui.Values) -> None:
        """Copy files to the mounted filesystem."""
        self.desk.open_copy(places_of(self._drive, self._device)[:1])

    def act_unmount(self, _row: str, _values: ui.Values) -> None:
        """Unmount, and optionally remove the fstab line."""
        fields = (
            ui.Field(
                "when",
                WHEN,
                "once",
                offers=_offers(t("now, and no longer at boot"), t("now; fstab is not changed")),
            ),
        )
        self._type(words.UNMOUNT, "", fields, lambda values: Detach(values.get("when") == "boot"))

    def act_options(self, _row: str, _values: ui.Values) -> None:
        """Edit the mount options in fstab."""
        now = self.services.options_at_boot(self._drive, self._device) or ()
        fields = (ui.Field("options", t("Options"), printable(",".join(now), 4000), "defaults"),)

        def wanted(values: ui.Values) -> Wanted:
            return SetOptions(tuple(filter(None, values.get("options", "").replace(" ", "").split(","))))

        self._type(
            words.OPTIONS,
            t("All options for the fstab line, separated by commas."),
            fields,
            wanted,
        )

    def act_tune(self, _row: str, _values: ui.Values) -> None:
        """Suggest better settings for a workload."""
        titles = {one.workload.id: one.workload.title for one in self.services.profiles}
        offers = tuple(ui.Offer(name, printable(str(title), 60)) for name, title in titles.items())
        fields = (ui.Field("purpose", t("Purpose"), usual_purpose(self._drive), offers=offers),)
        self._type(
            words.TUNE,
            t("Compares the current options with those for this purpose."),
            fields,
            lambda values: Tune(values["purpose"]),
        )

    def act_power_off(self, _row: str, _values: ui.Values) -> None:
        """Unmount all filesystems and power off the drive."""
        self.desk.with_root(self, lambda: self._work_out(SwitchOff()))

    def act_release(self, _row: str, _values: ui.Values) -> None:
        """Stop all arrays, groups and containers on the drive."""
        self.desk.with_root(self, lambda: self._work_out(Release()))

    def _type(
        self,
        title: ui.Text,
        means: ui.Text,
        fields: Sequence[ui.Field],
        wanted: Callable[[ui.Values], Wanted],
    ) -> None:
        def take(values: ui.Values) -> Callable[[], None]:
            asked = wanted(values)
            return lambda: self.desk.with_root(self, lambda: self._work_out(asked))

        blocks = (ui.para(means),) if means != "" else ()
        self.desk.go(Typing(self.desk, title, blocks, fields, take, t("review")))

    def _work_out(self, wanted: Wanted) -> None:
        """Check the current state in a thread, as root if needed."""
        self._waiting = True

        def failed(error: DiskwrightError) -> None:
            self._waiting = False
            self.tell(str(error), ui.Tone.WARN)

        self.desk.later(
            self, lambda: self.services.as_root().work_out(self._device, wanted), self._worked_out, failed
        )

    def _worked_out(self, changes: Changes) -> None:
        self._waiting = False
        self.desk.open_review(changes)


def _row(entry: MenuEntry) -> ui.Row:
    tone = ui.Tone.DANGER if entry.ends else ui.Tone.STRONG
    cells = (ui.Piece(entry.key, ui.Tone.ACCENT), ui.Piece(entry.label, tone), ui.Piece(entry.says))
    if entry.why_not != "":
        cells = (ui.muted(""), ui.muted(entry.label), ui.muted(entry.why_not))
    return ui.Row(entry.name, cells, why_not=entry.why_not)


def _offers(boot: ui.Text, once: ui.Text) -> tuple[ui.Offer, ...]:
    return (ui.Offer("boot", boot), ui.Offer("once", once))
