"""The form for what holds for all volumes of a drive: the kind of table, and whether they lie in one volume
group."""

from collections.abc import Callable

from rich.text import Text
from textual import on
from textual.app import ComposeResult

from wizard.layout.wishes.roles import TableKind
from wizard.layout.wishes.wish import Arrangement
from wizard.model.errors import DiskwrightError
from wizard.tui.dialogs.form import Form
from wizard.tui.widgets.controls import Cycle, Offer, Turn
from wizard.tui.widgets.words import Prose


def arrangement_words(arrangement: Arrangement | None) -> str:
    """What is not as usual, as the end of a heading; empty where all is."""
    if arrangement is None:
        return ""
    table = ", in a new MBR" if arrangement.table == "mbr" else ""
    return table + (", all in one volume group" if arrangement.grouped else "")


class ArrangementForm(Form[Arrangement]):
    """Table and volume group. `check` raises the planner's reasons against an arrangement."""

    NAME = "Table and volume group"
    HELP = """
Table: a GPT keeps a second copy of itself with checksums, names its partitions, holds 128 of them and has no
limit at 2 TiB. An MBR is the old table of four partitions, for firmware that knows nothing else.

Volume group: LVM puts all volumes into one partition over the room, where each can be made larger later. What
firmware, boot loader and system find by a partition of its own, which is all that has a role, cannot lie
there.

What cannot be says why below the fields when it is turned to. Nothing is written by this form.
"""

    def __init__(self, arrangement: Arrangement, check: Callable[[Arrangement], None]) -> None:
        super().__init__()
        self._arrangement, self._check = arrangement, check

    def title_words(self) -> str:
        """What the form is called."""
        return self.NAME

    def fields(self) -> ComposeResult:
        """Two."""
        now = self._arrangement
        yield Turn("Table", "table", self._tables(grouped=now.grouped), now.table)
        yield Turn("Volume group", "group", self._groups(now.table), "lvm" if now.grouped else "")

    def on_mount(self) -> None:
        """The first field."""
        self.query_one("#table").focus()

    def _tables(self, *, grouped: bool) -> list[Offer]:
        refusal = self._refusal(Arrangement("mbr", grouped), Arrangement("gpt", grouped))
        return [Offer("gpt", "GPT, as is usual"), Offer("mbr", "MBR, for old firmware", refusal)]

    def _groups(self, table: str) -> list[Offer]:
        kind = self._table(table)
        refusal = self._refusal(Arrangement(kind, grouped=True), Arrangement(kind))
        return [Offer("", "none: a partition each"), Offer("lvm", "LVM: all in one", refusal)]

    @staticmethod
    def _table(text: str) -> TableKind:
        return "mbr" if text == "mbr" else "gpt"

    def _refusal(self, wanted: Arrangement, otherwise: Arrangement) -> str:
        """Why the planner does not take what it would take otherwise; empty where it takes both, or
        neither."""
        return "" if self._fault(otherwise) else self._fault(wanted)

    def _fault(self, arrangement: Arrangement) -> str:
        try:
            self._check(arrangement)
        except DiskwrightError as error:
            return str(error)
        return ""

    @on(Cycle.Changed)
    def changed(self) -> None:
        """Each field bears on the other."""
        table, group = self.query_one("#table", Cycle), self.query_one("#group", Cycle)
        table.set_offers(self._tables(grouped=bool(group.value)), table.value)
        group.set_offers(self._groups(table.value), group.value)
        self.query_one("#said", Prose).update(Text(table.refusal or group.refusal, "yellow"))

    def action_take(self) -> None:
        """Hand the arrangement back, unless it is the reason why nothing can be planned."""
        table, group = self.query_one("#table", Cycle), self.query_one("#group", Cycle)
        if refusal := table.refusal or group.refusal:
            self.query_one("#said", Prose).update(Text(refusal, "red"))
            return
        self.dismiss(Arrangement(self._table(table.value), grouped=bool(group.value)))
