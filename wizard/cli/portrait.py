"""Print a drive in a few lines: identity, partitions and findings. Fits 80 columns."""

from collections.abc import Iterator, Sequence
from textwrap import wrap

from wizard.findings.contents import layer_words, unmarked_content, unmarked_contents, used_on, used_text
from wizard.findings.diagnose import has_health, judge_health
from wizard.findings.drive_faults import turning_words
from wizard.model.errors import printable
from wizard.model.finding import Diagnosis, Finding, Recorded, Recording
from wizard.model.geometry import Geometry
from wizard.model.machine import Drive, Partition, Signature, Table
from wizard.model.said import Message, Sentence, format_capacity, format_exact, joined, t, tn

HEALTH = t("health:")
NOT_READ = t("not read")
NOTES = t("label, mounted")

WIDTH = 80
Line = tuple[str, str]
"""Text, and the severity or style that colours it, or an empty string."""

FORMATS = {
    "512n": Sentence("512n, 512-byte blocks (or larger ones, hidden)"),
    "512e": Sentence("512e, 512-byte logical, 4096-byte physical blocks"),
    "4Kn": Sentence("4Kn, 4096-byte blocks"),
}
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
COLUMNS = "{:>4}  {:<16} {:>8}  {:<12} {:<12} "
NOTES_AT = len(COLUMNS.format("", "", "", "", ""))


def portrait(drive: Drive, diagnosis: Diagnosis, width: int = WIDTH) -> list[Line]:
    """Return the lines that describe one drive. Foreign text is made printable."""
    lines: list[Line] = [(title(drive)[:width], "title")]
    for sentence in (
        _identity(drive),
        _blocks(drive),
        _habits(drive, diagnosis.recording),
        *_zones(drive),
        *_health(drive),
        _table(drive),
    ):
        lines += [(line, "") for line in _wrapped(sentence, width, 2)]
    if drive.partitions or drive.free:
        heads = (Sentence("no."), Sentence("start"), Sentence("size"), Sentence("type"), Sentence("content"))
        lines.append((f"{COLUMNS.format(*(str(head()) for head in heads))}{NOTES}", "dim"))
        lines += [(line, "") for row in _rows(drive, width) for line in row]
    lines += [(line, "") for layer in drive.layers for line in _wrapped(layer_words(layer), width, 2)]
    for finding in diagnosis.findings:
        lines += finding_lines(finding, width)
    return lines


def title(drive: Drive) -> str:
    """Return the heading, such as `/dev/sda  Example HDD 500, 500 GB`."""
    what: Message | str = printable(drive.model, 50) if drive.model else _unnamed(drive)
    return str(t("{path}  {what}, {size}", path=drive.path, what=what, size=_size(drive.size_bytes)))


def _unnamed(drive: Drive) -> str:
    if drive.backing_file:
        return printable(str(t("loop over {file}", file=drive.backing_file)), 50)
    return str(t("loop") if drive.bus == "loop" else t("unknown model"))


def _identity(drive: Drive) -> str:
    said = [
        t("bus {bus}", bus=drive.bus or "-"),
        turning_words(drive),
        t("serial {serial}", serial=printable(drive.serial or "-", 40)),
        t("WWN {wwn}", wwn=printable(drive.wwn or "-", 40)),
    ]
    said += [t("removable")] if drive.removable else []
    said += [t("read-only")] if drive.read_only else []
    return "; ".join(map(str, said))


def _blocks(drive: Drive) -> str:
    geometry = drive.geometry
    if geometry is None:
        return str(t("blocks: {what}", what=unread(drive, "geometry")))
    return f"{_format(geometry)}; {_offset(geometry)}; {_io(geometry)}"


def _format(geometry: Geometry) -> Message:
    if (known := FORMATS.get(geometry.sector_format)) is not None:
        return known()
    logical, physical = geometry.logical_block_bytes, geometry.physical_block_bytes
    return t("{logical}-byte logical, {physical}-byte physical blocks", logical=logical, physical=physical)


