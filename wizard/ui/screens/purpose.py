"""Screen 2: the drive's workload and the resulting volumes."""

from msgspec.structs import replace

from wizard.advice.missing import for_files
from wizard.filesystems.registry import title_of
from wizard.model.advice import Rank
from wizard.model.errors import DiskwrightError
from wizard.model.said import t
from wizard.plan.raid.striping import volume_sizes
from wizard.plan.refusals import unread_content
from wizard.plan.request.using import usual_purpose
from wizard.ui import draft, messages
from wizard.ui import view as ui
from wizard.ui.components.advice_rows import choice_page
from wizard.ui.components.drive_bars import plan_bars
from wizard.ui.components.plan_rows import about_drive
from wizard.ui.desk import Desk, Screen
from wizard.ui.dialogs.pages import Page
from wizard.ui.session import Session


class PurposeScreen(Screen):
    """List of workloads, with a preview of the plan for the selected one."""

    place = "purpose"
    step = ui.ScreenStep.PURPOSE
    title = t("What will you store?")
    actions = (ui.Action("plan", "enter", t("plan")), ui.Action("why", "w", messages.WHY))
    columns = (ui.Column(), ui.Column(least=78))
    help = (
        t("Choose the closest purpose. You can change everything in the plan."),
        t("Purposes are files. Add your own to ~/.config/diskwright/workloads or /etc/diskwright/workloads."),
    )

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._purposes = {one.workload.id: one.workload for one in self.services.profiles}
        wanted = desk.workload or usual_purpose(desk.session.drive)
        self.row = wanted if wanted in self._purposes else next(iter(self._purposes), "")
        self._session = desk.session
        self.about = about_drive(self._session)
        self._tried: dict[str, Session | str] = {}

    def _rows(self) -> ui.Listed:
        return (ui.row(one.id, ui.strong(one.title)) for one in self._purposes.values())

    def _panes(self) -> ui.Panes:
        if (purpose := self._purposes.get(self.row)) is None:
            return
        blocks: list[ui.Block] = [ui.para(purpose.summary)]
        tried = self._try(self.row)
        blocks += [ui.warning(tried)] if isinstance(tried, str) else _preview(tried)
        yield ui.Pane(purpose.title, tuple(blocks))

    def _try(self, workload: str) -> Session | str:
        if workload not in self._tried:
            try:
                session = draft.for_purpose(self._session, workload)
                self._tried[workload] = draft.planned(session) if session.specs and session.mode else session
            except DiskwrightError as error:
                self._tried[workload] = str(error)
        return self._tried[workload]

    def act_plan(self) -> None:
        """Open the plan for the workload. Preserves a previous plan for the same workload."""
        session = self.session
        if not (session.specs and self.desk.workload == self.row):
            session = draft.for_purpose(self._session, self.row)
        self.desk.session, self.desk.workload = session, self.row
        from wizard.ui.screens.plan import PlanScreen

        self.open(PlanScreen)

    def act_why(self) -> None:
        tried = self._try(self.row)
        if isinstance(tried, str) or tried.advice is None or (choice := tried.advice.chosen) is None:
            self.warn(tried if isinstance(tried, str) else messages.NONE_FOR_PURPOSE)
        else:
            self.open(Page, title_of(choice.filesystem), choice_page(choice, tried.advice))


def _preview(session: Session) -> ui.Blocks:
    advice = session.advice
    if not session.specs or advice is None:
        yield ui.warning(messages.NONE_FOR_PURPOSE)
        reasons = dict[str, list[str]]()
        for choice in for_files(advice.choices) if advice else ():
            why = choice.obstacles[0] if choice.obstacles else str(t("possible, but not recommended"))
            reasons.setdefault(why, []).append(title_of(choice.filesystem))
        for why, titles in reasons.items():
            yield ui.heading(f"{', '.join(titles)}:", why, indent=2)
        return
    plan = session.plan
    if plan is None:
        unread = unread_content(session.drive)
        yield ui.warning(
            messages.UNREAD if unread else t("Not enough free space. The plan shows your options.")
        )
    else:
        yield from (ui.GAP, replace(plan_bars(plan)[1], caption=""), ui.GAP)
    for index, spec in enumerate(session.specs):
        size = volume_sizes(plan).get(index) or session.drive.size_bytes or 0
        title = title_of(spec.choice.filesystem)
        place: ui.Text = t("at {place}", place=spec.mount_point) if spec.mount_point else ""
        label = ui.strong(spec.final_label)
        yield ui.captioned(t("You get"), t("{size:size} for", size=size), label, t("as"), title, place)
        if place:
            yield ui.captioned(t("Writable by"), spec.writer.shown)
    others = (one for one in advice.choices if one.place is Rank.ALTERNATIVE and not one.obstacles)
    good = ", ".join(title_of(one.filesystem) for one in others)
    if good and len(session.specs) == 1:
        yield ui.captioned(messages.FIRST(what=messages.ALTERNATIVE), good)
