"""Dialog to install missing tools, and the health page of a drive."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from wizard.findings.contents import contents_words, layer_words, partition_words
from wizard.findings.diagnose import has_health, judge_health
from wizard.findings.drive_faults import size_words, tuning_words
from wizard.findings.use import named_field
from wizard.model.said import Message, Sentence, Value, t, tn
from wizard.ui import messages
from wizard.ui import view as ui
from wizard.ui.components.drive_rows import HEALTH_TONES, blocker_para, recording_piece
from wizard.ui.components.reasons import clue_blocks
from wizard.ui.components.runs import blocker
from wizard.ui.desk import Desk, Screen
from wizard.ui.dialogs.asking import call_guarded
from wizard.ui.dialogs.pages import Overlay, Page

if TYPE_CHECKING:
    from wizard.advice.missing import Missing
    from wizard.model.errors import DiskwrightError
    from wizard.model.finding import Diagnosis
    from wizard.model.machine import Drive


MOST_LINES = 200
"""Maximum number of lines shown from the package manager."""


class Install(Overlay):
    """Question to install tools, then the output of the package manager.

    Afterwards the dialog closes, and `then` is called to check the tools again.
    """

    place = "install"
    over = True
    help = (t("No package is removed. Installing needs root, so you may have to authenticate."),)

    def __init__(self, desk: Desk, missing: Missing, then: Callable[[], None]) -> None:
        super().__init__(desk)
        self._missing, self._then = missing, then
        self._offer = self._fault = ""
        self._at_work = False
        self._lines: list[str] = []

    def entered(self) -> None:
        """Ask the package manager for the size of the installation."""
        if not (self._offer or self._fault):
            self.act_again()

    @property
    def may_leave(self) -> bool:
        """True unless an installation is running."""
        return not self._at_work

    def _hindered(self, error: DiskwrightError) -> None:
        self._at_work, self.doing, self._fault = False, "", str(error)

    def _title(self) -> ui.Text:
        title = (
            Sentence("Installing {programs:and}") if self._at_work else Sentence("Install {programs:and}?")
        )
        return title(programs=self._missing.programs)

    def _said(self) -> ui.Piece | None:
        return self.said

    def _panes(self) -> Iterator[ui.Pane]:
        if self._lines:
            yield ui.Pane("", tuple(map(ui.para, self._lines)))

    def _actions(self) -> Iterator[ui.Action]:
        if self._at_work:
            yield ui.Action("back", "escape", messages.BACK, self.doing, aside=True)
        elif self._fault:
            yield ui.Action("back", "enter", messages.BACK)
            yield ui.Action("again", "r", messages.TRY_AGAIN)
        elif self.doing == "":
            yield ui.Action("back", "enter", messages.NO)
            yield ui.Action("install", "y", messages.INSTALL)

    def _above(self) -> Iterator[ui.Block]:
        if self._fault:
            yield ui.para(ui.warn(self._fault))
        elif self.doing != "":
            yield ui.Progress(None, self.doing) if self._at_work else ui.para(self.doing)
        else:
            yield ui.para(self._offer)
            yield ui.para(t("With dependencies, from your distribution's package manager."))

    def act_again(self) -> None:
        """Check the size and ask again."""
        self._fault = ""
        self._lines.clear()
        self.later(
            t("Checking the size ..."), lambda: self.services.install_offer(self._missing), self._size_known
        )

    def _size_known(self, offer: str) -> None:
        self._offer = offer

    def act_install(self) -> None:
        """Install as root."""
        self.desk.with_root(self, self._install)

    def _install(self) -> None:
        self._at_work, self.doing = True, t("The package manager is running and cannot be stopped from here.")
        self._lines.clear()
        self.desk.later(
            self,
            lambda: self.services.as_root().install(self._missing, self._told),
            lambda _: self._installed(),
            self._hindered,
            finishes=True,
        )

    def _told(self, line: str) -> None:
        self.desk.post(self, partial(self._tell_line, line))

    def _tell_line(self, line: str) -> None:
        self._lines.append(line)
        del self._lines[:-MOST_LINES]

    def _installed(self) -> None:
        self._at_work, programs = False, self._missing.programs
        self.desk.back()
        said = tn(
            "{programs:and} is installed now.",
            "{programs:and} are installed now.",
            programs=programs,
            count=len(programs),
        )
        self.desk.screen.tell(said, ui.Tone.GOOD)
        call_guarded(self.desk, self._then)


UNKNOWN = t("unknown")
COMMAS = Sentence("{parts:list}")


def health_page(desk: Desk, drive: Drive, diagnosis: Diagnosis | None = None) -> Screen:
    """Return the page about a drive."""
    known = diagnosis or desk.services.diagnose(desk.session.machine, drive)
    blocks = health_blocks(drive, known, blocker(desk.services, desk.runs, drive))
    return Page(desk, t("Health of {drive}", drive=ui.short(drive.path)), blocks, place="health")


def health_blocks(drive: Drive, diagnosis: Diagnosis, blocker: ui.Text) -> Sequence[ui.Block]:
    """Describe a drive: SMART health, identity, contents and recording."""
    parts = (
        _health(drive, blocker),
        (ui.para(ui.strong(t("Identity"))), *identity_blocks(drive)),
        _contents(drive),
        _recording(diagnosis),
        _unread(drive),
    )
    return [block for part in map(tuple, parts) if part for block in (*part, ui.GAP)][:-1]


def _health(drive: Drive, blocker: ui.Text) -> Iterator[ui.Block]:
    if not has_health(drive):
        yield ui.para(t("No health data available."))
    else:
        judged = judge_health(drive)
        yield ui.para(ui.Piece(judged.said[0], HEALTH_TONES[judged.verdict]))
        yield from (ui.para(said, indent=2) for said in judged.said[1:])
    if blocker:
        yield blocker_para(drive, blocker)


def identity_blocks(drive: Drive) -> Iterator[ui.Block]:
    """Show name, numbers, bus, size, blocks and features of a drive."""
    rows: tuple[tuple[Message, ui.Text], ...] = (
        (t("Name:"), drive.model or messages.NO_NAME),
        (t("Serial:"), drive.serial or messages.NONE),
        (t("WWN:"), drive.wwn or messages.NONE),
        (t("Firmware:"), drive.revision or UNKNOWN),
        (t("Bus:"), drive.bus or UNKNOWN),
        (t("Size:"), size_words(drive)),
        (t("Blocks:"), _blocks(drive)),
        (t("Zones:"), _zones(drive)),
        (t("Discard:"), _discard(drive)),
        (t("Scheduler:"), drive.scheduler or UNKNOWN),
    )
    yield from (ui.para(ui.muted(caption), text, indent=2, hang=2) for caption, text in rows)


def _blocks(drive: Drive) -> Message:
    geometry = drive.geometry
    if geometry is None:
        return UNKNOWN
    parts: list[Value] = [geometry.sector_format]
    if geometry.alignment_offset_bytes < 0:
        parts.append(t("device misaligned"))
    elif geometry.alignment_offset_bytes:
        parts.append(t("offset {offset} bytes", offset=geometry.alignment_offset_bytes))
    parts.append(t("I/O min {least:exact}", least=geometry.minimum_io_bytes))
    if geometry.optimal_io_bytes:
        parts.append(t("optimal {best:exact}", best=geometry.optimal_io_bytes))
    return COMMAS(parts=tuple(parts))


def _zones(drive: Drive) -> Message:
    zones = drive.zones
    if zones is None or zones.count is None or zones.size_bytes is None:
        return UNKNOWN if zones or drive.zoned is None else messages.NONE
    parts = [
        tn(
            "{count} {managed} zone of {size:exact}",
            "{count} {managed} zones of {size:exact}",
            count=zones.count,
            managed=drive.zoned or "",
            size=zones.size_bytes,
        )
    ]
    if zones.capacity_bytes not in (None, zones.size_bytes):
        parts.append(t("smallest capacity {size:exact}", size=zones.capacity_bytes or 0))
    if zones.conventional is not None:
        parts.append(t("{count} conventional", count=zones.conventional))
    if zones.written:
        parts.append(t("{count} with data", count=zones.written))
    if limits := [most for most in (zones.most_open, zones.most_active) if most]:
        parts.append(t("at most {count} written at a time", count=min(limits)))
    return COMMAS(parts=tuple(parts))


def _discard(drive: Drive) -> Message:
    if drive.discard is None:
        return UNKNOWN
    return t("yes") if drive.discard.maximum_bytes else messages.NONE


def _contents(drive: Drive) -> Iterator[ui.Block]:
    yield ui.para(ui.strong(t("Contents")))
    yield ui.para(contents_words(drive), indent=2, hang=2)
    yield from (ui.para(partition_words(drive, part), indent=2, hang=2) for part in drive.partitions)
    yield from (ui.para(layer_words(layer), indent=2, hang=2) for layer in drive.layers)
    if better := tuning_words(drive):
        yield ui.para(better, indent=2, hang=2)


def _recording(diagnosis: Diagnosis) -> Iterator[ui.Block]:
    yield ui.para(ui.strong(t("Recording")), recording_piece(diagnosis))
    yield from (block for clue in diagnosis.recording.evidence for block in clue_blocks(clue))


def _unread(drive: Drive) -> Iterator[ui.Block]:
    if drive.unread:
        yield ui.para(ui.strong(t("Not read")))
    for one in drive.unread:
        yield ui.para(ui.muted(f"{named_field(one.what)}:"), one.why, indent=2, hang=2)
