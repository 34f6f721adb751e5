"""Select filesystems to compare for a planned volume, run the comparison and show the result."""

from collections.abc import Callable
from functools import partial

from wizard.advice.request import Taken
from wizard.benchmark.candidates import compare, trial
from wizard.filesystems.registry import title_of
from wizard.model.advice import Advice, Choice
from wizard.model.errors import DiskwrightError, Refused
from wizard.model.said import Sentence, t
from wizard.plan.plan import Plan
from wizard.ui import draft, messages
from wizard.ui import view as ui
from wizard.ui.components.plan_rows import rating
from wizard.ui.desk import Desk, Screen
from wizard.ui.dialogs.measuring import Measuring, ask_token

TITLE = Sentence("Try filesystems: {purpose}")
TRY = t("try them")

HELP = (
    t("Only free space is written, so deleted data there is lost. Tables and partitions do not change."),
    t("Each filesystem is created at full size with the planned options and unmounted after every step."),
    t("A difference counts only if the whole range exceeds 5 %, in nearly every round."),
)


class Candidates(Screen):
    """Selection of filesystems to compare for volume `index` of the session's plan.

    `advice` is for the volume's purpose. `take` puts another filesystem into the plan.
    """

    place = "candidates"
    many = True
    help = HELP

    def __init__(self, desk: Desk, advice: Advice, index: int, take: Callable[[Taken], None]) -> None:
        super().__init__(desk)
        self._advice, self._index, self._take = advice, index, take
        self._spec = self.session.specs[index]
        self._planned = self._spec.choice
        self.title = TITLE(purpose=self._spec.workload.title)
        ranked = [choice for choice in advice.choices if choice.ranked]
        others = [choice for choice in ranked if choice.filesystem != self._planned.filesystem]
        self._choices = (self._planned, *others)
        self._plans: dict[str, Plan] = {}
        self._refused: dict[str, str] = {}
        for one in self._choices:
            try:
                self._plans[one.filesystem] = self._plan(one)
            except DiskwrightError as error:
                self._refused[one.filesystem] = str(error)
        proposed = trial.others_of(advice, self._planned.filesystem)
        self._taken = [name for name in proposed if name in self._plans]
        self.row = self._planned.filesystem
        self._aged = False

    def _plan(self, choice: Choice) -> Plan:
        session = self.session
        if choice is not self._planned:
            if choice.obstacles:
                raise Refused(choice.obstacles[0])
            if not trial.can_be_tried(choice):
                title = title_of(choice.filesystem)
                raise Refused(t("Cannot try {filesystem}, which does not store files.", filesystem=title))
            session = draft.planned(draft.with_filesystem(session, self._index, Taken(choice)))
        assert session.plan is not None
        return session.plan

    def _above(self) -> ui.Blocks:
        said = (
            t("On aged filesystems: filled to 85 % three times, with half of the files deleted in between.")
            if self._aged
            else t("On new filesystems.")
        )
        yield ui.para(said, key="age")

    def _rows(self) -> ui.Listed:
        for choice in self._choices:
            name, why_not = choice.filesystem, self._refused.get(choice.filesystem, "")
            if choice is self._planned:
                yield ui.row(name, ui.strong(title_of(name)), ui.accent(t("planned")), chosen=True)
            else:
                chosen = name in self._taken
                yield ui.row(name, title_of(name), rating(choice), chosen=chosen, why_not=why_not)

    def _panes(self) -> ui.Panes:
        created = t(
            "Each filesystem is created in place of {label}, runs this workload, and is compared with "
            "{planned}.",
            label=self._spec.final_label,
            planned=title_of(self._planned.filesystem),
        )
        rounds = t("The order changes every round. A result needs at least 6 rounds.")
        yield ui.Pane(t("Procedure"), (ui.para(created), ui.para(rounds)))

    def _actions(self) -> ui.Actions:
        none: ui.Text = "" if self._taken else t("Add at least one more filesystem to compare.")
        yield ui.Action("try", "enter", TRY, none)
        is_taken, most = self.row in self._taken, trial.MOST_CANDIDATES
        why_not = self.against
        if self.row == self._planned.filesystem:
            why_not = t("The planned filesystem is the reference.")
        elif not (why_not or is_taken) and len(self._taken) + 1 >= most:
            why_not = t("Compare at most {most} filesystems.", most=most)
        yield ui.Action("turn", "space", messages.DROP if is_taken else messages.ADD, why_not)
        yield ui.Action("age", "g", t("new") if self._aged else t("aged"))

    def act_turn(self) -> None:
        row = self.row
        taken = [name for name in self._taken if name != row]
        self._taken = taken if row in self._taken else [*taken, row]

    def act_age(self) -> None:
        self._aged = not self._aged

    def act_try(self) -> None:
        wanted = (self._planned.filesystem, *self._taken)
        plans = [self._plans[one.filesystem] for one in self._choices if one.filesystem in wanted]
        chosen = self._advice.chosen
        advised = chosen is not None and chosen.filesystem == self._planned.filesystem
        loads = self.services.profile(self._spec.workload.id).trial
        order = trial.order_of(
            self.session.drive, plans, self._index, loads, aged=self._aged, advised=advised
        )
        bounds, lost, kept = compare.announcement(order)
        text = (ui.alarm(lost), ui.para(bounds), ui.para(kept))
        ask_token(
            self.desk,
            order.drive,
            self.title,
            text,
            partial(self.open, FilesystemTrial, order, self._use),
            TRY,
        )

    def _use(self, filesystem: str) -> None:
        # Close this screen, which shows the old plan.
        self.desk.back()
        self._take(Taken(next(one for one in self._choices if one.filesystem == filesystem)))


class FilesystemTrial(Measuring[compare.TrialVerdict]):
    """A running trial and the result. Starts by itself, since the user has confirmed.

    `use` puts a better filesystem into the plan.
    """

    place = "tryout"
    file = "trial"
    help = HELP

    def __init__(self, desk: Desk, order: compare.Order, use: Callable[[str], None]) -> None:
        super().__init__(desk, order.drive, TITLE(purpose=order.workload.replace("-", " ")))
        self._order, self._use = order, use

    def _closing(self) -> ui.Action | None:
        if self.verdict is None:
            return None
        planned = self.verdict.candidate(self.verdict.planned).title
        return ui.Action("keep", "enter", t("continue with {planned}", planned=planned))

    def _ways(self) -> ui.Actions:
        if self.verdict and (better := self.verdict.better):
            yield ui.Action("use", "x", t("use {other} instead", other=better.title))
        yield ui.Action("again", "r" if self.verdict else "enter", messages.TRY_AGAIN)

    def act_keep(self) -> None:
        self.desk.back(2)

    def act_use(self) -> None:
        better = self.verdict and self.verdict.better
        assert better
        self.desk.back()
        self._use(better.filesystem)

    def act_again(self) -> None:
        """Start the trial. The user has already confirmed."""
        self.start(trial.run_trial, self._order, writes=True)

    opened = act_again
