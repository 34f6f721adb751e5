"""Which filesystems are tried where the plan puts a volume."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from wizard.advise.asked import Taken
from wizard.desk import draft
from wizard.desk.asides.asking import Typing
from wizard.desk.details.filesystem import standing
from wizard.desk.details.words import candidates as words
from wizard.desk.place import Place, Values, back_action
from wizard.desk.view import (
    Action,
    Block,
    Column,
    Field,
    Pane,
    Piece,
    Row,
    Rows,
    Step,
    Text,
    Tone,
    View,
    para,
    strong,
)
from wizard.filesystems.registry import KINDS
from wizard.model.errors import BadInput, DiskwrightError
from wizard.model.names import printable
from wizard.model.said import Sentence, t
from wizard.trial.candidates.prepare import (
    MOST_CANDIDATES,
    can_be_tried,
    order_of,
    others_of,
    usual_bounds,
)
from wizard.trial.candidates.sentences import announcement

if TYPE_CHECKING:
    from wizard.desk.desk import Desk
    from wizard.model.advice import Advice, Choice
    from wizard.model.plan import Plan
    from wizard.services.session import Session
    from wizard.trial.candidates.result import Order

NO_FILES = Sentence("{filesystem} cannot be tried: it holds no files.")
TRY = t("try them")


class Candidates(Place):
    """`index` is the volume of the session's plan, `advice` that for its purpose, `loads` are those by which
    it is tried. `take` puts another filesystem into the plan."""

    step = Step.PLAN

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
            words.TITLE(purpose=wish.workload.title),
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
            panes=(Pane(t("What is done"), tuple(self._cost(printable(wish.final_label, 30)))),),
            help=tuple(sentence() for sentence in words.HELP),
        )

    def _cost(self, label: str) -> Iterator[Block]:
        """What is done, and what it takes."""
        bounds = usual_bounds(1 + len(self._taken))
        yield para(
            t(
                "Each is made where {label} is planned, does the work of this purpose, and "
                "is compared with {planned}.",
                label=label,
                planned=_title(self._planned.filesystem),
            )
        )
        yield para(
            t(
                "That takes {seconds:time} and writes {written:size} at most.",
                seconds=bounds.seconds,
                written=bounds.written_bytes,
            )
        )
        yield para(t("The order changes every round; at least 6 are needed to say anything."))

    def _row(self, choice: Choice) -> Row:
        name = choice.filesystem
        if choice is self._planned:
            return Row(name, (strong(_title(name)), Piece(t("planned"), Tone.ACCENT)), chosen=True)
        why_not = self._why_not(name)
        chosen = None if why_not else name in self._taken
        return Row(name, (Piece(_title(name)), standing(choice)), chosen=chosen, why_not=why_not)

    def _actions(self) -> Iterator[Action]:
        none: Text = "" if self._taken else t("Take at least one more: there is nothing to compare.")
        yield Action("try", "enter", TRY, none)
        label = t("leave") if self._at in self._taken else t("take")
        yield Action("turn", "space", label, self._why_not_turned())
        yield Action("age", "g", t("new") if self._aged else t("aged"))
        yield back_action()

    def _why_not_turned(self) -> Text:
        if self._at == self._planned.filesystem:
            return t("The planned one is what the others are compared with.")
        full = self._at not in self._taken and len(self._taken) + 1 >= MOST_CANDIDATES
        return self._why_not(self._at) or (
            t("At most {most} are tried at once.", most=MOST_CANDIDATES) if full else ""
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
            from wizard.trial.scratch import confirm_scratch

            token = values.get("token", "").strip()
            if not token:
                raise BadInput(t("Type {token} to allow it, or press Esc.", token=drive.token))
            confirm_scratch(drive, token)
            return partial(self._begin, order)

        bounds, lost, kept = announcement(order)
        text = (para(Piece(lost, Tone.DANGER)), para(bounds), para(kept))
        field = Field("token", t("Token"), hint=t("type {token}", token=drive.token))
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
        from wizard.desk.places.tryout import Tryout

        choices = {choice.filesystem: choice for choice in self._choices}

        def use(filesystem: str) -> None:
            # This place is of the plan as it was.
            self.desk.back()
            self._take(Taken(choices[filesystem]))

        self.desk.go(Tryout(self.desk, order, use))


def _title(name: str) -> str:
    return KINDS[name].title
