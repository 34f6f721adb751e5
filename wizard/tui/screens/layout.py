"""Step 4: what becomes of the drive's content, and which volumes it gets."""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from wizard.layout.planner import PLAIN, Mode
from wizard.layout.room.refusals import unread_content
from wizard.layout.told.inside import volume_bytes
from wizard.layout.told.promise import lost_then
from wizard.layout.wishes.wish import Arrangement, Wish, more_words, size_words
from wizard.migrate.ext.candidates import instead_words, old_filesystems
from wizard.model.errors import DiskwrightError
from wizard.model.machine import Drive
from wizard.model.names import printable
from wizard.model.plan import Plan
from wizard.services.session import Back, Next, Session
from wizard.services.spread import TAKES_ALL, fitting, plan_of, spread_words, still_there
from wizard.tui.console.terminal import Glyphs
from wizard.tui.screens.arrangement import ArrangementForm, arrangement_words
from wizard.tui.screens.spread import SpreadForm
from wizard.tui.screens.volume import VolumeForm
from wizard.tui.step import StepScreen
from wizard.tui.text.plantext import bars, spread_blocks
from wizard.tui.widgets.keys import Pairs
from wizard.tui.widgets.rows import Column, Row, Rows
from wizard.tui.widgets.words import Block, Prose, Words, gap, para

MODES = {
    Mode.REPLACE: "Replace everything on the drive",
    Mode.USE_FREE: "Use the free space, keep all partitions",
}

NOT_CHOSEN = (
    "Choose first what becomes of what is there: Up and Down, then Enter. Nothing is chosen for you, since "
    "it would be lost."
)


