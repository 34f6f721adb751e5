"""Menu screen of a drive or partition: the actions, why some are unavailable, and the paths to Review."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from wizard.apply.local_runs import OpenRun
from wizard.ext4.superblock import old_filesystems
from wizard.filesystems.registry import MADE, title_of
from wizard.findings.diagnose import copies_of
from wizard.model import requests
from wizard.model.errors import Refused, printable, why_not
from wizard.model.machine import Drive, Partition
from wizard.model.said import Message, Sentence, format_capacity, t, tn
from wizard.plan.free_space import aligned_spaces
from wizard.plan.partition import possible as partitions
from wizard.plan.partition.move_target import planned_move
from wizard.plan.partition.moves import misaligned_parts, planned_moves
from wizard.plan.partition.resize import why_not_adjust, why_not_larger
from wizard.plan.partition.restore import lost_layout
from wizard.plan.refusals import measured, unread_content
from wizard.plan.request import plan_request
from wizard.plan.request.using import usual_purpose
from wizard.plan.settings import possible as settings
from wizard.plan.settings.release import plan_release
from wizard.ui import messages
from wizard.ui import view as ui
from wizard.ui.components import run_rows
from wizard.ui.desk import Desk, Screen
from wizard.ui.dialogs.asking import Dialog
from wizard.ui.editors.adjusting import adjust

READ_ONLY = frozenset({"speed", "health"})
"""Actions available during a run on the same device."""
LOST_ON_KEEP = t("all data deleted when you choose Keep")
BY = Sentence("by {size:size}; no file loss")
NO_LOSS = Sentence("{what}; no file loss")
LEAST_FREE = min(kind.minimum_bytes for kind in MADE.values() if kind.mounts)
"""Minimum size of a mountable filesystem, in bytes."""


class Form(Struct, frozen=True):
    """Fields to fill in for a request. `says` explains them."""

    fields: tuple[ui.Field, ...]
    makes: Callable[[ui.Values], requests.Wanted]
    says: ui.Text = ""


class MenuEntry(Struct, frozen=True):
    """An action. `says` describes the effect here, and `why_not` explains why the action is unavailable.

    `makes` is the request to review, the form for it, the mode for new volumes, or the run to open. A
    `Wanted` needs checks on the live machine, all other writing actions only a plan. `ends` marks an action
    that destroys something.
    """

    name: str
    key: str
    label: Message
    says: ui.Text
    why_not: ui.Text | None = ""
    makes: requests.Wanted | plan_request.Request | plan_request.Mode | Form | OpenRun | None = None
    ends: bool = False


class Actions(Screen):
    """Menu of actions. Unavailable actions are greyed and show the reason."""

    place = "actions"
    over = True
    help = (messages.NO_CHANGE_YET,)

    def __init__(self, desk: Desk, device: str) -> None:
        super().__init__(desk)
        self._device, drive = device, self._drive
        if part := drive.partition(device):
            what = printable(settings.label_on(drive, device) or "", 40) or title_of(part.filesystem or "")
        else:
            what = printable(drive.model or "", 40)
        size = format_capacity((part or drive).size_bytes or 0)
        self.title = "  ".join(filter(None, (ui.short(device), str(what), size)))

    @property
    def _drive(self) -> Drive:
        return self.session.drive

    def entries(self) -> tuple[MenuEntry, ...]:
        """Return all actions, best first. Those for a run on the device are listed before the others."""
        drive, device, runs = self._drive, self._device, self.desk.runs
        part = drive.partition(device)
        found = [*_of_drive(drive, run_rows.blocker(runs, drive))] if part is None else []
        found += self._of_filesystem(drive, device)
        found += _of_partition(drive, part) if part else ()
        found += self._align(drive, part)
        found += () if part else self._of_whole_drive(drive)
        own = run_rows.runs_on(runs, drive, device)
        found = [replace(one, why_not=_why_not(one, own, self.services.apply_obstacle)) for one in found]
        # Sort unavailable actions last, and destructive ones last in each group.
        return (*_of_runs(own), *sorted(found, key=lambda one: (bool(one.why_not), one.ends)))

    def _of_filesystem(self, drive: Drive, device: str) -> Iterator[MenuEntry]:
        services, machine = self.services, self.session.machine
        others = [
            other if one == device else one
            for _, one, other in copies_of(machine, drive)
            if device in (one, other)
        ]
        if others:
            why_not = settings.why_not_relabel(drive, device, uuid=True)
            says: ui.Text = t("now the same as {other}; no file loss", other=others[0])
            yield MenuEntry("new-uuid", "x", t("new UUID"), says, why_not, requests.NewUuid())
        old = old_filesystems(drive, device)
        says = NO_LOSS(what=" + ".join(sorted({title_of(one.kind) for one in old}))) if old else ""
        none = settings.UNREAD(device=device) if unread_content(drive) else messages.NO_OLD
        yield MenuEntry("to-ext4", "m", messages.CONVERT, says, "" if old else none)
        if drive.partition(device) is None and not drive.signatures:
            return
        label = settings.label_on(drive, device)
        form = Form(
            (ui.Field("label", t("New label"), printable(label or "", 300), selected=True),),
            lambda values: requests.SetLabel(values["label"].strip()),
            t("An fstab line with the old label is updated too."),
        )
        against = settings.why_not_relabel(drive, device)
        yield MenuEntry("rename", "r", t("rename"), label or messages.NONE, against, form)
        form = Form(
            (
                ui.Field("folder", t("Folder"), "", t("/srv + label")),
                _when("boot", messages.AT_BOOT, t("only now")),
            ),
            lambda values: requests.Attach(
                values["folder"].strip() or None, (), values["when"] == "boot", services.usual().caller
            ),
        )
        against = settings.why_not_mount(machine, drive, device)
        yield MenuEntry("mount", "n", t("mount"), messages.AT_BOOT, against, form)
        form = Form(
            (_when("once", t("now, and no longer at boot"), t("now; fstab is not changed")),),
            lambda values: requests.Detach(values["when"] == "boot"),
        )
        place = ", ".join(settings.places_of(drive, device))
        yield MenuEntry("unmount", "u", t("unmount"), place, settings.why_not_unmount(drive, device), form)
        if drive.signatures_on(device):
            why_bring = settings.why_not_bring(drive, device) or services.obstacle
            yield MenuEntry("bring", "y", messages.COPY_HERE, messages.SOURCE_HINT, why_bring)
        now = services.options_at_boot(drive, device)
        written = printable(",".join(now or ()), 4000)
        form = Form(
            (ui.Field("options", messages.OPTIONS_TITLE, written, "defaults"),),
            lambda values: requests.SetOptions(
                tuple(filter(None, values["options"].replace(" ", "").split(",")))
            ),
            t("All options for the fstab line, separated by commas."),
        )
        offers = tuple(ui.Offer(one.workload.id, one.workload.title) for one in services.profiles)
        # If changes are unavailable, fstab was not read.
        has_line = now is not None or bool(services.apply_obstacle)
        against = settings.why_not_remount(drive, device, has_line=has_line)
        yield MenuEntry("options", "o", t("mount options"), "", against, form)
        form = Form(
            (ui.Field("purpose", ui.ScreenStep.PURPOSE.shown, usual_purpose(drive), offers=offers),),
            lambda values: requests.Tune(values["purpose"]),
            t("Compares the current options with those for this purpose."),
        )
        says = t("better settings for a purpose; no file loss")
        yield MenuEntry("tune", "c", t("better options"), says, settings.why_not_tune(drive, device), form)

    def _align(self, drive: Drive, part: Partition | None) -> Iterator[MenuEntry]:
        machine = self.session.machine
        grain = drive.geometry.grain_bytes if drive.geometry else 1
        if part.start_bytes % grain == 0 if part else len(misaligned_parts(drive)) < 2:
            return
        says: ui.Text = ""
        why_not = ""
        try:
            if part:
                says = BY(size=planned_move(machine, drive, part).shift_bytes)
            else:
                count = len(planned_moves(machine, drive).moves)
                says = NO_LOSS(what=tn("1 partition", "{count} partitions", count=count))
        except Refused as refusal:
            why_not = str(refusal)
        yield MenuEntry("move", "f", t("align"), says, why_not or self.services.apply_obstacle)

    def _of_whole_drive(self, drive: Drive) -> Iterator[MenuEntry]:
        if drive.lost:
            says = t("around the contents found; no file loss")
            against, makes = why_not(lost_layout, drive), plan_request.RestoreTable()
            yield MenuEntry("restore-table", "b", t("restore table"), says, against, makes)
        yield MenuEntry("speed", "t", messages.SPEED, t("reads for half a minute"), self.services.obstacle)
        yield MenuEntry("health", "i", messages.HEALTH, t("drive counters and all details"))
        if drive.layers:
            machine = self.session.machine
            against = why_not(plan_release, machine, drive, has_all=not machine.unprobed)
            says = t("stop arrays, groups and containers")
            yield MenuEntry("release", "l", t("release"), says, against, requests.Release())
        says = t("unmount, flush, power off; then unplug")
        locked = settings.why_not_power_off(drive)
        yield MenuEntry("power-off", "P", t("power off"), says, locked, requests.SwitchOff())

    def _rows(self) -> ui.Listed:
        self._found = self.entries()
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

    def act(self, name: str, values: ui.Values) -> None:
        entry = next((one for one in self._found if one.name == name), None)
        if entry is None or (makes := entry.makes) is None:
            super().act(name, values)
        elif isinstance(makes, OpenRun):
            self.desk.back()
            from wizard.ui.screens.work import WorkScreen

            self.open(WorkScreen, makes.run, name.removeprefix("show-run"))
        elif isinstance(makes, plan_request.Mode):
            self._purpose(makes)
        elif isinstance(makes, requests.Wanted):
            self.work_out(self._device, makes)
        elif isinstance(makes, Form):
            title, ask = messages.FIRST(what=entry.label), partial(self.work_out, self._device)
            form = makes
            self.open(
                Dialog,
                title,
                (ui.para(form.says),),
                form.fields,
                lambda values: partial(ask, form.makes(values)),
            )
        else:
            plan = self.services.plan(self.session.machine, (self._drive,), makes)
            self.desk.open_review(plan)

    def act_do(self) -> None:
        self.desk.act(self.row, self.row)

    def _purpose(self, mode: plan_request.Mode | None, part: str | None = None) -> None:
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

    def act_bring(self) -> None:
        from wizard.ui.screens.copying import CopyScreen

        self.open(CopyScreen, settings.places_of(self._drive, self._device)[:1])


def _of_runs(runs: Sequence[OpenRun]) -> Iterator[MenuEntry]:
    for run in runs[:1]:
        if run_rows.waits(run):
            yield MenuEntry(
                "keep", "K", messages.KEEP, t("use the result and end undo"), makes=run, ends=True
            )
            if "undo" in run.ways:
                yield MenuEntry("undo", "U", messages.UNDO, messages.UNDO_RESTORES, makes=run, ends=True)
        else:
            yield MenuEntry("show-run", "v", messages.SHOW, run_rows.state_of(run).text, makes=run)


def _why_not(entry: MenuEntry, runs: Sequence[OpenRun], against: ui.Text) -> ui.Text:
    """Return why the entry is unavailable: a conflicting run, the drive's reason, or `against` changes."""
    # A waiting volume can be unmounted after inspection.
    if entry.name == "unmount":
        runs = [run for run in runs if run.state == run_rows.RUNNING]
    if entry.name not in READ_ONLY and (running := run_rows.why_not_now(runs)):
        return running
    return entry.why_not or (against if isinstance(entry.makes, requests.Wanted | Form) else "")


