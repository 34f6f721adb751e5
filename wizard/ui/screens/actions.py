"""Menu screen of a drive or partition, and the paths from there to Review."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from wizard.ext4.superblock import ExtCandidate, old_filesystems
from wizard.filesystems.registry import title_of
from wizard.host.session import PartChange
from wizard.model.changes import Attach, Changes, Detach, Grow, SetLabel, SetOptions, SwitchOff, Tune, Wanted
from wizard.model.errors import printable
from wizard.model.machine import Drive, Machine, Partition
from wizard.model.said import t
from wizard.plan.planner import Mode
from wizard.plan.settings.possible import places_of, signatures_on
from wizard.ui import messages as words
from wizard.ui.components.decisions import impediment, runs_on
from wizard.ui.components.drive_rows import short
from wizard.ui.dialogs.asking import Typing
from wizard.ui.draft import usual_purpose
from wizard.ui.menu import Here, MenuEntry, entries
from wizard.ui.view import (
    BACK,
    Action,
    Field,
    Offer,
    Piece,
    Place,
    Row,
    Rows,
    ScreenStep,
    Text,
    Tone,
    Values,
    View,
    muted,
    para,
)

if TYPE_CHECKING:
    from wizard.model.plan import Plan
    from wizard.ui.desk import Desk

WHEN = t("When")


class Actions(Place):
    """Each row is something that can be done; what cannot be done now is greyed, with the reason."""

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
        against = impediment(self.services, self.desk.runs, self._drive)
        here = Here(
            self.services.options_at_boot(self._drive, self._device) is not None,
            self.services.apply_obstacle,
            self.services.obstacle,
        )
        return entries(self._machine, self._drive, self._device, against, self.desk.runs, here)

    def view(self) -> View:
        """The menu, over the drives."""
        found = self._entries()
        able = [Action(one.name, one.key, one.label, one.why_not, one.ends, aside=True) for one in found]
        # Where all rows are grey, there is nothing that Enter could do.
        do = (Action("do", "enter", t("do it")),) if any(one.why_not == "" for one in found) else ()
        actions = (*do, *able, Action("back", "escape", BACK))
        at = self._at or next((one.name for one in found), "")
        return View(
            "actions",
            ScreenStep.DRIVES,
            self._title(),
            actions,
            rows=Rows(tuple(map(_row, found)), at),
            said=Piece(t("Checking the current state ...")) if self._waiting else None,
            over=True,
            busy=self._waiting,
            help=(t("No change happens before you review."), t("Unavailable actions show the reason.")),
        )

    def _title(self) -> Text:
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
            what=printable(label, 40),
            size=part.size_bytes,
        )

    def moved(self, row: str) -> None:
        """Remember it."""
        self._at = row

    def act_do(self, row: str, values: Values) -> None:
        """What the row says, unless it cannot be done now."""
        entry = next((one for one in self._entries() if one.name == row), None)
        if entry is None:
            return
        if entry.why_not != "":
            self.tell(entry.why_not, Tone.WARN)
        else:
            self.act(row, row, values)

    def act_show_run(self, _row: str, _values: Values) -> None:
        """How the run stands that works here."""
        self._to_run("")

    def act_keep(self, _row: str, _values: Values) -> None:
        """Put to use what waits, after a question."""
        self._to_run("keep")

    def act_undo(self, _row: str, _values: Values) -> None:
        """Put back what was there, after a question."""
        self._to_run("undo")

    def _to_run(self, way: str) -> None:
        from wizard.ui.screens.work import work_on

        run = runs_on(self.desk.runs, self._drive, self._device)[0]
        self.desk.back()
        work_on(self.desk, run.run, way)

    def act_set_up(self, _row: str, _values: Values) -> None:
        """Everything on it is replaced, which the plan says again."""
        self._purpose(Mode.REPLACE)

    def act_use_free(self, _row: str, _values: Values) -> None:
        """Every partition stays."""
        self._purpose(Mode.USE_FREE)

    def act_format(self, _row: str, _values: Values) -> None:
        """One partition for a purpose; the others stay."""
        self._purpose(None, self._device)

    def _purpose(self, mode: Mode | None, part: str | None = None) -> None:
        from wizard.ui.screens.purpose import PurposeScreen

        anew = replace(self.desk.session, mode=mode, part=part, wishes=(), plan=None)
        self.desk.session = anew
        self.desk.go(PurposeScreen(self.desk))

    def act_delete(self, _row: str, _values: Values) -> None:
        """One partition; the others stay."""
        self._change(PartChange.DELETE)

    def act_grow(self, _row: str, _values: Values) -> None:
        """One partition, into the free space behind it: tried out first, or in use."""
        if places_of(self._drive, self._device):
            self.desk.with_root(self, lambda: self._work_out(Grow()))
        else:
            self._change(PartChange.GROW)

    def act_adjust(self, _row: str, _values: Values) -> None:
        """Another start, end or size for one partition."""
        from wizard.ui.editors.adjusting import adjust

        adjust(self.desk, self._device)

    def act_move(self, _row: str, _values: Values) -> None:
        """To where it is aligned, with everything in it; of a drive, all that are misaligned."""
        to_move(self.desk, self._machine, self._drive, self._drive.partition(self._device))

    def _change(self, change: PartChange) -> None:
        self._review(self._plan(change))

    def _plan(self, change: PartChange) -> Plan:
        part = self._drive.partition(self._device)
        assert part is not None
        return self.services.plan_part(self._machine, self._drive, part, change)

    def _review(self, plan: Plan) -> None:
        from wizard.ui.jobs.of_plan import PlanJob
        from wizard.ui.screens.review import Review

        self.desk.go(Review(self.desk, PlanJob(plan)))

    def act_to_ext4(self, _row: str, _values: Values) -> None:
        """Keep every file, and have it become ext4."""
        found = [
            one for one in old_filesystems(self._drive) if self._device in (one.device, self._drive.path)
        ]
        to_ext4(self.desk, self._drive, found)

    def act_speed(self, _row: str, _values: Values) -> None:
        """Measure it."""
        from wizard.ui.screens.alignment import TrialScreen

        self.desk.go(TrialScreen(self.desk, self._drive))

    def act_health(self, _row: str, _values: Values) -> None:
        """All that is known of it."""
        from wizard.ui.dialogs.health import health_page

        diagnosis = self.services.diagnose(self._machine, self._drive)
        self.desk.go(health_page(self.desk, self._drive, diagnosis))

    def act_rename(self, _row: str, _values: Values) -> None:
        """Another label."""
        label = next((one.label for one in signatures_on(self._drive, self._device) if one.label), None) or ""
        field = Field("label", t("New label"), printable(label, 300), selected=True)
        self._type(
            words.RENAME,
            t("An fstab line with the old label is updated too."),
            (field,),
            lambda values: SetLabel(values.get("label", "").strip()),
        )

    def act_mount(self, _row: str, _values: Values) -> None:
        """At a folder, now and at every boot, or only now."""
        fields = (
            Field("folder", t("Folder"), "", t("/srv + label")),
            Field("when", WHEN, "boot", offers=_offers(t("now and at every boot"), t("only now"))),
        )

        def wanted(values: Values) -> Wanted:
            folder, when = values.get("folder", "").strip(), values.get("when", "boot")
            return Attach(folder or None, (), when == "boot", self.services.usual().caller)

        self._type(words.MOUNT, "", fields, wanted)

    def act_bring(self, _row: str, _values: Values) -> None:
        """Files from elsewhere, to where it is mounted."""
        from wizard.ui.screens.copying import Bringing

        self.desk.go(Bringing(self.desk, places_of(self._drive, self._device)[:1]))

    def act_unmount(self, _row: str, _values: Values) -> None:
        """Now, and perhaps not at boot any more."""
        fields = (
            Field(
                "when",
                WHEN,
                "once",
                offers=_offers(t("now, and no longer at boot"), t("now; fstab is not changed")),
            ),
        )
        self._type(words.UNMOUNT, "", fields, lambda values: Detach(values.get("when") == "boot"))

    def act_options(self, _row: str, _values: Values) -> None:
        """Those of its line in fstab."""
        now = self.services.options_at_boot(self._drive, self._device) or ()
        fields = (Field("options", t("Options"), printable(",".join(now), 4000), "defaults"),)

        def wanted(values: Values) -> Wanted:
            return SetOptions(tuple(filter(None, values.get("options", "").replace(" ", "").split(","))))

        self._type(
            words.OPTIONS,
            t("All options for the fstab line, separated by commas."),
            fields,
            wanted,
        )

    def act_tune(self, _row: str, _values: Values) -> None:
        """What would suit it better for a purpose."""
        titles = {one.workload.id: one.workload.title for one in self.services.profiles()}
        offers = tuple(Offer(name, printable(str(title), 60)) for name, title in titles.items())
        fields = (Field("purpose", t("Purpose"), usual_purpose(self._drive), offers=offers),)
        self._type(
            words.TUNE,
            t("Compares the current options with those for this purpose."),
            fields,
            lambda values: Tune(values["purpose"]),
        )

    def act_power_off(self, _row: str, _values: Values) -> None:
        """Unmount all of it, and take its power."""
        self.desk.with_root(self, lambda: self._work_out(SwitchOff()))

    def _type(
        self, title: Text, means: Text, fields: Sequence[Field], wanted: Callable[[Values], Wanted]
    ) -> None:
        def take(values: Values) -> Callable[[], None]:
            asked = wanted(values)
            return lambda: self.desk.with_root(self, lambda: self._work_out(asked))

        blocks = (para(means),) if means != "" else ()
        self.desk.go(Typing(self.desk, title, blocks, fields, take, t("review")))

    def _work_out(self, wanted: Wanted) -> None:
        """In a thread: it is looked at once more, as root where that is needed."""
        from wizard.model.errors import DiskwrightError

        self._waiting = True

        def failed(error: DiskwrightError) -> None:
            self._waiting = False
            self.tell(str(error), Tone.WARN)

        self.desk.later(self, partial(self.services.work_out, self._device, wanted), self._worked_out, failed)

    def _worked_out(self, changes: Changes) -> None:
        from wizard.ui.jobs.of_changes import ChangesJob
        from wizard.ui.screens.review import Review

        self._waiting = False
        self.desk.go(Review(self.desk, ChangesJob(changes)))


class Which(Place):
    """Which of several is meant: `take` gets the key of its row, when the place before is the last again."""

    def __init__(
        self, desk: Desk, title: Text, rows: Sequence[Row], label: Text, take: Callable[[str], None]
    ) -> None:
        super().__init__(desk)
        self._title, self._rows, self._label, self._take = title, tuple(rows), label, take

    def view(self) -> View:
        """All of them."""
        actions = (Action("take", "enter", self._label), Action("back", "escape", BACK))
        rows = Rows(self._rows, self._rows[0].key)
        return View("which", self.step, self._title, actions, rows=rows, over=True)

    def act_take(self, row: str, _values: Values) -> None:
        """On with that one."""
        self.desk.back()
        self._take(row)


def to_move(
    desk: Desk, machine: Machine, drive: Drive, part: Partition | None, start: int | None = None
) -> None:
    """On to the review of moving a misaligned partition, or all of the drive, or one to this start. Raises
    Refused where none can move."""
    from wizard.plan.partition.moves import one_moves, planned_moves
    from wizard.ui.jobs.of_move import MoveJob
    from wizard.ui.screens.review import Review

    recording = desk.services.diagnose(machine, drive).recording
    if part is None:
        moves = planned_moves(machine, drive, recording)
    else:
        moves = one_moves(machine, drive, part, start, recording)
    desk.go(Review(desk, MoveJob(moves)))


def to_ext4(desk: Desk, drive: Drive, found: Sequence[ExtCandidate]) -> None:
    """To the ways to ext4; which filesystem is meant is asked where there are several."""
    from wizard.ui.screens.ways import WaysScreen

    if len(found) == 1:
        desk.go(WaysScreen(desk, drive, found[0].device))
    elif found:
        rows = (Row(one.device, _candidate(one)) for one in found)

        def take(device: str) -> None:
            desk.go(WaysScreen(desk, drive, device))

        desk.go(Which(desk, t("Convert which filesystem to ext4?"), tuple(rows), t("use"), take))
    else:
        desk.place.tell(words.NO_OLD, Tone.WARN)


def _candidate(one: ExtCandidate) -> tuple[Piece, ...]:
    label = printable(one.label or "", 40)
    return (Piece(short(one.device)), Piece(title_of(one.kind)), Piece(label))


def _row(entry: MenuEntry) -> Row:
    tone = Tone.DANGER if entry.ends else Tone.STRONG
    cells = (Piece(entry.key, Tone.ACCENT), Piece(entry.label, tone), Piece(entry.says))
    if entry.why_not != "":
        cells = (muted(""), muted(entry.label), muted(entry.why_not))
    return Row(entry.name, cells, why_not=entry.why_not)


def _offers(boot: Text, once: Text) -> tuple[Offer, ...]:
    return (Offer("boot", boot), Offer("once", once))
