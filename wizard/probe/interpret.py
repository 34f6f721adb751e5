"""Interpret raw facts as a machine. Pure and deterministic. Never raises on hostile facts."""

import hashlib
import json
import re
from collections.abc import Mapping

from msgspec.structs import replace

from wizard.documents.profiles import read_notice
from wizard.filesystems.partition_types import CONTAINERS
from wizard.model.drive_facts import Discard, Loader
from wizard.model.errors import partition_path, printable, typed_word
from wizard.model.machine import Drive, Extent, Kernel, Machine, Obstacle, Partition, Signature, Table, Unread
from wizard.model.run import Waiting
from wizard.model.said import KERNEL_SECTOR_BYTES, Message
from wizard.probe import facts
from wizard.probe.content import layers, tables
from wizard.probe.content.notices import next_of
from wizard.probe.content.superblocks import replayed
from wizard.probe.content.tables import TableReading
from wizard.probe.drive import ioctls, reports
from wizard.probe.host import environment, sysfs, system, uses

UDEV_TABLES = {"gpt": "gpt", "dos": "mbr", "PMBR": "gpt"}
UDEV_ZONES = {"none": 0, "host-aware": 1, "drive-managed": 2}
SCSI_ZONED_BYTE = 8
LONGEST_NAME = 280
"""Longest name of a run in a notice, in characters. The name may be a folder's path."""

CONTENT_FIELDS = ("table", "signatures", "partitions", "free", "content_digest")
"""Fields that are unknown if the drive's bytes were not read."""

DIGESTED = ("contents", "table", "signatures")
"""Inputs of the content digest. Without all of them, no digest is made."""


def machine_of(raw: facts.RawMachine) -> Machine:
    """Return the machine with all its drives."""
    kib = sysfs.whole_number(next(iter(re.findall(r"MemTotal:\s*(\d+)", raw.memory)), None))
    listed = {line.split("\t")[-1].strip() for line in raw.filesystems.split("\n")}
    filesystems = frozenset(name for name in listed | set(raw.modules) if name)
    found = ioctls.OPTION.findall(raw.config)
    options = {built or left_out: bool(built) for built, left_out in found}
    inside, probed = environment.is_container(raw.container), {drive.name for drive in raw.drives}
    return Machine(
        kernel=Kernel(
            raw.release,
            filesystems,
            tuple(sorted(options.items())),
            raw.architecture,
            system.kernel_modules(raw),
        ),
        drives=tuple(drive_of(drive, raw) for drive in raw.drives),
        tools=tuple(sorted(raw.tools.items())),
        root=raw.root,
        live_medium=uses.is_live(raw.graph) and not inside,
        in_container=inside,
        memory_bytes=kib * 1024 if kib else None,
        boot_id=raw.boot_id,
        programs=ioctls.programs_of(raw),
        missing_files=raw.missing_files,
        family=environment.family_of(raw.os_release),
        unprobed=tuple(
            drive_of(drive, raw)
            for drive in raw.attached
            if drive.name not in probed and ({*drive.udev} & {*sysfs.CONTENTS} or drive.partitions)
        ),
        unread=tuple(map(_unread_of, raw.graph.errors)),
    )


