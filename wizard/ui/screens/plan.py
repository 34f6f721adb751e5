"""Screen 3: all decisions of the plan, with keys to change them."""

from collections.abc import Sequence

from msgspec.structs import replace

from wizard.advice.request import Taken
from wizard.ext4.superblock import old_filesystems
from wizard.model.errors import BadInput, DiskwrightError, why_not
from wizard.model.said import t
from wizard.plan.refusals import unread_content
from wizard.plan.request.plan_request import PLAIN, Mode
from wizard.ui import draft, messages
from wizard.ui import view as ui
from wizard.ui.components import plan_rows
from wizard.ui.components.advice_rows import choice_page
from wizard.ui.components.reasons import step_reasons
from wizard.ui.desk import Desk
from wizard.ui.dialogs.asking import JobScreen
from wizard.ui.dialogs.pages import Page, Reasons
from wizard.ui.editors import adjusting, candidates, filesystem, spread, volume
from wizard.ui.jobs.job import PlanJob
from wizard.ui.session import Session

EXT4_INSTEAD = t("Without losing a file:")


class PlanScreen(JobScreen):
    """The plan: layout, losses, volumes, and details of the selected volume."""

    place = "plan"
    step = ui.ScreenStep.PLAN
    title = t("Volumes")
    job: PlanJob
    columns = plan_rows.COLUMNS
    help = (
        t("Preserved partitions do not change by a byte. Press x to preserve or replace all."),
        t("p sets up a bootable desktop. d mirrors or stripes the volume over several drives."),
    )

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._fault = ""
        self._keeps: str | None = None
        self._planned: Session | None = None
        session = desk.session
        if any(session.machine.drive(one.path) != one for one in session.others):
            desk.session = draft.spread(session, None, ())

    @property
    def _at(self) -> int:
        index = int(self.row) if self.row.isdecimal() else 0
        return min(index, max(0, len(self.session.specs) - 1))

    def _renew(self, session: Session) -> None:
        self._fault, self.missing, self._keeps = "", None, None
        try:
            session = draft.planned(replace(session, plan=None)) if session.specs else session
        except DiskwrightError as error:
            self.refused(error)
            # `_fault` is shown until the plan succeeds.
            self.tell("")
            self._fault = str(error)
            session = replace(session, plan=None)
        if not session.specs:
            self._fault, self.missing = str(messages.NONE_FOR_PURPOSE), draft.missing_makers(session)
        elif session.mode is None and session.part is None:
            self._fault = str(
                messages.UNREAD
                if unread_content(session.drive)
                else t("Not enough free space. Press x to replace everything on the drive.")
            )
            session = replace(session, plan=None)
        self.desk.session = self._planned = session
        self.about = plan_rows.about_drive(session)
        if session.plan is not None:
            # The table shows who may write.
            self.job = PlanJob(self.services, session.plan, writers=False)

    def forget(self) -> None:
        """Clear the last answer. Missing tools remain until the next plan."""
        self.tell("")

    def equipped(self) -> None:
        """Plan with the installed tools. If no filesystem was possible, rank again."""
        session = self.session
        if session.advice and not session.specs:
            session = draft.for_purpose(session, session.advice.workload.id)
        self._renew(session)

    def entered(self) -> None:
        """Plan a session that an editor changed. After a failure too, so that missing tools are offered."""
        if self._fault or self.session is not self._planned:
            self._renew(self.session)

    def _rows(self) -> ui.Listed:
        return (plan_rows.volume_row(self.session, number) for number in range(len(self.session.specs)))

    def _cursor(self, keys: Sequence[str]) -> str:
        return str(self._at)

    def _panes(self) -> ui.Panes:
        if self.session.specs:
            yield plan_rows.volume_pane(self.session, self._at)
        if self.session.plan is not None:
            yield from self.job.panes()

    def _above(self) -> ui.Blocks:
        session, plan = self.session, self.session.plan
        if session.advice is not None:
            yield ui.heading(session.advice.workload.title)
        key = "as-root" if self._can_read else ""
        if plan is None:
            yield ui.alarm(messages.NOT_POSSIBLE, self._fault, key=key)
            if self._has_old_filesystem:
                yield ui.para(EXT4_INSTEAD, key="to-ext4")
            return
        yield from self.job.bars
        yield ui.GAP
        yield self.job.banner(final=bool(self.job.word()))
        if session.arrangement.stripe:
            yield ui.para(t("On {drives}.", drives=session.spread))
        if plan.unread:
            yield ui.warning(messages.READ_FIRST, hang=2, key=key)
        elif why := self.services.why_direct(plan):
            said = t("not possible, and neither is resume: {why}.", why=why)
            yield ui.warning(messages.UNDO_CAPTION, said)
        if self.job.lost and self._has_old_filesystem:
            yield ui.para(EXT4_INSTEAD, key="to-ext4")

    @property
    def _can_read(self) -> bool:
        plan = self.session.plan
        unread = bool(plan.unread) if plan else unread_content(self.session.drive)
        return unread and self.services.asks_for_root

    @property
    def _has_old_filesystem(self) -> bool:
        return not self.session.part and bool(old_filesystems(self.session.drive))

    def _actions(self) -> ui.Actions:
        session = self.session
        whole, alone = session.part is None, not session.arrangement.stripe
        replaces = session.mode is Mode.REPLACE
        holds = not session.drive.is_empty
        yield ui.Action("review", "enter", messages.REVIEW, self._fault)
        if self._can_read:
            yield ui.Action("as-root", "a", messages.READ_AS_ROOT)
        none = "" if session.specs else self._fault
        yield ui.Action("edit", "e", t("edit"), none)
        yield ui.Action("filesystem", "f", messages.FILESYSTEM)
        if whole and holds and alone:
            label, keeps = (t("preserve existing") if replaces else messages.REPLACE), self._keeps
            if replaces and keeps is None:
                # Cached, because views are requested often.
                preserving = replace(session, mode=Mode.USE_FREE)
                keeps = self._keeps = why_not(draft.planned, preserving)
            yield ui.Action("turn", "x", label, (replaces and keeps) or "")
        if whole:
            several = "" if alone else t("One volume uses all the drives.")
            yield ui.Action("add", "+", messages.ADD, none or several)
            yield ui.Action("remove", "-", messages.DROP, none, aside=len(session.specs) < 2)
        yield ui.Action("options", "o", messages.OPTIONS, none)
        yield ui.Action("try", "c", t("compare"), self._why_not_try())
        if whole:
            yield ui.Action("drives", "d", t("more drives"), none)
            if holds and alone and session.drive.partitions:
                against = (
                    t("All existing contents are replaced. Press x to preserve them.") if replaces else ""
                )
                yield ui.aside("adjust", "z", messages.RESIZE, against)
            yield ui.aside("system", "p", t("system volumes"))
            yield ui.aside("table", "g", t("table"))
        if self._has_old_filesystem:
            yield ui.aside("to-ext4", "m", t("to ext4"))
        yield ui.Action("commands", "v", messages.COMMANDS, self._fault)
        yield ui.aside("why", "w", messages.WHY)
        yield ui.aside("speed", "t", messages.SPEED)
        yield ui.aside("save", "s", messages.SAVE, self._fault)

    def _why_not_try(self) -> ui.Text:
        session = self.session
        if session.plan is None or not session.specs:
            return self._fault
        if obstacle := self.services.obstacle:
            return obstacle
        from wizard.benchmark.candidates.trial import blocker as trial_blocker

        loads = self.services.profile(session.specs[self._at].workload.id).trial
        return trial_blocker(session.drive, session.plan, self._at, loads)

    def act_review(self) -> None:
        self.desk.open_review(self.job.document)

    def act_turn(self) -> None:
        mode = Mode.USE_FREE if self.session.mode is Mode.REPLACE else Mode.REPLACE
        self._renew(replace(self.session, mode=mode))

    def act_edit(self) -> None:
        if self.session.specs:
            self.open(volume.VolumeEditor, self._at)

    def act_add(self) -> None:
        specs = self.session.specs
        self.open(volume.VolumeEditor, len(specs))
        if any(one.takes_rest for one in specs):
            self.desk.screen.tell(t("First set a size for the volume that uses all remaining space."))

    def act_remove(self) -> None:
        if len(self.session.specs) == 1:
            raise BadInput(t("The last volume cannot be removed. Press e to edit."))
        specs = [*self.session.specs]
        del specs[self._at]
        self._renew(replace(self.session, specs=tuple(specs)))

    def act_filesystem(self) -> None:
        self.open(filesystem.Filesystem, self._at)

    def act_options(self) -> None:
        spec = self.session.specs[self._at]
        advised = (
            draft.advice_for(self.session, self._at).choice(spec.choice.filesystem) if spec.names else None
        )

        def take(taken: Taken) -> None:
            self._renew(draft.with_filesystem(self.session, self._at, taken))

        self.open(filesystem.Options, spec.workload.id, draft.taken_for(spec), take, advised)

    def act_drives(self) -> None:
        self.open(spread.Spread)

    def act_adjust(self) -> None:
        adjusting.adjust_one_of(self.desk, self.session.drive)

    def act_table(self) -> None:
        spread.arrange(self.desk)

    def act_system(self) -> None:
        specs = draft.desktop_specs(self.session)
        self.row = ""
        self._renew(replace(self.session, specs=specs, arrangement=PLAIN, others=()))

    def act_to_ext4(self) -> None:
        from wizard.ui.screens.ways import open_ways

        open_ways(self.desk)

    def act_why(self) -> None:
        if (plan := self.session.plan) is not None:
            self.open(Reasons, messages.WHY, step_reasons(plan, self.session.specs))
        elif self.session.specs:
            advice = draft.advice_for(self.session, self._at)
            self.open(Page, messages.WHY, choice_page(self.session.specs[self._at].choice, advice))

    def act_try(self) -> None:
        candidates.compare_filesystems(self.desk, self._at)
