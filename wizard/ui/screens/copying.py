"""Screens to copy files to a volume: source and target folder, before Review."""

from collections.abc import Callable, Sequence
from functools import partial

from wizard.apply.copy.places import Source
from wizard.filesystems.registry import title_of
from wizard.model.errors import BadInput
from wizard.model.requests import CopyFiles
from wizard.model.said import format_capacity, t
from wizard.ui import messages
from wizard.ui import view as ui
from wizard.ui.desk import Desk, Screen
from wizard.ui.dialogs.asking import Dialog

OTHER = "other"
"""Row key for a folder typed by name."""


class CopyScreen(Screen):
    """Selection of a source, or any folder.

    `targets` are the mount points of volumes that can receive the files.
    """

    place = "bringing"
    step = ui.ScreenStep.PLAN
    title = messages.FIRST(what=messages.COPY_HERE)
    help = (
        t("Filesystems mounted inside a folder are not copied."),
        t("Unmounted filesystems are read without changing a byte."),
        t("Files that the target cannot store are refused before copying starts."),
        messages.NO_CHANGE_YET,
    )

    def __init__(self, desk: Desk, targets: Sequence[str]) -> None:
        super().__init__(desk)
        self._targets = tuple(targets)
        self.about = t("to {places:and}", places=self._targets)
        self._sources: tuple[Source, ...] = ()

    def _actions(self) -> ui.Actions:
        yield ui.Action("take", "enter", messages.USE, self.doing)
        yield ui.Action("again", "r", messages.REFRESH, self.doing)

    def _rows(self) -> ui.Listed:
        for source in self._sources:
            kind: ui.Text = t("a folder")
            how = ui.muted("")
            if source.device:
                kind = f"{title_of(source.filesystem)}, {format_capacity(source.size_bytes)}"
                how = ui.muted(t("not mounted; read-only"))
                if source.is_mounted:
                    how = ui.Piece(source.label or ui.short(source.device))
            yield ui.row(source.path, ui.strong(source.path), kind, how)
        yield ui.row(OTHER, ui.strong(t("another folder")))

    def act_again(self) -> None:
        self.later(
            t("Searching attached drives ..."),
            lambda: self.services.bring_sources(self._targets),
            lambda sources: setattr(self, "_sources", sources),
        )

    opened = act_again

    def act_take(self) -> None:
        source = next((one for one in self._sources if one.path == self.row), None)
        text = t("The source is only read. No file in the target is overwritten.")
        path = source.path if source else ""
        fields = [ui.Field("source", t("From"), path, messages.SOURCE_HINT)]
        if len(self._targets) > 1:
            places = tuple(ui.Offer(place, place) for place in self._targets)
            fields.append(ui.Field("target", t("To"), self._targets[0], offers=places))
        fields.append(ui.Field("into", t("Into"), "", t("a subfolder; empty for the top")))
        if source is not None and source.is_mounted and source.device:
            offers = (
                ui.Offer("stays", t("both remain in place")),
                ui.Offer("takes", t("mount the copy instead at the next boot")),
            )
            fields.append(ui.Field("place", t("Then"), "stays", offers=offers))
        self.open(Dialog, self.title, (ui.para(text),), fields, self._read)

    def _read(self, values: ui.Values) -> Callable[[], None]:
        source = values["source"].strip()
        if not source:
            raise BadInput(t("Enter a folder or a filesystem's device."))
        target = values.get("target", self._targets[0])
        into, takes = values["into"].strip(), values.get("place") == "takes"
        return partial(self._count, CopyFiles(source, target, into, takes))

    def _count(self, asked: CopyFiles) -> None:
        self.later_as_root(
            t("Counting the files ..."),
            lambda: self.services.as_root().work_out(asked.target, asked),
            self.desk.open_review,
        )
