"""What holds for all volumes of a drive: the kind of table, and whether they lie in one volume group."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from wizard.desk.place import Place, Values, back_action
from wizard.desk.view import GAP, Action, Field, Offer, Pane, Step, Tone, View, para
from wizard.layout.wishes.wish import Arrangement
from wizard.model.errors import BadInput, DiskwrightError
from wizard.model.said import t

if TYPE_CHECKING:
    from wizard.desk.desk import Desk

ABOUT_GPT = t(
    "A GPT keeps a second copy of itself with checksums, names its partitions, and holds 128 of them."
)
ABOUT_MBR = t(
    "An MBR is the old table of four partitions, for firmware that knows nothing else. It ends at 2 TiB."
)
ABOUT_LVM = t(
    "A volume group of LVM puts all volumes into one partition, where each can "
    "be made larger later. What has a role needs a partition of its own."
)

TABLE, GROUP = "table", "group"
LVM = "lvm"


class Arrange(Place):
    """Table and volume group. `check` raises the planner's reasons against an arrangement.

    `take` gets what is taken and may refuse it, too; then this place is left, unless `take` led elsewhere
    itself.
    """

    step = Step.PLAN

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
        """Each field bears on what the other can be."""
        self._now = now
        self._why_no_mbr = self._refusal(Arrangement("mbr", now.grouped), Arrangement("gpt", now.grouped))
        self._why_no_group = self._refusal(Arrangement(now.table, grouped=True), Arrangement(now.table))

    def view(self) -> View:
        """Two fields, and what they mean as they are."""
        now = self._now
        tables = (
            Offer("gpt", t("GPT, as is usual")),
            Offer("mbr", t("MBR, for old firmware"), self._why_no_mbr),
        )
        groups = (
            Offer("", t("none: a partition each")),
            Offer(LVM, t("LVM: all in one"), self._why_no_group),
        )
        table = ABOUT_MBR if now.table == "mbr" else ABOUT_GPT
        group = (
            ABOUT_LVM if now.grouped else t("Without a volume group each volume has a partition of its own.")
        )
        return View(
            "arrangement",
            self.step,
            t("Table and volume group"),
            (Action("take", "enter", t("take it")), back_action()),
            fields=(
                Field(TABLE, t("Table"), now.table, offers=tables),
                Field(GROUP, t("Volume group"), LVM if now.grouped else "", offers=groups),
            ),
            panes=(Pane(t("What that means"), (para(table), GAP, para(group))),),
            help=(ABOUT_GPT, ABOUT_MBR, ABOUT_LVM),
        )

    def turned(self, field: str, values: Values) -> None:
        """What cannot be says why."""
        self._settle(self._read(values))
        self.tell(self._refused, Tone.WARN)

    def act_take(self, _row: str, values: Values) -> None:
        """Hand it on, unless it is the reason why nothing can be planned."""
        self._settle(self._read(values))
        if self._refused:
            raise BadInput(self._refused)
        self._take(self._now)
        if self.desk.place is self:
            self.desk.back()

    @property
    def _refused(self) -> str:
        """Why what is turned to cannot be; empty where it can."""
        mbr = self._why_no_mbr if self._now.table == "mbr" else ""
        return mbr or (self._why_no_group if self._now.grouped else "")

    def _read(self, values: Values) -> Arrangement:
        table, group = values.get(TABLE, self._now.table), values.get(GROUP)
        grouped = self._now.grouped if group is None else group == LVM
        return Arrangement("mbr" if table == "mbr" else "gpt", grouped)

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
