"""Within step 4: over how many drives the volume goes, and how."""

from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from wizard.layout.several.mirrors import mirror_note
from wizard.layout.told.preview import danger_of
from wizard.model.errors import DiskwrightError
from wizard.model.machine import Drive
from wizard.model.names import printable
from wizard.model.units import format_capacity
from wizard.services.contract import Services
from wizard.services.session import Session
from wizard.services.spread import ALONE, WAYS, Way, candidates, loss_words, spread, way_of
from wizard.tui.dialogs.explained import Dialog
from wizard.tui.dialogs.questions import Ask
from wizard.tui.widgets.keys import Pairs
from wizard.tui.widgets.rows import Column, Row, Rows
from wizard.tui.widgets.words import Prose, para

MARKS = {True: "x", False: " "}


class SpreadForm(Dialog[Session | None]):
    """The other drives, of which space takes some, and the ways; it ends with the session laid over them, or
    None."""

    NAME = "Over which drives"
    HELP = """
One volume can lie on several drives together. Nothing is written by this form.

Mirror: every file is kept on more than one drive, so that a drive may fail. It has half the room or less, and
is no backup: what is deleted is gone from all of them.

Stripe: each file lies in pieces on all drives. It has as much room and speed as they have together, and
everything is lost when any one of them fails.

md, LVM, Btrfs: what puts the drives together. Btrfs does it by itself; on md and LVM another filesystem is
made.

Every drive is taken whole, and gives as much as the smallest one has. What they hold now is lost when you
keep the result, or with md and LVM when the plan is applied, not before. A drive or a way that cannot be
taken says why.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,b", "cancel", show=False, id="spread.cancel"),
        Binding("enter", "take", show=False, id="spread.take"),
        Binding("space", "mark", show=False, id="spread.mark"),
    ]

    def __init__(self, session: Session, services: Services) -> None:
        super().__init__()
        self._session, self._services = session, services
        self._found = candidates(services, session)
        self._taken = [drive.path for drive in session.others]
        self._way = way_of(session)
        self._tried: dict[Way, Session | str] = {}

    def compose(self) -> ComposeResult:
        """Bar, drives, ways, what is said of them, keys."""
        yield Prose(Text(f" {self.NAME}"), id="head")
        assert self._session.drive is not None
        yield Prose(Text(f"Besides {self._session.drive.path}", "bold"), classes="inset")
        yield Rows(
            Column(), Column(flexible=True), Column(right=True), Column(), id="others", classes="inset"
        )
        yield Prose(Text("How the volume lies", "bold"), classes="inset spaced")
        yield Rows(id="ways", classes="inset")
        yield Prose(id="said", classes="inset said")
        yield self.key_lines()

    def keys(self) -> Pairs:
        """Taking drives, choosing a way."""
        return (
            ("Space", "take or leave a drive"),
            ("Tab", "drives or ways"),
            ("Enter", "take it"),
            ("Esc", "cancel"),
        )

    def on_mount(self) -> None:
        """The drives first."""
        self._renew()
        self.query_one("#others").focus()

    @property
    def _others(self) -> tuple[Drive, ...]:
        by_path = {drive.path: drive for drive, _ in self._found}
        return tuple(by_path[path] for path in self._taken)

    def _renew(self) -> None:
        """Try every way with the drives as they are taken now, and draw."""
        self._tried = {way: self._try(way) for way in WAYS}
        self.query_one("#others", Rows).set_rows(
            [self._drive_row(drive, refusal) for drive, refusal in self._found]
        )
        ways = self.query_one("#ways", Rows)
        ways.set_rows([self._way_row(way) for way in WAYS], None if ways.rows else self._way.name)
        self._say()

    def _try(self, way: Way) -> Session | str:
        try:
            return spread(self._services, self._session, way, self._others)
        except DiskwrightError as error:
            return str(error)

    def _drive_row(self, drive: Drive, refusal: str) -> Row:
        size = format_capacity(drive.size_bytes) if drive.size_bytes else ""
        serial = printable(drive.serial, 24) if drive.serial else "no serial number"
        cells = (
            f"[{MARKS[drive.path in self._taken]}] {drive.path}",
            printable(drive.model or "no name", 40),
            size,
            serial,
        )
        notes = (para(f"cannot be taken: {refusal}", indent=4, hang=2),) if refusal else ()
        return Row(drive.path, tuple(map(Text, cells)), notes)

    def _way_row(self, way: Way) -> Row:
        found = self._tried[way]
        shown = isinstance(found, str) and bool(self._taken)
        notes = (para(f"not possible: {found}", indent=4, hang=2),) if shown else ()
        return Row(way.name, (Text(f"({'*' if way is self._way else ' '}) {way.title}"),), notes)

    def _say(self) -> None:
        """What the way that is taken means, or what is missing."""
        said = self.query_one("#said", Prose)
        if not self._found:
            said.update(Text("There is no other drive.", "yellow"))
        elif fault := self._fault():
            said.update(Text(fault, "yellow"))
        else:
            said.update(self._meaning())

    def _meaning(self) -> Text:
        laid = self._tried[self._way]
        plan = laid.plan if isinstance(laid, Session) else None
        if plan is None:
            return Text("")
        return Text(danger_of(plan) or "", "red").append(mirror_note(plan) or "", "default")

    def _fault(self) -> str:
        """Why it cannot be taken like this; empty where it can."""
        if self._way is ALONE:
            return "Choose how the volume is to lie on these drives." if self._taken else ""
        found = self._tried[self._way]
        return found if isinstance(found, str) else ""

    @on(Rows.Highlighted, "#ways")
    def way(self, message: Rows.Highlighted) -> None:
        """The highlighted way is taken; where it cannot be, that is said."""
        chosen = next((way for way in WAYS if message.row and way.name == message.row.key), self._way)
        if chosen is self._way or self.query_one("#ways") is not self.focused:
            return
        self._way = chosen
        self._renew()

    def action_mark(self) -> None:
        """Take or leave the highlighted drive."""
        row = self.query_one("#others", Rows).current
        if row is None or self.query_one("#others") is not self.focused:
            return
        refusal = next(refusal for drive, refusal in self._found if drive.path == row.key)
        if refusal:
            self.query_one("#said", Prose).update(Text(refusal, "yellow"))
            return
        self._taken = (
            [path for path in self._taken if path != row.key]
            if row.key in self._taken
            else [*self._taken, row.key]
        )
        self._renew()

    def action_cancel(self) -> None:
        """As it was."""
        self.dismiss(None)

    def action_take(self) -> None:
        """The session laid out so, if that can be."""
        found = self._tried[self._way]
        if (fault := self._fault()) or isinstance(found, str):
            self.query_one("#said", Prose).update(Text(fault, "red"))
            return
        loss = loss_words(found.drives) if found.others else ""
        if not loss:
            self.dismiss(found)
            return

        def answered(yes: bool | None) -> None:
            if yes:
                self.dismiss(found)

        self.app.push_screen(Ask("Take these drives whole?", loss, no="No", yes="Yes, take them"), answered)
