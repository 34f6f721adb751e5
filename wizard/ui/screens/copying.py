"""Screens to copy files to a volume: source, target folder, then losses of the copy, before Review."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from wizard.filesystems.registry import title_of
from wizard.model.errors import BadInput, printable
from wizard.model.requests import CopyFiles
from wizard.model.said import t
from wizard.plan.copy import amount_message, fstab_difference
from wizard.ui import view as ui
from wizard.ui.components.drive_rows import short
from wizard.ui.desk import Desk, Screen
from wizard.ui.dialogs.asking import Typing

if TYPE_CHECKING:
    from wizard.apply.copy.places import Source
    from wizard.model.errors import DiskwrightError
    from wizard.plan.changes import Bring

HELP_NOTHING = t("No change happens before you review.")

OTHER = "other"
"""Row key for a folder typed by name."""
SHOWN = 200


class CopyScreen(Screen):
    """Selection of a source, or any folder.

    `targets` are the mount points of volumes that can receive the files.
    """

    step: ClassVar[ui.ScreenStep] = ui.ScreenStep.PLAN

    def __init__(self, desk: Desk, targets: Sequence[str]) -> None:
        super().__init__(desk)
        self._targets = tuple(targets)
        self._sources: tuple[Source, ...] | None = None
        self._at = ""
        self._doing: ui.Text = ""

    def entered(self) -> None:
        """Search the attached drives when first opened."""
        if self._sources is None and self._doing == "":
            self._look()

    def _look(self) -> None:
        self._doing = t("Searching attached drives ...")
        self.desk.later(self, lambda: self.services.bring_sources(self._targets), self._looked, self._failed)

    def _looked(self, found: tuple[Source, ...]) -> None:
        self._sources, self._doing = found, ""

    def _failed(self, error: DiskwrightError) -> None:
        """Show the error. A folder can still be typed."""
        self._sources, self._doing = self._sources or (), ""
        self.tell(str(error), ui.Tone.WARN)

    def view(self) -> ui.View:
        """Return the sources."""
        rows = (*map(_row, self._sources or ()), ui.Row(OTHER, (ui.strong(t("another folder")),)))
        keys = [row.key for row in rows]
        wait = self._doing
        return ui.View(
            "bringing",
            self.step,
            t("Copy files here: from where?"),
            (
                ui.Action("take", "enter", t("use"), wait),
                ui.Action("again", "r", t("refresh"), wait),
                ui.back_action(),
            ),
            t("to {places:and}", places=tuple(place for place in self._targets)),
            rows=ui.Rows(rows, self._at if self._at in keys else keys[0]),
            said=self.said or (ui.Piece(wait) if wait != "" else None) or self._none(),
            busy=wait != "",
            help=(
                t("Filesystems mounted inside a folder are not copied."),
                t("Unmounted filesystems are read without changing a byte."),
                HELP_NOTHING,
            ),
        )

    def _none(self) -> ui.Piece | None:
        return None if self._sources else ui.Piece(t("No other filesystem found. Enter a folder."))

    def moved(self, row: str) -> None:
        """Remember the row."""
        self._at = row

    def act_again(self, _row: str, _values: ui.Values) -> None:
        """Search the attached drives again."""
        self._look()

    def act_take(self, row: str, _values: ui.Values) -> None:
        """Ask for the target. The source can still be changed."""
        source = next((one for one in self._sources or () if one.path == row), None)
        self.desk.go(
            Typing(
                self.desk,
                t("Copy files here"),
                t("The source is only read. No file in the target is overwritten."),
                self._fields(source),
                self._take,
                t("count"),
            )
        )

    def _fields(self, source: Source | None) -> tuple[ui.Field, ...]:
        path = source.path if source else ""
        places = tuple(ui.Offer(place, printable(place, SHOWN)) for place in self._targets)
        fields = [ui.Field("source", t("From"), path, t("a folder or a filesystem's device"))]
        if len(places) > 1:
            fields.append(ui.Field("target", t("To"), self._targets[0], offers=places))
        fields.append(ui.Field("into", t("Into"), "", t("a subfolder; empty for the top")))
        if source is not None and source.is_mounted and source.device:
            offers = (
                ui.Offer("stays", t("both remain in place")),
                ui.Offer("takes", t("mount the copy instead at the next boot")),
            )
            fields.append(ui.Field("place", t("Then"), "stays", offers=offers))
        return tuple(fields)

    def _take(self, values: ui.Values) -> Callable[[], None]:
        source = values.get("source", "").strip()
        if not source:
            raise BadInput(t("Enter a folder or a filesystem's device."))
        target = values.get("target", self._targets[0])
        into, takes = values.get("into", "").strip(), values.get("place") == "takes"
        asked = CopyFiles(source, target, into, takes)
        return lambda: self.desk.with_root(self, partial(self._count, asked))

    def _count(self, asked: CopyFiles) -> None:
        self._doing = t("Counting the files ...")
        self.desk.later(
            self, lambda: self.services.as_root().work_out_copy(asked), self._counted, self._failed
        )

    def _counted(self, bring: Bring) -> None:
        self._doing = ""
        self.desk.go(CopyLosses(self.desk, bring))


class CopyLosses(Screen):
    """File properties lost in the copy, then amount and changes to fstab."""

    step: ClassVar[ui.ScreenStep] = ui.ScreenStep.PLAN

    def __init__(self, desk: Desk, bring: Bring) -> None:
        super().__init__(desk)
        self._bring = bring

    def view(self) -> ui.View:
        """Return losses, amount and changes to fstab."""
        return ui.View(
            "bringing-losses",
            self.step,
            t("Files to copy"),
            (ui.Action("review", "enter", t("review")), ui.back_action()),
            short(self._bring.drive.path),
            above=(self._banner(),),
            panes=self._panes(),
            help=(
                t("Files that the target cannot store are refused before copying starts."),
                HELP_NOTHING,
            ),
        )

    def _banner(self) -> ui.Banner:
        if self._bring.doubts:
            return ui.Banner(t("Not everything can be copied"), self._bring.doubts, ui.Tone.WARN)
        return ui.Banner(t("Everything can be copied"), (), ui.Tone.GOOD)

    def _panes(self) -> tuple[ui.Pane, ...]:
        much = tuple(ui.para(said, hang=2) for said in amount_message(self._bring))
        found = [ui.Pane(t("Amount"), much)]
        if self._bring.takes is not None:
            lines: tuple[ui.Block, ...] = tuple(ui.Command((line,)) for line in fstab_difference(self._bring))
            file = self._bring.takes.edit.file
            found.append(ui.Pane(t("Changes in {file}", file=file), lines))
        return tuple(found)

    def act_review(self, _row: str, _values: ui.Values) -> None:
        """Open Review, which asks for the token."""
        self.desk.open_review(self._bring)


def _row(source: Source) -> ui.Row:
    name = printable(source.path, SHOWN)
    if not source.device:
        return ui.Row(source.path, (ui.strong(name), ui.Piece(t("a folder")), ui.muted("")))
    kind = t("{kind}, {size:size}", kind=title_of(source.filesystem), size=source.size_bytes)
    told: ui.Text = printable(source.label, 40) if source.label else short(source.device)
    how = ui.Piece(told) if source.is_mounted else ui.muted(t("not mounted; read-only"))
    return ui.Row(source.path, (ui.strong(name), ui.Piece(kind), how))