def _offset(geometry: Geometry) -> Message:
    offset = geometry.alignment_offset_bytes
    return t("device misaligned") if offset < 0 else t("offset {offset}", offset=offset)


def _io(geometry: Geometry) -> Message:
    best = geometry.optimal_io_bytes
    return t(
        "I/O minimum {least}, optimal {best}",
        least=geometry.minimum_io_bytes,
        best=format_exact(best) if best else "-",
    )


def _habits(drive: Drive, recording: Recording) -> str:
    return str(
        t(
            "zones {zones}; {recording}; discard {discard}; scheduler {scheduler}",
            zones=drive.zoned or "-",
            recording=_recording(recording),
            discard=_discard(drive),
            scheduler=drive.scheduler or "-",
        )
    )


def _discard(drive: Drive) -> Message:
    if drive.discard is None:
        return t("unknown")
    return t("yes") if drive.discard.maximum_bytes else t("none")


def _recording(recording: Recording) -> Message:
    management = str(recording.management)
    match recording.verdict:
        case Recorded.YES:
            managed = (
                Sentence("shingled ({management}-managed)")
                if management == "drive"
                else Sentence("shingled ({management})")
            )
            return managed(management=management)
        case Recorded.LIKELY:
            return t("likely shingled")
        case Recorded.UNKNOWN:
            return t("shingled: unknown")
        case Recorded.NOT_APPLICABLE:
            return t("shingled: not applicable")


def _zones(drive: Drive) -> tuple[str, ...]:
    """Return the zones of a zoned drive; empty for other drives."""
    zones = drive.zones
    if zones is None:
        return ()
    size = t("unknown size") if zones.size_bytes is None else format_exact(zones.size_bytes)
    said = [t("{number} zones of {size}", number="?" if zones.count is None else zones.count, size=size)]
    if zones.capacity_bytes is not None and zones.capacity_bytes != zones.size_bytes:
        said.append(t("smallest capacity {size:exact}", size=zones.capacity_bytes))
    if zones.conventional is None:
        said.append(t("conventional zones: unknown"))
    else:
        said.append(
            tn("{count} conventional", "{count} conventional", count=zones.conventional)
            if zones.conventional
            else t("no conventional zones")
        )
    if zones.written:
        said.append(t("{number} with data", number=zones.written))
    if most := [most for most in (zones.most_open, zones.most_active) if most]:
        said.append(t("at most {number} written to at a time", number=min(most)))
    return ("; ".join(map(str, said)),)


def _health(drive: Drive) -> tuple[str, ...]:
    """Return the drive's health; empty for drives without a health report."""
    return (f"{HEALTH} {joined(judge_health(drive).said)}",) if has_health(drive) else ()


def _table(drive: Drive) -> str:
    if drive.table is None:
        return str(t("table: {what}", what=unread(drive, "table")))
    marks = tuple(_mark(mark.kind, mark.name) for mark in drive.signatures)
    marks += tuple(map(str, _use_of(drive, drive.path, drive.signatures)))
    if drive.table.kind != "none":
        table = t("table {table}", table=_table_words(drive.table))
        return str(
            t("{table}; on the drive itself: {marks:list}", table=table, marks=marks) if marks else table
        )
    if marks or (unmarked := unmarked_contents(drive)):
        return str(t("no table; whole drive: {marks:list}", marks=marks or unmarked))
    return str(t("no table") if drive.partitions else t("no table, no filesystem"))


def _table_words(table: Table) -> Message | str:
    names: dict[str, Message | str] = {"gpt": "GPT", "mbr": "MBR", "hybrid": t("GPT and MBR (hybrid)")}
    name = names.get(table.kind) or t("of another type")
    states = tuple(
        which(state=state)
        for which, state in (
            (Sentence("primary {state}"), table.primary),
            (Sentence("backup {state}"), table.backup),
        )
        if state and state != "ok"
    )
    return t("{name} ({states:list})", name=name, states=states) if states else name


