"""Dialog to install missing tools, and the health page of a drive."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from wizard.filesystems import partition_types
from wizard.findings import contents
from wizard.findings.diagnose import has_health, judge_health
from wizard.findings.drive_faults import size_words, tuning_words
from wizard.findings.use import named_field
from wizard.model.errors import DiskwrightError, printable
from wizard.model.finding import Diagnosis
from wizard.model.machine import Drive, Machine, Partition, Signature, kinds_in
from wizard.model.said import Message, Value, format_capacity, format_exact, t, tn
from wizard.ui import messages
from wizard.ui import view as ui
from wizard.ui.components import drive_rows
from wizard.ui.components.reasons import clue_blocks
from wizard.ui.components.run_rows import blocker
from wizard.ui.desk import Desk, Screen
from wizard.ui.dialogs.pages import Page

if TYPE_CHECKING:
    from wizard.advice.missing import Missing


MOST_LINES = 200
"""Maximum number of lines shown from the package manager."""
INSTALLING = t("The package manager is running and cannot be stopped from here.")


class Install(Screen):
    """Question to install tools, then the output of the package manager.

    Afterwards the dialog closes, and the tools are checked again.
    """

    place = "install"
    over = True
    help = (t("No package is removed. Installing needs root, so you may have to authenticate."),)

    def __init__(self, desk: Desk, missing: Missing) -> None:
        super().__init__(desk)
        self._missing = missing
        self.title = t("Install {programs:and}", programs=missing.programs)
        self._offer = ""
        self._lines = deque[str](maxlen=MOST_LINES)

    @property
    def may_leave(self) -> bool:
        return self.doing != INSTALLING

    def refused(self, error: DiskwrightError) -> None:
        self.warn(str(error))

    def _panes(self) -> ui.Panes:
        if self._lines:
            yield ui.Pane("", tuple(map(ui.para, self._lines)))

    def _actions(self) -> ui.Actions:
        if not self.may_leave:
            yield ui.aside("back", "escape", messages.BACK, self.doing)
        elif not self.doing:
            yield ui.Action("back", "enter", messages.NO)
            if self._offer:
                yield ui.Action("install", "y", t("install"))
            else:
                yield ui.Action("again", "r", messages.TRY_AGAIN)

    def _above(self) -> ui.Blocks:
        if self._offer:
            yield ui.para(self._offer)
            yield ui.para(t("With dependencies, from your distribution's package manager."))

    def act_again(self) -> None:
        self.later(
            t("Checking the size ..."),
            lambda: self.services.install_offer(self._missing),
            lambda offer: setattr(self, "_offer", offer),
        )

    opened = act_again

    def act_install(self) -> None:
        def told(line: str) -> None:
            self.desk.post(self, partial(self._lines.append, line))

        def install() -> None:
            self._lines.clear()
            install = partial(self.services.as_root().install, self._missing, told)
            self.later(INSTALLING, install, self._installed, finishes=True)

        self.desk.with_root(self, install)

    def _installed(self, _: object) -> None:
        programs = self._missing.programs
        while self.desk.screen is not self:
            self.desk.back()
        self.desk.back()
        said = tn(
            "{programs:and} is installed now.",
            "{programs:and} are installed now.",
            programs=programs,
            count=len(programs),
        )
        self.desk.screen.tell(said, ui.Tone.GOOD)

        def equipped(around: Machine) -> None:
            # The drives are not read again.
            if session := self.desk.selected:
                machine = replace(around, drives=session.machine.drives)
                self.desk.session = replace(session, machine=machine)
            self.desk.screen.equipped()

        self.desk.later(self.desk.screen, self.services.surroundings, equipped)


UNKNOWN = t("unknown")


def health_page(desk: Desk, drive: Drive, diagnosis: Diagnosis) -> Screen:
    """Return the page about a drive."""
    blocks = health_blocks(drive, diagnosis, blocker(desk.runs, drive))
    return Page(desk, t("Health of {drive}", drive=ui.short(drive.path)), blocks, place="health")


def health_blocks(drive: Drive, diagnosis: Diagnosis, blocker: ui.Text) -> ui.Blocks:
    """Describe a drive: SMART health, identity, contents and recording."""
    if has_health(drive):
        judged = judge_health(drive)
        yield ui.para(ui.Piece(judged.said[0], drive_rows.HEALTH_TONES[judged.verdict]))
        yield from (ui.para(said, indent=2) for said in judged.said[1:])
    else:
        yield ui.para(t("No health data available."))
    if blocker:
        yield drive_rows.blocker_para(drive, blocker)
    yield from (ui.GAP, ui.heading(t("Identity")), *identity_blocks(drive), ui.GAP, *contents_blocks(drive))
    if better := tuning_words(drive):
        yield ui.para(better, indent=2)
    yield from (ui.GAP, ui.heading(t("Recording"), drive_rows.recording_piece(diagnosis)))
    yield from clue_blocks(diagnosis)
    if drive.unread:
        yield from (ui.GAP, ui.heading(messages.FIRST(what=messages.NOT_READ)))
        yield from (ui.label(f"{named_field(one.what)}:", one.why, indent=2) for one in drive.unread)


def identity_blocks(drive: Drive) -> ui.Blocks:
    """Show name, numbers, bus, size, blocks and features of a drive."""
    discard = t("yes") if drive.discard and drive.discard.maximum_bytes else messages.NONE
    rows: tuple[tuple[Message, ui.Text], ...] = (
        (messages.NAME, drive.model or messages.NO_NAME),
        (t("serial"), drive.serial or messages.NONE),
        (t("WWN"), drive.wwn or messages.NONE),
        (t("Firmware"), drive.revision or UNKNOWN),
        (messages.CONNECTION, drive_rows.connection_of(drive) or UNKNOWN),
        (messages.SIZE, size_words(drive)),
        (t("Blocks"), _blocks(drive)),
        (t("Zones"), _zones(drive)),
        (t("Discard"), discard if drive.discard else UNKNOWN),
        (t("scheduler"), drive.scheduler or UNKNOWN),
    )
    for caption, text in rows:
        yield ui.label(messages.CAPTION(what=caption), text, indent=2)


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
    return messages.LIST(parts=tuple(parts))


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
    return messages.LIST(parts=tuple(parts))


TYPES = {
    **partition_types.NAMES,
    **dict.fromkeys(partition_types.ROOTS_GPT.values(), "Linux root"),
    **dict.fromkeys((partition_types.BOOT_GPT, partition_types.BOOT_MBR), "Linux boot"),
    partition_types.LINUX_GPT: "Linux",
    partition_types.BASIC_DATA_GPT: "Windows data",
    partition_types.NTFS_MBR: "NTFS/exFAT",
    "e3c9e316-0b5c-4db8-817d-f92df00215ae": "Windows MSR",
    "de94bba4-06d1-4d40-a16a-bfd50179d6ac": "Windows RE",
    "0x0b": "FAT32",
    "0xee": "GPT guard",
}
"""Names of partition types that fit their column."""
COLUMNS = "{:<4} {:<16} {:>8}  {:<12} {:<12} "
NOTES_AT = 2 + len(COLUMNS.format("", "", "", "", ""))


def contents_blocks(drive: Drive) -> ui.Blocks:
    """Show the contents of a drive: a table of partitions and free space, then layers. Fits 80 columns."""
    held = ", ".join(map(str, (contents.contents_words(drive), *_notes(drive, drive.path, drive.signatures))))
    yield ui.label(t("Contents:"), held, indent=2)
    if drive.partitions or drive.free:
        heads = (t("no."), t("start"), t("size"), t("type"), t("content"), t("label, mounted"))
        yield _table_row(*map(str, heads))
        rows = [(part.start_bytes, _partition_row(drive, part)) for part in drive.partitions]
        for extent in drive.free:
            size, start = format_capacity(extent.size_bytes), extent.start_bytes
            rows.append((start, _table_row("-", _start(start), size, str(t("free")), "")))
        yield from (row for _, row in sorted(rows, key=lambda row: row[0]))
    yield from (ui.para(contents.layer_words(layer), indent=2) for layer in drive.layers)


def _table_row(number: int | str, start: str, size: str, kind: str, content: str, notes: str = "") -> ui.Para:
    columns = COLUMNS.format(number, start, size, printable(kind, 12), printable(content, 12))
    return ui.para(f"{columns}{notes}".rstrip(), indent=2, hang=NOTES_AT - 2)


def _partition_row(drive: Drive, part: Partition) -> ui.Para:
    held = kinds_in(part.signatures)
    unread_or_data = drive.is_unread(part) or part.data_at_bytes is not None
    held = held or (str(contents.unmarked_content(drive, part)) if unread_or_data else "-")
    uses = [
        f"{use.kind} {use.by}"
        for use in drive.uses
        if use.subject == part.path and use.kind not in ("mounted", "running-system")
    ]
    inside = map(str, _notes(drive, part.path, part.signatures))
    notes = ", ".join(
        printable(note, 60) for note in (part.shown_name, *part.mount_points, *uses, *inside) if note
    )
    kind = str(TYPES.get(part.type or "", part.type or "-"))
    return _table_row(
        part.number, _start(part.start_bytes), format_capacity(part.size_bytes), kind, held, notes
    )


def _notes(drive: Drive, device: str, marks: Sequence[Signature]) -> Iterator[Message | str]:
    """Yield an array's level and member number, profiles, a container's data offset, and the used space."""
    for mark in marks:
        if mark.level:
            yield (
                mark.level
                if mark.number is None
                else t("{level} member {number}", level=mark.level, number=mark.number)
            )
        yield from contents.profiles_text(mark)
        if mark.data_offset_bytes and mark.usage != "filesystem":
            yield t("data at +{place:exact}", place=mark.data_offset_bytes)
    yield from contents.used_text(kinds_in(marks), contents.used_on(drive, device))


def _start(start_bytes: int) -> str:
    return format_exact(start_bytes) if start_bytes % 1024 == 0 and start_bytes else f"{start_bytes} B"


def shown_size(size_bytes: int | None) -> str:
    """Return the size of a drive or partition."""
    return str(messages.UNKNOWN_SIZE) if size_bytes is None else format_capacity(size_bytes)