def _of_drive(drive: Drive, blocker: ui.Text) -> Iterator[MenuEntry]:
    if drive.is_empty:
        yield MenuEntry("set-up", "s", messages.SET_UP, "", blocker, plan_request.Mode.REPLACE)
        return
    free = max((extent.size_bytes for extent in drive.free), default=0)
    spaces = aligned_spaces(drive.free, drive.geometry) if drive.geometry else ()
    usable = max((space.size_bytes for space in spaces), default=0)
    why_not: ui.Text = ""
    if blocker:
        why_not = blocker
    elif unread_content(drive):
        why_not = settings.UNREAD(device=drive.path)
    elif not drive.has_table:
        why_not = t("No partition table to preserve.")
    elif usable < LEAST_FREE:
        why_not = t(
            "Only {size:size} free; a filesystem needs at least {least:size}.",
            size=free,
            least=LEAST_FREE,
        )
    says = t("{size:size}; partitions unchanged", size=free)
    yield MenuEntry("use-free", "e", t("use the free space"), says, why_not, plan_request.Mode.USE_FREE)
    yield MenuEntry(
        "set-up", "A", messages.REPLACE, LOST_ON_KEEP, blocker, plan_request.Mode.REPLACE, ends=True
    )


def _when(value: str, boot: ui.Text, once: ui.Text) -> ui.Field:
    return ui.Field("when", t("When"), value, offers=(ui.Offer("boot", boot), ui.Offer("once", once)))


