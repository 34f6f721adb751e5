"""Screen for conversions to ext4 that preserve all files: methods, options and planning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, TypeVar

from wizard.ext4.document import make_migration, prospect_of
from wizard.ext4.system_findings import COPY_COMMANDS, COPY_INSTEAD
from wizard.ext4.ways import NEW_INSTEAD, is_damaged, offer_of
from wizard.filesystems.registry import title_of
from wizard.model.errors import Refused, printable
from wizard.model.said import t
from wizard.plan.changes import Way
from wizard.ui import view as ui
from wizard.ui.components.drive_rows import short
from wizard.ui.components.way_rows import COLUMNS, obstacle_words, way_panes, way_row
from wizard.ui.desk import Desk, Screen
from wizard.ui.dialogs.asking import Picker
from wizard.ui.messages import NO_OLD

if TYPE_CHECKING:
    from wizard.ext4.superblock import ExtCandidate
    from wizard.model.errors import DiskwrightError
    from wizard.model.machine import Drive
    from wizard.plan.changes import Migration, Prospect, WayOffer

LOOKING = t("Checking the filesystem without writing ...")
AGAIN = t("refresh")
TAKE = t("use")

T = TypeVar("T")

HELP = (
    t("Each row is a conversion of this filesystem to ext4."),
    t("Compare: read every file before and after. This is the best proof and needs the time shown."),
    t("Repair: allow repairs if the filesystem reports damage."),
    t("Extent: ext4 records a file as a few runs of blocks, ext3 block by block."),
    t("Inode: the record of one file: owner, times and block locations."),
)


class WaysScreen(Screen):
    """Conversions of the filesystem on `device` of `drive`."""

    step: ClassVar[ui.ScreenStep] = ui.ScreenStep.PLAN

    def __init__(self, desk: Desk, drive: Drive, device: str) -> None:
        super().__init__(desk)
        self._drive, self._device = drive, device
        self._prospect: Prospect | None = None
        self._compares, self._repairs = True, False
        self._at = ""
        self._doing: ui.Text = ""
        self._fault = ""
        self._begun = False

    def entered(self) -> None:
        """Check the filesystem when first opened."""
        if not self._begun:
            self._begun = True
            self._look()

    def moved(self, row: str) -> None:
        """Show details of the conversion."""
        self._at = row

    @property
    def _offer(self) -> WayOffer | None:
        return offer_of(self._prospect, Way(self._at)) if self._prospect and self._at else None

    def view(self) -> ui.View:
        """Return the conversions, with details of the selected one."""
        prospect, offer = self._prospect, self._offer
        rows = (
            tuple(way_row(one, prospect, repairs=self._repairs) for one in prospect.offers)
            if prospect
            else ()
        )
        return ui.View(
            "ways",
            self.step,
            self._title(prospect),
            self._actions(prospect, offer),
            self._about(prospect),
            above=self._above(prospect),
            rows=ui.Rows(rows, self._at, COLUMNS) if rows else None,
            panes=way_panes(prospect, offer, compares=self._compares, repairs=self._repairs)
            if prospect and offer
            else (),
            said=self.said or (ui.Piece(self._doing) if prospect and self._doing != "" else None),
            busy=self._doing != "",
            help=HELP,
        )

    def _title(self, prospect: Prospect | None) -> ui.Text:
        device = short(self._device)
        if prospect and prospect.before.label:
            return t('{device} "{label}" to ext4', device=device, label=prospect.before.label)
        return t("{device} to ext4", device=device)

    def _about(self, prospect: Prospect | None) -> ui.Text:
        device = short(self._device)
        if prospect is None:
            return device
        return t(
            "{device}  {kind}  {size:size}",
            device=device,
            kind=prospect.before.kind,
            size=prospect.before.size_bytes,
        )

    def _above(self, prospect: Prospect | None) -> tuple[ui.Block, ...]:
        if prospect is not None:
            said = t("Recommended:") if prospect.default else t("Not possible now:")
            return (
                ui.para(ui.strong(said), prospect.why, hang=2),
                ui.para(t("Every conversion preserves all files.")),
                ui.para(NEW_INSTEAD, COPY_INSTEAD, COPY_COMMANDS, hang=2),
            )
        if self._doing != "":
            return (ui.para(self._doing),)
        if self._fault:
            return (ui.para(ui.Piece(t("Cannot show conversions:"), ui.Tone.WARN), self._fault, hang=2),)
        return (ui.para(t("Not checked yet. Press r to check the filesystem.")),)

    def _actions(self, prospect: Prospect | None, offer: WayOffer | None) -> tuple[ui.Action, ...]:
        wait: ui.Text = t("Still checking the filesystem.") if self._doing != "" else ""
        if prospect is None or offer is None:
            return (ui.Action("again", "r", AGAIN, wait), ui.back_action())
        refused = obstacle_words(prospect, offer) if not self._repairs else ""
        compares = self._compares
        actions = [
            ui.Action("review", "enter", t("review"), wait or refused),
            ui.Action("compare", "c", t("do not compare") if compares else t("compare files"), wait),
        ]
        if not offer.way.converts:
            actions.pop()
        if is_damaged(prospect.before):
            label = t("do not repair") if self._repairs else t("repair damage")
            actions.append(ui.Action("repair", "x", label, wait))
        return (
            *actions,
            ui.Action("again", "r", AGAIN, wait),
            ui.back_action(),
        )

    def act_again(self, _row: str, _values: ui.Values) -> None:
        """Check the filesystem again."""
        self._look()

    def act_compare(self, _row: str, _values: ui.Values) -> None:
        """Switch the comparison of files on or off."""
        self._compares = not self._compares

    def act_repair(self, _row: str, _values: ui.Values) -> None:
        """Switch repairs on or off."""
        self._repairs = not self._repairs

    def act_review(self, row: str, _values: ui.Values) -> None:
        """Plan the conversion. Raises Refused if there is an obstacle."""
        prospect = self._prospect
        offer = offer_of(prospect, Way(row or self._at)) if prospect else None
        if prospect is None or offer is None:
            return
        if offer.obstacle and not self._repairs:
            raise Refused(obstacle_words(prospect, offer))
        way = offer.way
        self._try(
            t("Checking again and planning ..."),
            lambda: make_migration(
                self.services.look_at_ext(self._device),
                way,
                manifest=self._compares and way.converts,
                repairs=self._repairs,
            ),
            self._planned,
        )

    def _look(self) -> None:
        self._try(LOOKING, lambda: prospect_of(self.services.look_at_ext(self._device)), self._looked)

    def _try(self, doing: ui.Text, work: Callable[[], T], then: Callable[[T], None]) -> None:
        """Run a task in a thread, one at a time, and show errors.

        Asks for root again if access has expired.
        """

        def done(result: T) -> None:
            self._doing = ""
            then(result)

        def begin() -> None:
            if self._doing == "":
                self._doing, self._fault = doing, ""
                self.desk.later(self, work, done, self._hindered)

        self.desk.with_root(self, begin)

    def _hindered(self, error: DiskwrightError) -> None:
        self._doing = ""
        if self._prospect is None:
            self._fault = str(error)
        else:
            self.tell(str(error), ui.Tone.WARN)

    def _looked(self, prospect: Prospect) -> None:
        """Select the recommended conversion, unless one is already selected."""
        self._prospect = prospect
        ways = [offer.way for offer in prospect.offers]
        if self._at not in {way.value for way in ways} and ways:
            self._at = (prospect.default or ways[0]).value

    def _planned(self, migration: Migration) -> None:
        """Open Review."""
        self._at = migration.way.value
        if self.desk.session.drive == self._drive:
            self.desk.session = replace(self.desk.session, migration=migration)
        self.desk.open_review(migration)


def open_ways(desk: Desk, drive: Drive, found: Sequence[ExtCandidate]) -> None:
    """Open the conversions of a filesystem, after asking which one if there are several."""
    if len(found) == 1:
        desk.go(WaysScreen(desk, drive, found[0].device))
    elif found:
        rows = (ui.Row(one.device, _candidate(one)) for one in found)

        def take(device: str) -> None:
            desk.go(WaysScreen(desk, drive, device))

        desk.go(Picker(desk, t("Convert which filesystem to ext4?"), tuple(rows), TAKE, take))
    else:
        desk.screen.tell(NO_OLD, ui.Tone.WARN)


def _candidate(one: ExtCandidate) -> tuple[ui.Piece, ...]:
    label = printable(one.label or "", 40)
    return (ui.Piece(short(one.device)), ui.Piece(title_of(one.kind)), ui.Piece(label))
