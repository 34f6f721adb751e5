"""Select filesystems to compare for a planned volume, run the comparison and show the result."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from wizard.advice.request import Taken
from wizard.benchmark.candidates.trial import (
    MOST_CANDIDATES,
    can_be_tried,
    order_of,
    others_of,
    run_trial,
    usual_bounds,
)
from wizard.benchmark.candidates.verdict import announcement
from wizard.benchmark.candidates.verdict import title_of as filesystem_title
from wizard.filesystems.registry import KINDS
from wizard.model.errors import BadInput, DiskwrightError, printable
from wizard.model.said import Sentence, t
from wizard.ui import draft
from wizard.ui.components.advice_rows import rating
from wizard.ui.components.drive_rows import short
from wizard.ui.components.measured import progress_blocks, verdict_banner, verdict_blocks
from wizard.ui.desk import Desk, Screen
from wizard.ui.dialogs.asking import Typing, save
from wizard.ui.view import (
    BACK,
    Action,
    Block,
    Column,
    Field,
    Pane,
    Piece,
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
    from wizard.benchmark.candidates.compare import Order, TrialProgress, TrialVerdict
    from wizard.model.advice import Advice, Choice
    from wizard.plan.plan import Plan
    from wizard.ui.session import Session


TITLE = Sentence("Try filesystems: {purpose}")

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


class Candidates(Screen):
    """Selection of filesystems to compare for volume `index` of the session's plan.

    `advice` is for the volume's purpose, and `loads` are the benchmark loads. `take` puts another filesystem
    into the plan.
    """

    step = ScreenStep.PLAN

    def __init__(
        self, desk: Desk, advice: Advice, index: int, loads: tuple[str, ...], take: Callable[[Taken], None]
    ) -> None:
        super().__init__(desk)
        self._session: Session = desk.session
        self._advice, self._index, self._loads, self._take = advice, index, loads, take
        self._planned = self._session.specs[index].choice
        ranked = [choice for choice in advice.choices if choice.ranked]
        others = [choice for choice in ranked if choice.filesystem != self._planned.filesystem]
        self._choices = (self._planned, *others)
        self._plans: dict[str, Plan | str] = {one.filesystem: self._plan(one) for one in self._choices}
        proposed = others_of(advice, self._planned.filesystem)
        self._taken = [name for name in proposed if not self._why_not(name)]
        self._at = self._planned.filesystem
        self._aged = False

    def _plan(self, choice: Choice) -> Plan | str:
        """Return the plan with this filesystem, or why planning fails."""
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
        """Return the filesystems, the current selection and the cost of a trial."""
        spec = self._session.specs[self._index]
        return View(
            "candidates",
            self.step,
            TITLE(purpose=spec.workload.title),
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
            panes=(Pane(t("Procedure"), tuple(self._cost(printable(spec.final_label, 30)))),),
            help=tuple(sentence() for sentence in HELP),
        )

    def _cost(self, label: str) -> Iterator[Block]:
        """Describe the trial with time limit and amount of writes."""
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
        return Row(name, (Piece(_title(name)), rating(choice)), chosen=chosen, why_not=why_not)

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
        """Move the cursor."""
        self._at = row

    def act_turn(self, row: str, _values: Values) -> None:
        """Add or remove the filesystem under the cursor."""
        taken = [name for name in self._taken if name != row]
        self._taken = taken if row in self._taken else [*taken, row]

    def act_age(self, _row: str, _values: Values) -> None:
        """Switch between new and aged filesystems."""
        self._aged = not self._aged

    def act_try(self, _row: str, _values: Values) -> None:
        """Start the trial after the user confirms the loss with the drive's token."""
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

        bounds, early, lost, kept = announcement(order)
        text = (para(Piece(lost, Tone.DANGER)), para(bounds), para(early), para(kept))
        field = Field("token", t("Drive"), hint=t("type {token}", token=drive.token))
        self.desk.go(Typing(self.desk, t("Try them?"), text, (field,), take, TRY))

    def _ordered(self) -> Order:
        """Return the trial to run. Raises Refused."""
        assert self._session.drive is not None
        found = [self._plans[name] for name in (self._planned.filesystem, *self._in_order())]
        plans = [plan for plan in found if not isinstance(plan, str)]
        chosen = self._advice.chosen
        advised = chosen is not None and chosen.filesystem == self._planned.filesystem
        return order_of(
            self._session.drive, plans, self._index, self._loads, aged=self._aged, advised=advised
        )

    def _in_order(self) -> list[str]:
        """Return the selected filesystems in ranking order."""
        return [one.filesystem for one in self._choices if one.filesystem in self._taken]

    def _begin(self, order: Order) -> None:
        choices = {choice.filesystem: choice for choice in self._choices}

        def use(filesystem: str) -> None:
            # Close this screen, which shows the old plan.
            self.desk.back()
            self._take(Taken(choices[filesystem]))

        self.desk.go(FilesystemTrial(self.desk, order, use))


