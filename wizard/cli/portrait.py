"""Describe a drive for `diskwright inspect`: identity, partitions and findings. Fits 80 columns."""

from collections.abc import Iterator, Sequence

from wizard.findings.contents import (
    contents_words,
    layer_words,
    profiles_text,
    unmarked_content,
    used_on,
    used_text,
)
from wizard.findings.diagnose import has_health, judge_health
from wizard.model.errors import printable
from wizard.model.finding import Diagnosis, Finding, Severity
from wizard.model.machine import Drive, Partition, Signature
from wizard.model.said import Message, format_capacity, format_exact, t
from wizard.ui import view as ui
from wizard.ui.components.drive_rows import TONES, recording_piece
from wizard.ui.dialogs.health import identity_blocks

TYPES = {
    "c12a7328-f81f-11d2-ba4b-00a0c93ec93b": "EFI system",
    "21686148-6449-6e6f-744e-656564454649": "BIOS boot",
    "0fc63daf-8483-4772-8e79-3d69d8477de4": "Linux",
    "0657fd6d-a4ab-43c4-84e5-0933c84b4f4f": "Linux swap",
    "933ac7e1-2eb4-4f13-b844-0e14e2aef915": "Linux home",
    "4f68bce3-e8cd-4db1-96e7-fbcaf984b709": "Linux root",
    "bc13c2ff-59e6-4262-a352-b275fd6f7172": "Linux boot",
    "e6d6d379-f507-44c2-a23c-238f2a3df928": "Linux LVM",
    "a19d880f-05fc-4d3b-a006-743f0f84911e": "Linux RAID",
    "ca7d7ccb-63ed-4c53-861c-1742536059cc": "Linux LUKS",
    "ebd0a0a2-b9e5-4433-87c0-68b6b72699c7": "Windows data",
    "e3c9e316-0b5c-4db8-817d-f92df00215ae": "Windows MSR",
    "de94bba4-06d1-4d40-a16a-bfd50179d6ac": "Windows RE",
    "0x05": "extended",
    "0x07": "NTFS/exFAT",
    "0x0b": "FAT32",
    "0x0c": "FAT32",
    "0x0f": "extended",
    "0x82": "Linux swap",
    "0x83": "Linux",
    "0x85": "extended",
    "0x8e": "Linux LVM",
    "0xee": "GPT guard",
    "0xef": "EFI system",
    "0xfd": "Linux RAID",
}
COLUMNS = "{:<4} {:<16} {:>8}  {:<12} {:<12} "
NOTES_AT = 2 + len(COLUMNS.format("", "", "", "", ""))


def portrait(drive: Drive, diagnosis: Diagnosis) -> Iterator[ui.Block]:
    """Yield the blocks that describe one drive."""
    yield ui.para(ui.strong(title(drive)))
    yield from identity_blocks(drive)
    yield ui.para(ui.muted(t("Recording:")), recording_piece(diagnosis), indent=2, hang=2)
    if has_health(drive):
        yield ui.para(ui.muted(t("Health:")), *judge_health(drive).said, indent=2, hang=2)
    contents = ", ".join(map(str, (contents_words(drive), *_notes(drive, drive.path, drive.signatures))))
    yield ui.para(ui.muted(t("Contents:")), contents, indent=2, hang=2)
    if drive.partitions or drive.free:
        heads = (t("no."), t("start"), t("size"), t("type"), t("content"), t("label, mounted"))
        yield _row(*map(str, heads))
        yield from _rows(drive)
    yield from (ui.para(layer_words(layer), indent=2) for layer in drive.layers)
    yield from finding_blocks(diagnosis.findings)


def title(drive: Drive) -> Message:
    """Return the heading, such as `/dev/sda  Example HDD 500, 500 GB`."""
    what: Message | str = printable(drive.model, 50) if drive.model else _unnamed(drive)
    return t("{path}  {what}, {size}", path=drive.path, what=what, size=_size(drive.size_bytes))


def _unnamed(drive: Drive) -> Message:
    if drive.backing_file:
        return t("loop over {file}", file=drive.backing_file)
    return t("loop") if drive.bus == "loop" else t("unknown model")


def _row(number: int | str, start: str, size: str, kind: str, content: str, notes: str = "") -> ui.Para:
    """Return a row of the table of partitions. The notes may need several lines."""
    columns = COLUMNS.format(number, start, size, printable(kind, 12), printable(content, 12))
    return ui.para(f"{columns}{notes}".rstrip(), indent=2, hang=NOTES_AT - 2)


def _rows(drive: Drive) -> Iterator[ui.Block]:
    """Yield partitions and free extents sorted by start."""
    places = [(part.start_bytes, 0, part.number, _partition_row(drive, part)) for part in drive.partitions]
    for extent in drive.free:
        row = _row("-", _start(extent.start_bytes), _size(extent.size_bytes), str(t("free")), "")
        places.append((extent.start_bytes, 1, 0, row))
    yield from (row for *_, row in sorted(places, key=lambda place: place[:3]))


def _partition_row(drive: Drive, part: Partition) -> ui.Para:
    held = "+".join(mark.kind for mark in part.signatures)
    unread_or_data = drive.is_unread(part) or part.data_at_bytes is not None
    held = held or (str(unmarked_content(drive, part)) if unread_or_data else "-")
    label = next((mark.name for mark in part.signatures if mark.name), None) or part.name
    uses = [
        f"{use.kind} {use.by}"
        for use in drive.uses
        if use.subject == part.path and use.kind not in ("mounted", "running-system")
    ]
    inside = map(str, _notes(drive, part.path, part.signatures))
    notes = ", ".join(printable(note, 60) for note in (label, *part.mount_points, *uses, *inside) if note)
    kind = TYPES.get(part.type or "", part.type or "-")
    return _row(part.number, _start(part.start_bytes), _size(part.size_bytes), kind, held, notes)


def _notes(drive: Drive, device: str, marks: Sequence[Signature]) -> Iterator[Message | str]:
    """Yield an array's level and member number, profiles, a container's data offset, and the used space."""
    for mark in marks:
        if mark.level:
            yield (
                mark.level
                if mark.number is None
                else t("{level} member {number}", level=mark.level, number=mark.number)
            )
        yield from profiles_text(mark)
        if mark.data_offset_bytes and mark.usage != "filesystem":
            yield t("data at +{place:exact}", place=mark.data_offset_bytes)
    yield from used_text("+".join(mark.kind for mark in marks), used_on(drive, device))


def _start(start_bytes: int) -> str:
    return format_exact(start_bytes) if start_bytes % 1024 == 0 and start_bytes else f"{start_bytes} B"


def _size(size_bytes: int | None) -> str:
    return str(t("size unknown")) if size_bytes is None else format_capacity(size_bytes)


def finding_blocks(findings: Sequence[Finding]) -> Iterator[ui.Block]:
    """Yield each finding with its advice."""
    for finding in findings:
        severity = ui.Piece(f"{finding.severity}:", TONES[finding.severity])
        yield ui.para(severity, finding.sentence, indent=2, hang=2)
        if finding.remedy and finding.severity is not Severity.OK:
            yield ui.para(finding.advice, indent=4)