def drive_of(raw: facts.RawDrive, machine: facts.RawMachine) -> Drive:
    """Return one drive, with the uses from the machine's graph."""
    texts = raw.sysfs
    size = sysfs.bytes_at(texts, "size")
    reading, content = _reading(raw, size), raw.content_on(raw.name)
    in_graph = (name for name, block in machine.graph.blocks.items() if block.disk == raw.name)
    nodes = dict.fromkeys((raw.name, *raw.partitions, *in_graph))
    found = uses.use_state(machine.graph, nodes, raw.claimable)
    same_serial, same_wwn = reports.sharing(raw, machine)
    own, ata_trouble = reports.ata_of(raw)
    reported, kernels_turning = reports.smart_of(raw.smart), _flag(texts, "queue/rotational")
    rate = reports.own_rate(raw, own, reported)
    partitions = _partitions(raw, reading, found.mount_points)
    data = raw.data.get(raw.name)
    signatures = tuple(
        mark
        for mark in layers.signatures_of(raw, raw.name, size or 0)
        if not layers.belongs_to_partition(mark, partitions)
    )
    # Contents of entries that only the backup GPT has are unknown.
    lost = {entry.number: _listed(entry) for entry in raw.lost}
    if lost and reading:
        lost |= {entry.number: entry for entry in reading.lost}
    waiting = None
    if raw.notice and (notice := read_notice(raw.notice.data)):
        run = typed_word(printable(notice.run, LONGEST_NAME))
        waiting = Waiting(
            run, notice.begun, notice.told, notice.start_bytes, notice.room_bytes, raw.notice.bare
        )
    schedulers, page = texts.get("queue/scheduler", ""), reports.vital_page(raw, "b1")
    discards = sysfs.whole_number(
        texts.get("queue/discard_max_hw_bytes", texts.get("queue/discard_max_bytes"))
    )
    grain = sysfs.whole_number(texts.get("queue/discard_granularity")) or 0
    free: tuple[Extent, ...] = ()
    if reading and size:
        overhangs = (more for part in partitions if (more := part.overhang))
        taken = (*partitions, *reading.table.own, *overhangs)
        free = tables.free_extents(reading.table, taken, size, has_signature=bool(signatures or data))
    return Drive(
        path=raw.path,
        size_bytes=size,
        geometry=sysfs.geometry_of(texts),
        by_id=machine.links.get(raw.name, ()),
        **reports.names_of(raw, own, reported),
        same_serial=same_serial,
        same_wwn=same_wwn,
        rotational=reports.turns(raw, rate, kernels_turning),
        rotation_rate=rate,
        kernel_rotational=kernels_turning,
        removable=_flag(texts, "removable"),
        read_only=_flag(texts, "ro"),
        zoned=texts.get("queue/zoned"),
        zones=ioctls.zones_of(raw),
        # Bits 5:4 of byte 8, or the driver's equivalent.
        vpd_zoned=page[SCSI_ZONED_BYTE] >> 4 & 3
        if len(page) > SCSI_ZONED_BYTE
        else UDEV_ZONES.get(texts.get("zoned_cap", "")),
        discard=None if discards is None else Discard(grain, discards),
        scheduler=next(iter(re.findall(r"\[([\w-]+)\]", schedulers)), None),
        schedulers=tuple(re.findall(r"[\w-]+", schedulers)),
        diskseq=sysfs.whole_number(texts.get("diskseq")),
        backing_file=texts.get("loop/backing_file"),
        smart=reported,
        ata=own,
        nvme_formats=ioctls.formats_of(raw),
        nvme_format_scope=ioctls.format_scope_of(raw),
        # A missing entry in udev's database proves nothing.
        table=reading.table
        if reading
        else Table(UDEV_TABLES.get(kind, "other"), uuid=raw.udev.get("ID_PART_TABLE_UUID"))
        if (kind := raw.udev.get("ID_PART_TABLE_TYPE"))
        else None,
        signatures=signatures,
        partitions=partitions,
        free=free,
        layers=layers.layers_of(raw, machine.graph, found, size or 0, signatures, partitions),
        loaders=tuple(
            Loader(sector.offset_bytes, goes_on)
            for sector in raw.starters
            if (goes_on := next_of(sector.data)) is not None
        ),
        uses=found.uses,
        superblock_copy_bytes=None if partitions else layers.copy_left(signatures, raw, raw.name),
        superblock_digest=content.superblock_digest if content and signatures and not partitions else None,
        waiting=waiting,
        data_at_bytes=data.offset_bytes if data else None,
        lost=tuple(
            _partition(raw, sysfs.name_of(path), lost[number])
            for number in sorted(lost)
            for path in [partition_path(raw.path, number)]
        ),
        content_digest=_digest(raw, reading, signatures, partitions)
        if reading and not any(error.what in DIGESTED for error in raw.errors)
        else None,
        unread=tuple(
            replace(unread, without_root=not machine.root) for unread in _unread(raw, reading, ata_trouble)
        ),
    )


def _reading(raw: facts.RawDrive, size: int | None) -> TableReading | None:
    content = raw.content_on(raw.name)
    if not size or not raw.chunks or content is None:
        return None
    read = replayed(raw.chunks)
    block = sysfs.whole_number(raw.sysfs.get("queue/logical_block_size")) or KERNEL_SECTOR_BYTES
    marked = bool(content.signatures)
    reading = tables.read_table(read, size, block, raw.table_kind, has_signature=marked)
    if reading.table.kind not in ("mbr", "other"):
        return reading
    known = {entry.number for entry in reading.entries}
    others = (
        replace(_listed(entry), type=f"0x{entry.type:02x}")
        for entry in raw.table_entries
        if entry.number not in known and entry.number > 0
    )
    return replace(reading, entries=(*reading.entries, *others))


def _listed(entry: facts.RawEntry) -> Partition:
    return Partition("", entry.number, entry.start_bytes, entry.size_bytes)


def _partitions(
    raw: facts.RawDrive, reading: TableReading | None, mounted: Mapping[str, tuple[str, ...]]
) -> tuple[Partition, ...]:
    """Partitions that only the kernel has may be mounted."""
    nodes = {
        number: (name, part)
        for name, part in raw.partitions.items()
        if (number := sysfs.whole_number(part.sysfs.get("partition")))
    }
    entries = {entry.number: entry for entry in reading.entries} if reading else {}
    found = []
    for number in sorted(set(nodes) | set(entries)):
        name, part = nodes.get(number, (sysfs.name_of(partition_path(raw.path, number)), None))
        entry = entries.get(number) or (_entry_of_kernel(number, part) if part else None)
        if entry is None:
            continue
        size = sysfs.bytes_at(part.sysfs, "size") if part else None
        if size is not None and entry.type in CONTAINERS and size <= 8 * KERNEL_SECTOR_BYTES:
            # The kernel shows only the first sectors (block/partitions/msdos.c). That is no difference.
            size = entry.size_bytes
        plain, content = _partition(raw, name, entry), raw.content_on(name)
        found.append(
            replace(
                plain,
                superblock_copy_bytes=layers.copy_left(plain.signatures, raw, name),
                superblock_digest=content.superblock_digest if content else None,
                moving=number in raw.moving,
                data_at_bytes=raw.data[name].offset_bytes if name in raw.data else None,
                mount_points=mounted.get(plain.path, ()),
                kernel_start_bytes=sysfs.bytes_at(part.sysfs, "start") if part else None,
                kernel_size_bytes=size,
            )
        )
    return tuple(found)


