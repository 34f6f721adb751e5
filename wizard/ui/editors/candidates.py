"""Select filesystems to compare for a planned volume, run the comparison and show the result."""

from collections.abc import Callable
from functools import partial

from wizard.advice.request import Taken
from wizard.benchmark.candidates import compare, trial
from wizard.filesystems.registry import title_of
from wizard.model.errors import BadInput, why_not
from wizard.model.said import Sentence, t
from wizard.plan.plan import Plan
from wizard.ui import draft, messages
from wizard.ui import view as ui
from wizard.ui.components.plan_rows import rating
from wizard.ui.desk import Desk
from wizard.ui.dialogs.asking import Dialog
from wizard.ui.dialogs.measuring import Measuring, ask_token
from wizard.ui.session import Session

TITLE = Sentence("Try filesystems: {purpose}")
TRY = t("try them")
ADDED, AGED = "added", "aged"


def compare_filesystems(desk: Desk, index: int) -> None:
    """Ask which filesystems to compare for volume `index` of the session's plan, and how."""
    session, advice = desk.session, draft.advice_for(desk.session, index)
    spec, first = session.specs[index], session.plan
    assert first is not None
    planned, title = spec.choice.filesystem, TITLE(purpose=spec.workload.title)
    others = {
        one.filesystem: Taken(one) for one in advice.choices if one.ranked and one.filesystem != planned
    }

    def using(filesystem: str) -> Session:
        return draft.with_filesystem(desk.session, index, others[filesystem])

    def plan(filesystem: str) -> Plan:
        found = draft.planned(using(filesystem)).plan
        assert found is not None
        return found

    def read(values: ui.Values) -> Callable[[], None]:
        wanted = [name for name in others if values[name] == ADDED]
        if not 0 < len(wanted) < trial.MOST_CANDIDATES:
            raise BadInput(t("Add one to {most} filesystems.", most=trial.MOST_CANDIDATES - 1))
        advised = advice.chosen is not None and advice.chosen.filesystem == planned
        loads, aged = desk.services.profile(spec.workload.id).trial, values[AGED] == AGED
        plans = (first, *map(plan, wanted))
        order = trial.order_of(session.drive, plans, index, loads, aged=aged, advised=advised)
        bounds, lost, kept = compare.announcement(order)
        text = (ui.alarm(lost), ui.para(bounds), ui.para(kept))

        def start() -> None:
            desk.go(FilesystemTrial(desk, order, using))

        return partial(ask_token, desk, order.drive, title, text, start, TRY)

    refused = {name: why_not(plan, name) for name in others}
    proposed = [name for name in trial.others_of(advice, planned) if not refused[name]]
    fields = [
        ui.Field(
            name,
            f"{title_of(name)}: {rating(taken.choice).text}",
            ADDED if name in proposed else "",
            offers=(ui.Offer("", t("not compared")), ui.Offer(ADDED, t("compared"), refused[name])),
        )
        for name, taken in others.items()
    ]
    new = ui.Offer("", t("new"))
    aged = ui.Offer(AGED, t("aged: filled to 85 % three times, half of the files deleted in between"))
    fields.append(ui.Field(AGED, t("Filesystems"), offers=(new, aged)))
    created = t(
        "Each filesystem is created in place of {label}, runs this workload, and is compared with {planned}.",
        label=spec.final_label,
        planned=title_of(planned),
    )
    rounds = t("The order changes every round. A result needs at least 6 rounds.")
    desk.go(Dialog(desk, title, (ui.para(created), ui.para(rounds)), fields, read, TRY))


class FilesystemTrial(Measuring[compare.TrialVerdict]):
    """A running trial and the result. Starts by itself, since the user has confirmed.

    `use` puts a better filesystem into the plan.
    """

    place = "tryout"
    file = "trial"
    help = (
        t("Only free space is overwritten, with any deleted data. Tables and partitions do not change."),
        t("Each filesystem is created at full size with the planned options and unmounted after every step."),
        t("A difference counts only if the whole range exceeds 5 %, in nearly every round."),
    )

    def __init__(self, desk: Desk, order: compare.Order, using: Callable[[str], Session]) -> None:
        super().__init__(desk, order.drive, TITLE(purpose=order.workload.replace("-", " ")))
        self._order, self._using = order, using

    def _closing(self) -> ui.Action | None:
        if self.verdict is None:
            return None
        planned = self.verdict.candidate(self.verdict.planned).title
        return ui.Action("back", "enter", t("continue with {planned}", planned=planned))

    def _ways(self) -> ui.Actions:
        if self.verdict and (better := self.verdict.better):
            yield ui.Action("use", "x", t("use {other} instead", other=better.title))
        yield ui.Action("again", "r" if self.verdict else "enter", messages.TRY_AGAIN)

    def act_use(self) -> None:
        better = self.verdict and self.verdict.better
        assert better
        self.desk.session = self._using(better.filesystem)
        self.desk.back()

    def act_again(self) -> None:
        """Start the trial. The user has already confirmed."""
        self.start(trial.run_trial, self._order, writes=True)

    opened = act_again