def unread(drive: Drive, what: str) -> str:
    """Return that a field was not read, with the reason if known."""
    why = next((one.why for one in drive.unread if one.what in (what, "drive")), None)
    return str(t("not read. {why}", why=why) if why else NOT_READ)


def _rows(drive: Drive, width: int) -> Iterator[list[str]]:
    """Yield partitions and free extents sorted by start, each with as many lines as the notes need."""
    places = [(part.start_bytes, 0, _partition_row(drive, part, width)) for part in drive.partitions]
    free = str(t("free"))
    for extent in drive.free:
        row = COLUMNS.format("-", _start(extent.start_bytes), _size(extent.size_bytes), free, "").rstrip()
        places.append((extent.start_bytes, 1, [row]))
    yield from (row for _, _, row in sorted(places))


def _partition_row(drive: Drive, part: Partition, width: int) -> list[str]:
    kind = TYPES.get(part.type or "", part.type or "-")
    held = "+".join(mark.kind for mark in part.signatures)
    unread_or_data = drive.is_unread(part) or part.data_at_bytes is not None
    held = held or (str(unmarked_content(drive, part)) if unread_or_data else "-")
    label = next((mark.name for mark in part.signatures if mark.name), None) or part.name
    uses = [
        f"{use.kind} {use.by}"
        for use in drive.uses
        if use.subject == part.path and use.kind not in ("mounted", "running-system")
    ]
    inside = [told for mark in part.signatures for told in _inside(mark)]
    inside += map(str, _use_of(drive, part.path, part.signatures))
    notes = ", ".join(printable(note, 60) for note in (label, *part.mount_points, *uses, *inside) if note)
    columns = COLUMNS.format(
        part.number,
        _start(part.start_bytes),
        _size(part.size_bytes),
        printable(kind, 12),
        printable(held, 12),
    )
    first, *rest = wrap(notes, width - NOTES_AT, break_on_hyphens=False) or [""]
    return [(columns + first).rstrip(), *(" " * NOTES_AT + line for line in rest)]


def _use_of(drive: Drive, device: str, marks: Sequence[Signature]) -> tuple[Message, ...]:
    """Return the used space. Pools and arrays may not tell."""
    used = used_text(used_on(drive, device))
    return used or tuple(t("use unknown") for mark in marks if mark.kind in _UNCOUNTED)


_UNCOUNTED = ("zfs_member", "bcache", "linux_raid_member")


def _inside(mark: Signature) -> Iterator[str]:
    """Yield an array's level and member number, and a container's data offset, if read."""
    if mark.level:
        yield (
            mark.level
            if mark.number is None
            else str(t("{level} member {number}", level=mark.level, number=mark.number))
        )
    if mark.data_offset_bytes and mark.usage != "filesystem":
        yield str(t("data at +{place:exact}", place=mark.data_offset_bytes))


def _start(start_bytes: int) -> str:
    return format_exact(start_bytes) if start_bytes % 1024 == 0 and start_bytes else f"{start_bytes} B"


def _size(size_bytes: int | None) -> str:
    return str(t("size unknown")) if size_bytes is None else format_capacity(size_bytes)


def _mark(kind: str, label: str | None) -> str:
    return printable(f"{kind} {label!r}" if label else kind, 60)


def finding_lines(finding: Finding, width: int) -> list[Line]:
    """Return a finding with its advice as lines."""
    word = f"{finding.severity.value}:"
    head = f"{word:<9}{printable(str(finding.sentence), 400)}"
    lines = wrap(head, width, initial_indent="  ", subsequent_indent=" " * 11, break_on_hyphens=False)
    if finding.remedy and finding.severity.value not in ("ok",):
        lines += _wrapped(printable(str(finding.advice), 600), width, 11)
    return [(line, finding.severity.value) for line in lines]


def _wrapped(text: str, width: int, indent: int) -> list[str]:
    return wrap(
        text, width, initial_indent=" " * indent, subsequent_indent=" " * indent, break_on_hyphens=False
    )