def _title(name: str) -> str:
    return KINDS[name].title


class FilesystemTrial(Screen):
    """A running trial and the result. Starts by itself, since the user has confirmed.

    `use` puts a better filesystem into the plan.
    """

    step = ScreenStep.PLAN

    def __init__(self, desk: Desk, order: Order, use: Callable[[str], None]) -> None:
        super().__init__(desk)
        self._order, self._use = order, use
        self._working = False
        self._stop = threading.Event()
        self._progress: TrialProgress | None = None
        self._verdict: TrialVerdict | None = None
        self._begun = False

    def entered(self) -> None:
        """Start the trial when first opened."""
        if not self._begun:
            self._begun = True
            self._start()

    def left(self) -> None:
        """Stop the trial."""
        self._stop.set()

    @property
    def may_leave(self) -> bool:
        """True unless a trial is running."""
        return not self._working

    def view(self) -> View:
        """Return the progress or the result."""
        verdict = None if self._working else self._verdict
        blocks = verdict_blocks(verdict) if verdict else progress_blocks(self._progress, self._order)
        return View(
            "tryout",
            self.step,
            TITLE(purpose=self._order.workload.replace("-", " ")),
            tuple(self._actions()),
            about=short(self._order.drive.path),
            above=(verdict_banner(verdict),) if verdict else (),
            panes=(Pane("", tuple(blocks) if verdict or self._working else ()),),
            busy=self._working,
            help=tuple(sentence() for sentence in HELP),
        )

    def _actions(self) -> Iterator[Action]:
        if self._working:
            yield Action("stop", "S", t("stop"), ends=True)
            yield Action("back", "escape", BACK, t("Trying filesystems. Press S to stop."))
            return
        verdict = self._verdict
        if verdict is None:
            yield Action("back", "enter", BACK)
        else:
            yield Action(
                "keep",
                "enter",
                t("continue with {planned}", planned=filesystem_title(verdict, verdict.planned)),
            )
            if better := verdict.better:
                yield Action("use", "x", t("use {other} instead", other=filesystem_title(verdict, better)))
            yield Action("save", "s", t("save"))
        yield Action("again", "r", t("try again"))
        yield Action("back", "escape", BACK, aside=verdict is None)

    def act_keep(self, _row: str, _values: Values) -> None:
        """Close the trial without changing the plan."""
        self.desk.back(2)

    def act_use(self, _row: str, _values: Values) -> None:
        """Use the better filesystem in the plan."""
        verdict = self._verdict
        assert verdict is not None
        better = next(one.filesystem for one in verdict.candidates if one.id == verdict.better)
        self.desk.back()
        self._use(better)

    def act_again(self, _row: str, _values: Values) -> None:
        """Repeat the trial. The user has already confirmed."""
        self._start()

    def act_stop(self, _row: str, _values: Values) -> None:
        """Stop the trial early."""
        self._stop.set()
        self.tell(t("Stopping ..."))

    def act_save(self, _row: str, _values: Values) -> None:
        """Save the result with every round."""
        from wizard.benchmark.results import render_verdict

        if self._verdict:
            proposal = f"{short(self._verdict.drive)}-trial.json"
            save(self.desk, t("the result"), render_verdict(self._verdict), proposal)

    def _start(self) -> None:
        if self._working:
            return
        self._working, self._progress, self._stop = True, None, threading.Event()
        stop = self._stop
        self.desk.measured_by_writing = True

        def work() -> TrialVerdict:
            order = self._order
            return self.services.measure(order.drive, run_trial, order, self._post, stop.is_set)

        self.desk.later(self, work, self._tried, self._failed)

    def _post(self, progress: TrialProgress) -> None:
        self.desk.post(self, lambda: setattr(self, "_progress", progress))

    def _tried(self, verdict: TrialVerdict) -> None:
        self._working, self._verdict = False, verdict
        self.tell("")
        if self.desk.session.drive == self._order.drive:
            self.desk.session = replace(self.desk.session, trial=verdict)

    def _failed(self, error: DiskwrightError) -> None:
        self._working = False
        self.tell(str(error), Tone.WARN)