def _partition(raw: facts.RawDrive, name: str, entry: Partition) -> Partition:
    return replace(
        entry,
        path=partition_path(raw.path, entry.number),
        type=entry.type or None,
        signatures=layers.signatures_of(raw, name, entry.size_bytes),
    )


def _entry_of_kernel(number: int, part: facts.RawPartition) -> Partition | None:
    start, size = sysfs.bytes_at(part.sysfs, "start"), sysfs.bytes_at(part.sysfs, "size")
    if start is None or size is None:
        return None
    kind = part.udev.get("ID_PART_ENTRY_TYPE", "")
    kind = f"0x{int(kind, 16):02x}" if re.fullmatch(r"0x[0-9a-f]+", kind) else kind
    name = part.udev.get("ID_PART_ENTRY_NAME")
    flags = part.udev.get("ID_PART_ENTRY_FLAGS", "0x0")
    return Partition(
        "",
        number,
        start,
        size,
        kind,
        name=layers.unescaped(name) if name else None,
        part_uuid=part.udev.get("ID_PART_ENTRY_UUID"),
        attributes=int(flags, 16) if re.fullmatch(r"0x[0-9a-f]+", flags) else 0,
    )


def _digest(
    raw: facts.RawDrive,
    reading: TableReading,
    signatures: tuple[Signature, ...],
    partitions: tuple[Partition, ...],
) -> str:
    """Cover the table's bytes and all signatures, and for a host-managed drive without both the number of
    written zones. No bytes that a mounted filesystem writes, because preserved partitions may be in use: see
    the superblock digests."""
    chunks = {(chunk.offset_bytes, len(chunk.data)): chunk.data for chunk in raw.chunks}
    covered: dict[str, object] = {
        "table": reading.table.kind,
        "bytes": [
            [*span, hashlib.sha256(chunks.get(span, b"")).hexdigest()] for span in sorted(set(reading.spans))
        ],
        "partitions": [
            [part.number, part.start_bytes, part.size_bytes, part.type] for part in partitions if part.type
        ],
        "signatures": [
            [place, mark.kind, mark.uuid, mark.label, mark.offset_bytes]
            for place, marks in [
                ("", signatures),
                *((str(part.number), part.signatures) for part in partitions),
            ]
            for mark in marks
        ],
    }
    if raw.sysfs.get("queue/zoned") == "host-managed" and not signatures and not partitions and raw.zones:
        covered["zones"] = sum(run.written for run in raw.zones)
    if data := raw.data.get(raw.name):
        covered["data"] = [data.offset_bytes, data.sha256]
    if raw.notice:
        covered["notice"] = hashlib.sha256(raw.notice.data).hexdigest()
    return hashlib.sha256(json.dumps(covered, sort_keys=True).encode()).hexdigest()


def _unread(
    raw: facts.RawDrive, reading: TableReading | None, ata_trouble: Message | None
) -> tuple[Unread, ...]:
    """If the drive's bytes were not read, several fields share one reason."""
    found = []
    for error in raw.errors:
        fields = CONTENT_FIELDS if error.what == "contents" else (error.what,)
        found += [replace(_unread_of(error), what=what) for what in fields]
    for problem in reading.problems if reading else ():
        broken = Obstacle.OTHER_BLOCKS if reading and reading.other_blocks else Obstacle.CONTRADICTORY
        found.append(Unread("partitions", problem, obstacle=broken))
    if trouble := reports.smart_trouble(raw.smart):
        why, obstacle = trouble
        found.append(Unread("smart", why, obstacle=obstacle))
    return (*dict.fromkeys(found), *([Unread("ata", ata_trouble)] if ata_trouble else []))


def _flag(texts: dict[str, str], name: str) -> bool | None:
    return {"0": False, "1": True}.get(texts.get(name, ""))


def _unread_of(error: facts.RawError) -> Unread:
    """Return a recorded error. Old recordings have a text, which is made a sentence and suggests the
    obstacle."""
    why, obstacle = error.why, error.obstacle
    if isinstance(why, Message):
        return Unread(error.what, why, obstacle=obstacle or Obstacle.FAILED)
    whole = why.rstrip(".")
    sentence = f"{whole}." if why.startswith("/") else f"{whole[:1].upper()}{whole[1:]}."
    text = why if obstacle else sentence
    return Unread(error.what, facts.AS_RECORDED(text=text), obstacle=obstacle or facts.obstacle_in(why))