def _of_partition(drive: Drive, part: Partition) -> Iterator[MenuEntry]:
    try:
        measured(drive)
        room = partitions.room_behind(drive, part)
    except Refused:
        room = 0
    mounted = bool(settings.places_of(drive, part.path))
    # A mounted filesystem may be smaller than the partition, which only root can check.
    says = BY(size=room) if room or not mounted else t("to fill the partition if smaller")
    why_not = (partitions.why_not_grow_mounted if mounted else partitions.why_not_grow)(drive, part)
    makes = requests.Grow() if mounted else plan_request.ResizePart(part)
    yield MenuEntry("grow", "g", t("grow"), says, why_not, makes)
    against = why_not_adjust(drive, part)
    limits: ui.Text = ""
    if not against:
        more = room if why_not_larger(drive, part) is None else 0
        most = part.size_bytes + more
        sizes: ui.Text = t("up to {most:size}", most=most)
        # Old recordings do not include the used space.
        if not partitions.why_not_shrink(drive, part) and part.signatures[0].taken_bytes is not None:
            sizes = f"{format_capacity(partitions.least_bytes(drive, part))} - {format_capacity(most)}"
        limits = NO_LOSS(what=sizes)
    yield MenuEntry("adjust", "z", messages.RESIZE, limits, against)
    against = partitions.why_not_change(drive, part)
    yield MenuEntry("format", "F", t("format"), LOST_ON_KEEP, against, ends=True)
    against = partitions.why_not_delete(drive, part)
    yield MenuEntry(
        "delete", "D", t("delete"), LOST_ON_KEEP, against, plan_request.DeletePart(part), ends=True
    )
