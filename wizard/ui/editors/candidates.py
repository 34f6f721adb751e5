"""Select the filesystems to compare at a planned volume's place. Also arranges table and volume group."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from wizard.advice.request import Taken
from wizard.benchmark.candidates.trial import MOST_CANDIDATES, can_be_tried, order_of, others_of, usual_bounds
from wizard.benchmark.candidates.verdict import announcement
from wizard.filesystems.registry import KINDS
from wizard.model.errors import BadInput, DiskwrightError, printable
from wizard.model.said import Sentence, t
from wizard.plan.request.volume_request import Arrangement
from wizard.ui import draft
from wizard.ui.dialogs.asking import Typing
from wizard.ui.editors.filesystem import standing
from wizard.ui.view import (
    GAP,
    Action,
    Block,
    Column,
    Field,
    Offer,
    Pane,
    Piece,
    Place,
    Row,
    Rows,
    ScreenStep,
    Text,
    Tone,
    Values,
    View,
    back_action,
    para,
    strong,
)

if TYPE_CHECKING:
    from wizard.benchmark.candidates.compare import Order
    from wizard.host.session import Session
    from wizard.model.advice import Advice, Choice
    from wizard.model.plan import Plan
    from wizard.ui.desk import Desk


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


class Arrange(Place):
    """Table and volume group. `check` raises the planner's reasons against an arrangement.

    `take` gets what is taken and may refuse it, too; then this place is left, unless `take` led elsewhere
    itself.
    """

    step = ScreenStep.PLAN

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
            Offer("gpt", t("GPT (usual)")),
            Offer("mbr", t("MBR, for old firmware"), self._why_no_mbr),
        )
        groups = (
            Offer("", t("none: a partition each")),
            Offer(LVM, t("LVM: all in one"), self._why_no_group),
        )
        table = ABOUT_MBR if now.table == "mbr" else ABOUT_GPT
        group = (
            ABOUT_LVM if now.grouped else t("Without a volume group, each volume has a separate partition.")
        )
        return View(
            "arrangement",
            self.step,
            t("Table and volume group"),
            (Action("take", "enter", t("use")), back_action()),
            fields=(
                Field(TABLE, t("Table"), now.table, offers=tables),
                Field(GROUP, t("Volume group"), LVM if now.grouped else "", offers=groups),
            ),
            panes=(Pane(t("Effect"), (para(table), GAP, para(group))),),
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


TITLE = Sentence("Try filesystems: {purpose}")

# Keys.

# Before it begins.

# While it runs.

# The result.
HELP = (
    Sentence(
        "Only free space is written, so deleted data there is lost. Tables and partitions do not change."
    ),
    Sentence(
        "Each filesystem is created at full size with the planned options and unmounted after every step."
    ),
    Sentence("A difference counts only if the whole range exceeds 5 %, in nearly every round."),
    Sentence("The plan changes only if you choose another filesystem."),
)


NO_FILES = Sentence("Cannot try {filesystem}, which does not store files.")
TRY = t("try them")


class Candidates(Place):
    """`index` is the volume of the session's plan, `advice` that for its purpose, `loads` are those by which
    it is tried. `take` puts another filesystem into the plan."""

    step = ScreenStep.PLAN

    def __init__(
        self, desk: Desk, advice: Advice, index: int, loads: tuple[str, ...], take: Callable[[Taken], None]
    ) -> None:
        super().__init__(desk)
        self._session: Session = desk.session
        self._advice, self._index, self._loads, self._take = advice, index, loads, take
        self._planned = self._session.wishes[index].choice
        ranked = [choice for choice in advice.choices if choice.ranked]
        others = [choice for choice in ranked if choice.filesystem != self._planned.filesystem]
        self._choices = (self._planned, *others)
        self._plans: dict[str, Plan | str] = {one.filesystem: self._plan(one) for one in self._choices}
        proposed = others_of(advice, self._planned.filesystem)
        self._taken = [name for name in proposed if not self._why_not(name)]
        self._at = self._planned.filesystem
        self._aged = False

    def _plan(self, choice: Choice) -> Plan | str:
        """The plan with this filesystem; or why there is none, in a sentence."""
        assert self._session.plan is not None
        if choice is self._planned:
            return self._session.plan
        if choice.obstacles:
            return choice.obstacles[0]
        if not can_be_tried(choice):
            return str(NO_FILES(filesystem=_title(choice.filesystem)))
        try:
            changed = draft.with_filesystem(self.services, self._session, self._index, Taken(choice))
            plan = draft.planned(self.services, changed).plan
        except DiskwrightError as error:
            return str(error)
        return plan or str(NO_FILES(filesystem=_title(choice.filesystem)))

    def _why_not(self, name: str) -> str:
        found = self._plans.get(name, "")
        return found if isinstance(found, str) else ""

    def view(self) -> View:
        """The filesystems, those that are taken, and what it costs to try them."""
        wish = self._session.wishes[self._index]
        return View(
            "candidates",
            self.step,
            TITLE(purpose=wish.workload.title),
            tuple(self._actions()),
            above=(
                para(
                    t(
                        "On aged filesystems: filled to 85 % three times, with half of the files "
                        "deleted in between."
                    )
                    if self._aged
                    else t("On new filesystems."),
                    key="age",
                ),
            ),
            rows=Rows(tuple(map(self._row, self._choices)), self._at, (Column(), Column()), many=True),
            panes=(Pane(t("Procedure"), tuple(self._cost(printable(wish.final_label, 30)))),),
            help=tuple(sentence() for sentence in HELP),
        )

    def _cost(self, label: str) -> Iterator[Block]:
        """What is done, and what it takes."""
        bounds = usual_bounds(1 + len(self._taken))
        yield para(
            t(
                "Each filesystem is created in place of {label}, runs this workload, and is "
                "compared with {planned}.",
                label=label,
                planned=_title(self._planned.filesystem),
            )
        )
        yield para(
            t(
                "At most {seconds:time} and {written:size} of writes.",
                seconds=bounds.seconds,
                written=bounds.written_bytes,
            )
        )
        yield para(t("The order changes every round. A result needs at least 6 rounds."))

    def _row(self, choice: Choice) -> Row:
        name = choice.filesystem
        if choice is self._planned:
            return Row(name, (strong(_title(name)), Piece(t("planned"), Tone.ACCENT)), chosen=True)
        why_not = self._why_not(name)
        chosen = None if why_not else name in self._taken
        return Row(name, (Piece(_title(name)), standing(choice)), chosen=chosen, why_not=why_not)

    def _actions(self) -> Iterator[Action]:
        none: Text = "" if self._taken else t("Add at least one more filesystem to compare.")
        yield Action("try", "enter", TRY, none)
        label = t("drop") if self._at in self._taken else t("add")
        yield Action("turn", "space", label, self._why_not_turned())
        yield Action("age", "g", t("new") if self._aged else t("aged"))
        yield back_action()

    def _why_not_turned(self) -> Text:
        if self._at == self._planned.filesystem:
            return t("The planned filesystem is the reference.")
        full = self._at not in self._taken and len(self._taken) + 1 >= MOST_CANDIDATES
        return self._why_not(self._at) or (
            t("Compare at most {most} filesystems.", most=MOST_CANDIDATES) if full else ""
        )

    def moved(self, row: str) -> None:
        """It can be taken or left."""
        self._at = row

    def act_turn(self, row: str, _values: Values) -> None:
        """Take or leave the one under the cursor."""
        taken = [name for name in self._taken if name != row]
        self._taken = taken if row in self._taken else [*taken, row]

    def act_age(self, _row: str, _values: Values) -> None:
        """On new or on aged filesystems."""
        self._aged = not self._aged

    def act_try(self, _row: str, _values: Values) -> None:
        """After what is lost was said, and the token typed."""
        drive = self._session.drive
        assert drive is not None
        order = self._ordered()

        def take(values: Values) -> Callable[[], None]:
            from wizard.benchmark.scratch import confirm_scratch

            token = values.get("token", "").strip()
            if not token:
                raise BadInput(t("Type {token} to confirm, or press Esc.", token=drive.token))
            confirm_scratch(drive, token)
            return partial(self._begin, order)

        bounds, lost, kept = announcement(order)
        text = (para(Piece(lost, Tone.DANGER)), para(bounds), para(kept))
        field = Field("token", t("Drive"), hint=t("type {token}", token=drive.token))
        self.desk.go(Typing(self.desk, t("Try them?"), text, (field,), take, TRY))

    def _ordered(self) -> Order:
        """What is asked for; raises Refused where that cannot be."""
        assert self._session.drive is not None
        found = [self._plans[name] for name in (self._planned.filesystem, *self._in_order())]
        plans = [plan for plan in found if not isinstance(plan, str)]
        chosen = self._advice.chosen
        advised = chosen is not None and chosen.filesystem == self._planned.filesystem
        return order_of(
            self._session.drive, plans, self._index, self._loads, aged=self._aged, advised=advised
        )

    def _in_order(self) -> list[str]:
        """Those that are taken, as they are ranked."""
        return [one.filesystem for one in self._choices if one.filesystem in self._taken]

    def _begin(self, order: Order) -> None:
        from wizard.ui.screens.tryout import Tryout

        choices = {choice.filesystem: choice for choice in self._choices}

        def use(filesystem: str) -> None:
            # This place is of the plan as it was.
            self.desk.back()
            self._take(Taken(choices[filesystem]))

        self.desk.go(Tryout(self.desk, order, use))


def _title(name: str) -> str:
    return KINDS[name].title