class LayoutScreen(StepScreen):
    """Two ways to treat the content, of which the impossible one says why; and the list of volumes."""

    NUMBER = 4
    TITLE = "Layout"
    INTRO = "One volume over all the room there is, unless you change it here. Nothing is written yet."
    HELP = """
Replace everything: the drive gets a new partition table (GPT) and the volumes below; what it holds now is
lost when you keep the result, not before; where the steps run on the drive directly, which the preview says,
when the plan is applied.

Use the free space: the table and every partition stay as they are, to the byte; the volumes are added where
nothing is.

Volume: a partition with a filesystem. Without a size it takes all that is left. With a mount point it is
mounted there at once and at every start, by a line in /etc/fstab; without one it is made, and mounting is
left to you.

Drives: d lays the volume over several drives: mirrored, so that one may fail, or striped, which is fast and
lost with any of them.

Desktop: p takes the volumes that a desktop's system needs instead of the list: EFI system partition, swap by
the machine's memory, system, and home directories where there is room. Each can be changed afterwards.

Table: t makes an MBR instead of a GPT, or puts all volumes into one volume group of LVM's.

Sizes: 500G and 500GiB are powers of 1024, 500GB is as on the drive's box, a power of 1000, 30% is a share of
the room. Starts and ends are placed on whole blocks of the drive.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "add", show=False, id="layout.add"),
        Binding("e", "edit", show=False, id="layout.edit"),
        Binding("r,delete", "remove", show=False, id="layout.remove"),
        Binding("d", "drives", show=False, id="layout.drives"),
        Binding("p", "desktop", show=False, id="layout.desktop"),
        Binding("t", "arrange", show=False, id="layout.arrange"),
    ]

    def body(self) -> ComposeResult:
        """Ways, volumes, and what the planner says."""
        yield Prose(Text("What becomes of what is there", "bold"))
        yield Rows(id="modes")
        yield Prose(id="arrangement", classes="spaced")
        yield Rows(
            Column("Purpose", flexible=True),
            Column("Filesystem"),
            Column("Size", right=True),
            Column("Label"),
            Column("Mounted at"),
            id="volumes",
        )
        yield Words(id="verdict", classes="spaced")

    def begin(self) -> None:
        """One volume over everything, unless there is a list from before."""
        self.session = still_there(self.session)
        self.wishes: list[Wish] = list(self.session.wishes) or [
            fitting(self.services, self.session, self._default())
        ]
        self.mode: Mode | None = self._mode()
        self.reasons: dict[Mode, str] = {}
        self.plan: Plan | None = self.session.plan
        self._renew(keep=self.plan)
        self.query_one("#volumes" if self.mode else "#modes").focus()

    def _mode(self) -> Mode | None:
        """The way that was taken before; else what destroys nothing, where it is possible. To destroy is for
        a person to choose."""
        if self.session.mode is not None:
            return self.session.mode
        if all(drive.is_empty for drive in (self._drive, *self.session.others)):
            return Mode.REPLACE
        return None if self._fault(Mode.USE_FREE, tuple(self.wishes)) else Mode.USE_FREE

    def keys(self) -> Pairs:
        """Changing the list."""
        return (
            ("Enter", "preview"),
            ("a", "add"),
            ("e", "edit"),
            ("r", "remove"),
            ("d", "drives"),
            ("p", "desktop"),
            ("t", "table"),
            ("Tab", "other list"),
        )

    @property
    def _drive(self) -> Drive:
        assert self.session.drive is not None
        return self.session.drive

    def _default(self, others: Sequence[Wish] = ()) -> Wish:
        session = self.session
        assert session.advice is not None and session.choice is not None
        workload = session.advice.workload
        wish = Wish(session.choice, workload, None, None, None, session.choice_doubts)
        return self.services.put_to_use(self._drive, wish, others)

    def _fault(self, mode: Mode, wishes: tuple[Wish, ...]) -> str:
        if mode is Mode.USE_FREE and self._drive.is_empty:
            return "There is nothing on the drive to keep."
        try:
            self._planned(mode, wishes)
        except DiskwrightError as error:
            return str(error)
        return ""

    def _planned(self, mode: Mode, wishes: tuple[Wish, ...]) -> Plan:
        return plan_of(self.services, replace(self.session, mode=mode, wishes=wishes))

    def _renew(self, keep: Plan | None = None) -> None:
        """Plan again for both ways, and draw."""
        wishes = tuple(self.wishes)
        self.reasons = {mode: self._fault(mode, wishes) for mode in MODES}
        self.plan = None
        if self.mode and not self.reasons[self.mode]:
            self.plan = keep or self._planned(self.mode, wishes)
        self._draw()

    def _draw(self) -> None:
        modes = self.query_one("#modes", Rows)
        modes.set_rows(
            [self._mode_row(mode, title) for mode, title in MODES.items()],
            None if modes.rows or not self.mode else self.mode.name,
        )
        self.query_one("#arrangement", Prose).update(
            Text("Volumes", "bold").append(arrangement_words(self.session.arrangement), "default")
        )
        self.query_one("#volumes", Rows).set_rows(
            [self._volume_row(number, wish) for number, wish in enumerate(self.wishes)]
        )
        self.query_one("#verdict", Words).show(self._verdict_blocks())

    def _verdict_blocks(self) -> list[Block]:
        if self.mode is None:
            return [para(NOT_CHOSEN, "yellow")]
        if self.plan is None:
            return [para(Text("Not possible: ", "red").append(self.reasons[self.mode], "default"))]
        lost = sum(not slot.kept for member in self.plan.members for slot in member.before.partitions)
        if lost:
            are = "1 partition that is" if lost == 1 else f"{lost} partitions that are"
            said = (
                Text("Possible. ")
                .append(f"{are} there now will be lost", "yellow")
                .append(f" {lost_then(self.plan)}.")
            )
        elif self._drive.unrecognised_zones or any(member.before.holds_more for member in self.plan.members):
            drives = "the drives" if self.plan.others else "the drive"
            said = (
                Text("Possible. ")
                .append(f"All that is on {drives} will be lost", "yellow")
                .append(f" {lost_then(self.plan)}.")
            )
        elif any(map(unread_content, (self._drive, *self.session.others))):
            said = (
                Text("Possible. ")
                .append("What is there could not be read, and will be lost", "yellow")
                .append(f" {lost_then(self.plan)}.")
            )
        else:
            said = Text("Possible. No partition is lost.")
        if self.session.stripe:
            said.append(f" It lies on {spread_words(self.session)}.")
        return [
            para(said),
            *spread_blocks(self.plan),
            gap(),
            *bars(self.plan, ascii_only=self.wizard.terminal.glyphs is Glyphs.ASCII),
        ]

    def _mode_row(self, mode: Mode, title: str) -> Row:
        if mode is Mode.REPLACE and self._drive.zoned == "host-managed":
            title = "Empty every zone, for one filesystem without a partition table"
        elif mode is Mode.REPLACE and self._drive.is_empty:
            title = "Make a new table: the drive holds nothing"
        reason = self.reasons[mode]
        if reason and mode is not self.mode:
            return Row(
                mode.name, (Text(f"( ) {title}"),), (para(f"not possible: {reason}", indent=4, hang=2),)
            )
        found = old_filesystems(self._drive) if mode is Mode.REPLACE else ()
        notes = (
            (para(f"{instead_words(found)} m in the list of drives (step 1).", indent=4, hang=2),)
            if found
            else ()
        )
        return Row(mode.name, (Text(f"({'*' if mode is self.mode else ' '}) {title}"),), notes)

    def _volume_row(self, number: int, wish: Wish) -> Row:
        made = volume_bytes(self.plan, number) if self.plan else None
        more = "; ".join(more_words(wish))
        return Row(
            str(number),
            (
                Text(printable(wish.title, 40)),
                Text(wish.choice.filesystem),
                Text(size_words(wish, made)),
                Text(printable(wish.final_label, 20)),
                Text(printable(wish.mount_point, 40) if wish.mount_point else "not mounted"),
            ),
            (para(printable(more, 400), indent=4, hang=2),) if more else (),
        )

    @on(Rows.Highlighted, "#modes")
    def way(self, message: Rows.Highlighted) -> None:
        """The highlighted way is taken, unless it is impossible."""
        mode = Mode[message.row.key] if message.row else self.mode
        if mode is None or mode is self.mode or self.query_one("#modes") is not self.focused:
            return
        self._take(mode)

    def _take(self, mode: Mode) -> None:
        if self.reasons[mode]:
            self.say(self.reasons[mode], "yellow")
            return
        self.say("")
        self.mode = mode
        self._renew()

    def action_drives(self) -> None:
        """Over which drives the volume goes."""

        def closed(laid: Session | None) -> None:
            if laid is None:
                return
            self.say("")
            self.session, self.wishes = laid, list(laid.wishes)
            self.mode = self._mode()
            self._renew(keep=laid.plan)
            self.query_one("#modes", Rows).set_rows(
                self.query_one("#modes", Rows).rows, self.mode.name if self.mode else None
            )
            self.draw_head()

        self.app.push_screen(SpreadForm(self._kept(), self.services), closed)

    def action_desktop(self) -> None:
        """The volumes that a desktop's system needs, instead of those in the list."""
        if self.mode is None:
            self.say(NOT_CHOSEN, "yellow")
            return
        session = self.session
        assert session.machine is not None and session.diagnosis is not None
        try:
            wishes = self.services.desktop(
                session.machine, self._drive, session.diagnosis.recording, self.mode
            )
            self._planned(self.mode, wishes)
        except DiskwrightError as error:
            self.say(f"A desktop's volumes are not possible: {error}", "yellow")
            return
        self.say("")
        self.wishes = list(wishes)
        self._renew()

    def action_arrange(self) -> None:
        """The kind of table, and a volume group."""

        def closed(arrangement: Arrangement | None) -> None:
            if arrangement is None:
                return
            self.say("")
            self.session = replace(self.session, arrangement=arrangement)
            self._renew()

        def check(arrangement: Arrangement) -> None:
            plan_of(self.services, replace(self._kept(), arrangement=arrangement))

        self.app.push_screen(ArrangementForm(self.session.arrangement or PLAIN, check), closed)

    def action_add(self) -> None:
        """A further volume."""
        if self.session.stripe:
            self.say(TAKES_ALL, "yellow")
            return
        taken = any(wish.takes_rest for wish in self.wishes)
        wish = self._default(self.wishes)
        hint = (
            "Give the volume that takes all that is left a size first, or give this one a size."
            if taken
            else ""
        )
        self._open(wish, len(self.wishes), hint)

    def action_edit(self) -> None:
        """Change the highlighted volume."""
        row = self.query_one("#volumes", Rows).current
        if row is not None:
            self._open(self.wishes[int(row.key)], int(row.key), "")

    def action_remove(self) -> None:
        """Take the highlighted volume off the list."""
        row = self.query_one("#volumes", Rows).current
        if row is None:
            return
        if len(self.wishes) == 1:
            self.say("The last volume stays; press e to change it.", "yellow")
            return
        self.say("")
        del self.wishes[int(row.key)]
        self._renew()

    def _open(self, wish: Wish, number: int, hint: str) -> None:
        def closed(changed: Wish | None) -> None:
            if changed is None:
                return
            self.say("")
            self.wishes[number : number + 1] = [changed]
            self._renew()

        def check(changed: Wish) -> None:
            trial = [*self.wishes]
            trial[number : number + 1] = [changed]
            self._planned(self.mode or Mode.REPLACE, tuple(trial))

        self.app.push_screen(
            VolumeForm(self.session, self.services, wish, check, hint, new=number == len(self.wishes)), closed
        )

    def action_next(self) -> None:
        """Only what the planner can do."""
        modes = self.query_one("#modes", Rows)
        if self.mode is None and modes.has_focus and modes.current:
            self._take(Mode[modes.current.key])
        elif self.plan is None:
            self.say(self.reasons[self.mode] if self.mode else NOT_CHOSEN, "yellow")
        else:
            self.dismiss(Next(self._kept()))

    def action_back(self) -> None:
        """The list is kept."""
        self.dismiss(Back(self._kept()))

    def _kept(self) -> Session:
        return replace(self.session, mode=self.mode, wishes=tuple(self.wishes), plan=self.plan)
