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
from wizard.ui import view as ui
from wizard.ui.components.decisions import blocker
from wizard.ui.components.drive_rows import HEALTH_TONES, blocker_para, recording_piece, short
from wizard.ui.components.reasons import clue_blocks
from wizard.ui.desk import Desk, Screen
from wizard.ui.dialogs.asking import call_guarded
from wizard.ui.dialogs.pages import Overlay, Page

if TYPE_CHECKING:
    from wizard.advice.missing import Missing
    from wizard.model.errors import DiskwrightError
    from wizard.model.finding import Diagnosis
    from wizard.model.machine import Drive


AT_WORK = t("The package manager is running and cannot be stopped from here.")

MOST_LINES = 200
"""Maximum number of lines shown from the package manager."""


class Install(Overlay):
    """Question to install tools, then the output of the package manager.

    Afterwards the dialog closes, and `then` is called to check the tools again.
    """

    def __init__(self, desk: Desk, missing: Missing, then: Callable[[], None]) -> None:
        super().__init__(desk)
        self._missing, self._then = missing, then
        self._offer = self._fault = ""
        self._weighing = self._at_work = self._begun = False
        self._lines: list[str] = []

    def entered(self) -> None:
        """Ask the package manager for the size of the installation."""
        if not self._begun:
            self._begun = True
            self._check_size()

    @property
    def may_leave(self) -> bool:
        """True unless an installation is running."""
        return not self._at_work

    def _check_size(self) -> None:
        self._weighing, self._fault = True, ""
        self.desk.later(
            self, lambda: self.services.install_offer(self._missing), self._size_known, self._hindered
        )

    def _size_known(self, offer: str) -> None:
        self._weighing, self._offer = False, offer

    def _hindered(self, error: DiskwrightError) -> None:
        self._weighing = self._at_work = False
        self._fault = str(error)

    def view(self) -> ui.View:
        """Return the question or the progress."""
        title = (
            Sentence("Installing {programs:and}") if self._at_work else Sentence("Install {programs:and}?")
        )
        return ui.View(
            "install",
            self.at,
            title(programs=self._missing.programs),
            self._actions(),
            above=self._above(),
            panes=(ui.Pane("", tuple(map(ui.para, self._lines))),) if self._lines else (),
            over=True,
            busy=self._weighing or self._at_work,
            help=(
                t("Your choice needs tools that are not installed."),
                t("No package is removed. Installing needs root, so you may have to authenticate."),
            ),
        )

    def _actions(self) -> tuple[ui.Action, ...]:
        leave = ui.Action("back", "escape", ui.BACK, AT_WORK if self._at_work else "", aside=True)
        if self._at_work or self._weighing:
            return (leave,)
        if self._fault:
            return (ui.Action("back", "enter", ui.BACK), ui.Action("again", "r", t("try again")), leave)
        return (ui.Action("back", "enter", t("no")), ui.Action("install", "y", t("install")), leave)

    def _above(self) -> tuple[ui.Block, ...]:
        if self._fault:
            return (ui.para(ui.Piece(self._fault, ui.Tone.WARN)),)
        if self._weighing:
            return (ui.para(t("Checking the size ...")),)
        if self._at_work:
            said = AT_WORK if self._lines else t("Starting ...")
            return (ui.Progress(None, said),)
        return (
            ui.para(self._offer),
            ui.para(t("With dependencies, from your distribution's package manager.")),
        )

    def act_again(self, _row: str, _values: ui.Values) -> None:
        """Check the size and ask again."""
        self._lines.clear()
        self._check_size()

    def act_install(self, _row: str, _values: ui.Values) -> None:
        """Install as root."""
        self.desk.with_root(self, self._install)

    def _install(self) -> None:
        self._at_work, self._fault = True, ""
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
        self._at_work = False
        programs = self._missing.programs
        self.desk.back()
        self.desk.screen.tell(
            tn(
                "{programs:and} is installed now.",
                "{programs:and} are installed now.",
                programs=programs,
                count=len(programs),
            ),
            ui.Tone.GOOD,
        )
        call_guarded(self.desk, self._then)


NONE = t("none")
UNKNOWN = t("unknown")
COMMAS = Sentence("{parts:list}")


def health_page(desk: Desk, drive: Drive, diagnosis: Diagnosis | None = None) -> Screen:
    """Return the page about a drive."""
    known = diagnosis or desk.services.diagnose(desk.session.machine, drive)
    blocks = health_blocks(drive, known, blocker(desk.services, desk.runs, drive))
    return Page(desk, t("Health of {drive}", drive=short(drive.path)), blocks, place="health")


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
        (t("Name:"), drive.model or t("no name")),
        (t("Serial:"), drive.serial or NONE),
        (t("WWN:"), drive.wwn or NONE),
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
        return UNKNOWN if zones or drive.zoned is None else NONE
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
        parts.append(tn("{count} conventional", "{count} conventional", count=zones.conventional))
    if zones.written:
        parts.append(tn("{count} with data", "{count} with data", count=zones.written))
    if limits := [most for most in (zones.most_open, zones.most_active) if most]:
        parts.append(t("at most {count} written at a time", count=min(limits)))
    return COMMAS(parts=tuple(parts))


def _discard(drive: Drive) -> Message:
    if drive.discard is None:
        return UNKNOWN
    return t("yes") if drive.discard.maximum_bytes else NONE


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
        yield ui.para(ui.muted(t("{what}:", what=named_field(one.what))), one.why, indent=2, hang=2)
