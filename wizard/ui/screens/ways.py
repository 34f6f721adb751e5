"""Screen for conversions to ext4 that preserve all files: methods, options and planning."""

from msgspec.structs import replace

from wizard.ext4.assessment import Situation
from wizard.ext4.blockers import COPY_COMMANDS, COPY_INSTEAD
from wizard.ext4.document import make_migration, prospect_of
from wizard.ext4.superblock import old_filesystems
from wizard.ext4.ways import NEW_INSTEAD, SUMMARIES, TITLES, is_damaged
from wizard.filesystems.registry import title_of
from wizard.model.said import format_capacity, format_duration, t
from wizard.plan.changes import Migration, Prospect, WayOffer
from wizard.ui import messages
from wizard.ui import view as ui
from wizard.ui.components import advice_rows
from wizard.ui.components.drive_rows import finding_paras
from wizard.ui.desk import Desk, Screen
from wizard.ui.dialogs.asking import pick


class WaysScreen(Screen):
    """Conversions of the filesystem on `device`."""

    place = "ways"
    step = ui.ScreenStep.PLAN
    columns = (
        ui.Column(messages.FIRST(what=t("how"))),
        ui.Column(t("Time"), right=True),
        ui.Column(t("Extra space"), right=True),
        ui.Column(),
    )
    help = (
        t("Compare: read every file before and after. This is the best proof and needs the time shown."),
        t("Repair: allow repairs if the filesystem reports damage."),
        t("Extent: ext4 records a file as a few runs of blocks, ext3 block by block."),
    )

    def __init__(self, desk: Desk, device: str) -> None:
        super().__init__(desk)
        self._device, self.about = device, ui.short(device)
        self.title = messages.IN_EXT4(device=self.about)
        self._prospect: Prospect | None = None
        self._compares, self._repairs = True, False

    @property
    def _offer(self) -> WayOffer | None:
        offers = self._prospect.offers if self._prospect else ()
        return next((offer for offer in offers if offer.way == self.row), None)

    def _rows(self) -> ui.Listed | None:
        if not (prospect := self._prospect):
            return None
        rows = []
        for offer in prospect.offers:
            standing = ui.Piece(messages.ALTERNATIVE)
            if offer.obstacle:
                standing = ui.warn(messages.IMPOSSIBLE)
            elif offer.way is prospect.default:
                standing = ui.good(messages.RECOMMENDED)
            row = ui.row(
                offer.way.value,
                ui.strong(TITLES[offer.way]),
                format_duration(offer.seconds),
                format_capacity(offer.room_bytes) if offer.room_bytes else messages.NONE,
                standing,
                why_not="" if self._repairs else advice_rows.obstacle_words(prospect, offer),
            )
            rows.append(row)
        return rows

    def _panes(self) -> ui.Panes:
        prospect, offer = self._prospect, self._offer
        if prospect is None or offer is None:
            return
        options: list[ui.Text] = []
        if offer.way.converts:
            compares = t(
                "Every file is compared before and after ({seconds:time}).", seconds=offer.compare_seconds
            )
            options.append(compares if self._compares else t("Files are not compared individually."))
        if is_damaged(prospect.before):
            options.append(t("Damage may be repaired.") if self._repairs else t("Damage is not repaired."))
        offered = advice_rows.offer_blocks(prospect, offer, SUMMARIES[offer.way])
        yield ui.Pane(TITLES[offer.way], (*offered, *map(ui.para, options)))
        if found := tuple(finding_paras(prospect.findings)):
            yield ui.Pane(messages.NOTES, found)

    def _above(self) -> ui.Blocks:
        if self._prospect is not None:
            said = messages.CAPTION(what=messages.RECOMMENDED)
            if not self._prospect.default:
                said = messages.NOT_POSSIBLE
            yield ui.heading(said, self._prospect.why)
            yield ui.para(t("Every conversion preserves all files."))
            yield ui.para(NEW_INSTEAD, COPY_INSTEAD, COPY_COMMANDS)
        elif not self.doing:
            yield ui.para(t("Not checked yet. Press r to check the filesystem."))

    def _actions(self) -> ui.Actions:
        wait, prospect, offer = self.doing, self._prospect, self._offer
        if prospect is not None and offer is not None:
            yield ui.Action("review", "enter", messages.REVIEW, wait or self.against)
            if offer.way.converts:
                label = t("do not compare") if self._compares else t("compare files")
                yield ui.Action("compare", "c", label, wait)
            if is_damaged(prospect.before):
                label = t("do not repair") if self._repairs else t("repair damage")
                yield ui.Action("repair", "x", label, wait)
        yield ui.Action("again", "r", messages.REFRESH, wait)

    def act_again(self) -> None:
        def looked(prospect: Prospect) -> None:
            self._prospect, before, device = prospect, prospect.before, ui.short(self._device)
            self.about = f"{device}  {before.kind}  {format_capacity(before.size_bytes)}"
            if before.label:
                self.title = messages.IN_EXT4(device=f'{device} "{before.label}"')
            ways = [offer.way for offer in prospect.offers]
            if self.row not in {way.value for way in ways} and ways:
                self.row = (prospect.default or ways[0]).value

        self.later_as_root(messages.CHECKING, lambda: prospect_of(self._look()), looked)

    opened = act_again

    def _look(self) -> Situation:
        return self.services.as_root().look_at_ext(self._device)

    def act_compare(self) -> None:
        self._compares = not self._compares

    def act_repair(self) -> None:
        self._repairs = not self._repairs

    def act_review(self) -> None:
        if (offer := self._offer) is None:
            return
        way, manifest, repairs = offer.way, self._compares and offer.way.converts, self._repairs

        def plan() -> Migration:
            return make_migration(self._look(), way, manifest=manifest, repairs=repairs)

        def planned(migration: Migration) -> None:
            self.row = migration.way.value
            self.desk.session = replace(self.session, migration=migration)
            self.desk.open_review(migration)

        self.later_as_root(messages.CHECKING, plan, planned)


def open_ways(desk: Desk, device: str = "") -> None:
    """Open the conversions of a filesystem, after asking which one if there are several."""

    def take(device: str) -> None:
        desk.go(WaysScreen(desk, device))

    rows = [
        ui.row(one.device, ui.short(one.device), title_of(one.kind), one.label or "")
        for one in old_filesystems(desk.session.drive, device)
    ]
    if rows:
        pick(desk, messages.FIRST(what=messages.CONVERT), rows, take)
    else:
        desk.screen.warn(messages.NO_OLD)
