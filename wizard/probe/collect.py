"""Collect raw facts of one drive in phases, so that earlier facts survive if the drive hangs. Runs in a
separate worker process. Read-only."""

import errno
import fcntl
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial

from msgspec.structs import replace

from wizard.filesystems import partition_types
from wizard.model.errors import partition_path
from wizard.model.machine import Obstacle, Partition
from wizard.model.said import reason_of, t
from wizard.probe.content import layers, notices, tables, unmarked
from wizard.probe.content.layers import Place
from wizard.probe.content.superblocks import digest_of
from wizard.probe.content.tables import Read, TableReading
from wizard.probe.drive import ioctls
from wizard.probe.facts import (
    ROOT_READS,
    RawChunk,
    RawContent,
    RawData,
    RawDrive,
    RawEntry,
    RawError,
    RawNotice,
    RawPartition,
    not_read,
    opened,
    reported,
)
from wizard.probe.host import sysfs

MOST_DEVICES = 256
"""Entries of a table to probe. More than any drive in use has."""

CLAIM_TRIES = 4
CLAIM_PAUSE_SECONDS = 0.02
"""Pause between tries. Another probe may hold the drive for an instant, as this one does."""

SMART_SHARE = 0.6
"""smartctl's share of the time limit, so that a slow smartctl does not lose all other facts."""

SMART_ASKED = ("-i", "-H", "-A", "-l", "selftest")
"""Identity, health verdict, attributes, and log of self-tests. None of these starts a test."""

WITHOUT_SMART = (
    *("loop", "ram", "zram", "dm-", "md", "vd", "xvd"),
    *("nbd", "sr", "fd", "mmcblk", "pmem", "mtdblock", "rbd"),
)


Update = dict[str, object]
"""Fields of RawDrive."""


def phases(name: str, seconds: float) -> Iterator[RawDrive | Update]:
    """Yield updates that make up one RawDrive, harmless ones first, within `seconds`."""
    known = from_kernel(name)
    yield known
    errors, path, is_root = [*known.errors], known.path, os.geteuid() == 0
    read = from_device(known, errors)
    yield {**read, "errors": errors}
    if is_root:
        yield {"claimable": claims(name, [*known.partitions])}
    if is_root and known.sysfs.get("queue/zoned", "none") != "none":
        runs = []
        with reported(errors, "zones", path):
            runs = ioctls.read_zones(path)
        yield {"zones": runs, "errors": errors}
    if name.startswith("nvme"):
        data: dict[str, bytes] = {}
        with reported(errors, "nvme_formats", path):
            data = ioctls.identify(path)
        yield {"nvme": data, "errors": errors}
    if read["medium"]:
        yield {"smart": smartctl_output(name, errors, seconds * SMART_SHARE), "errors": errors}
    # Last, because a layer can hang even if the drive does not.
    found, layer_errors = layers.read_layers([name, *known.partitions])
    if found:
        yield {"layers": found, "errors": [*errors, *layer_errors]}


def from_kernel(name: str) -> RawDrive:
    """Read sysfs and udev's database. Needs no root and does not touch the drive."""
    folder = sysfs.SYS / "block" / name
    texts, udev = sysfs.known_facts(folder, sysfs.ATTRIBUTES)
    texts |= sysfs.link_attributes(folder)
    if (zones := sysfs.zoned_capability(folder)) is not None:
        texts["zoned_cap"] = zones
    gone = RawError("drive", t("The kernel no longer reports the drive."))
    return RawDrive(
        name,
        sysfs.node_of(name),
        str(sysfs.target(folder) or folder),
        texts,
        sysfs.vital_pages(folder),
        udev,
        {
            part: RawPartition(*sysfs.known_facts(folder / part, sysfs.PARTITION_ATTRIBUTES))
            for part in sysfs.partition_names(folder)
        },
        errors=() if folder.exists() else (gone,),
    )


def from_device(known: RawDrive, errors: list[RawError]) -> Update:
    """Read the drive's table and all superblocks, on the drive and in the partitions."""
    try:
        with opened(known.path) as descriptor:
            if known.sysfs.get("size") == "0":
                # The kernel cannot use a fixed drive without a size. Reported by find_no_size in
                # findings/drive_faults.py.
                fixed = known.sysfs.get("removable") == "0"
                if not fixed:
                    errors.append(RawError("contents", t("The drive is empty: the device has no size.")))
                return {"medium": fixed}
            if known.partitions:
                # The drive's page cache misses writes through the nodes of its partitions. This drops clean
                # pages only.
                os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            return {"medium": True, **_read(descriptor, known, errors)}
    except OSError as error:
        errors.append(not_read("contents", known.path, error))
        return {"medium": error.errno != errno.ENOMEDIUM}


def _read(descriptor: int, known: RawDrive, errors: list[RawError]) -> Update:
    from wizard.probe.content import blkid

    path, name = known.path, known.name
    kind: str | None = None
    listed: tuple[RawEntry, ...] = ()
    contents: dict[str, RawContent] | None = None
    superblocks = layers.Superblocks(errors)
    with reported(errors, "contents", path):
        found = blkid.read_partitions(path)
        contents = {name: _read_place(Place(name, path), superblocks)}
        kind, listed = found
    recorder = layers.Recorder(descriptor, "table", path)
    size = sysfs.bytes_at(known.sysfs, "size") or 0
    block = int(known.sysfs.get("queue/logical_block_size", "512"))
    marked = bool(contents and contents[name].signatures)
    reading = tables.read_table(recorder.read, size, block, kind, has_signature=marked)
    errors += recorder.errors
    # In a damaged table, entries can exceed the drive.
    inside = [
        one for one in reading.entries if one.start_bytes > 0 < one.size_bytes and one.end_bytes <= size
    ]
    own = [entry for entry in inside if entry.type not in partition_types.CONTAINERS]

    def read(start: int, length: int) -> bytes:
        return os.pread(descriptor, length, start)

    moving: list[int] = []
    notice: RawNotice | None = None
    data: dict[str, RawData] = {}
    lost: list[RawEntry] = []
    if contents is not None:
        for place in _places(known, reading, listed, size):
            with reported(errors, "signatures", sysfs.node_of(place.node)):
                contents[place.node] = _read_place(place, superblocks)
        notice = _notice(read, size, reading, contents, known, errors)
    with reported(errors, "partitions", path):
        moves = [entry for entry in inside if entry.type in partition_types.MOVING]
        moving = [entry.number for entry in moves if notices.is_moving(read, entry.extent)]
    host_managed = known.sysfs.get("queue/zoned") == "host-managed"
    if contents and not (marked or notice or host_managed):
        places = [_place(known, one) for one in own if one.number not in moving]
        places = places if reading.table.kind != "none" else [Place(name, path, 0, size)]
        bare = [one for one in places if one.node in contents and not contents[one.node].signatures]
        data = dict(_unmarked(read, bare, errors))
        if name in data:
            content_at = partial(blkid.read_content, path)
            with reported(errors, "contents", path):
                for entry, content in unmarked.find_lost(read, content_at, size, block, reading.lost):
                    place = _place(known, entry)
                    contents[place.node] = superblocks.record(place, content)
                    lost.append(entry)
    return {
        "notice": notice,
        "data": data,
        "lost": lost,
        "table_kind": kind,
        "table_entries": listed,
        "chunks": recorder.chunks,
        "contents": contents,
        "superblocks": superblocks.recorded,
        "moving": moving,
        "starters": [*_grub_sectors(read, (0, *(entry.start_bytes for entry in own)))],
    }


def _read_place(place: Place, superblocks: layers.Superblocks) -> RawContent:
    """Return the signatures in a place, with a digest. Raises OSError."""
    from wizard.probe.content import blkid

    content = blkid.read_content(place.path, place.offset_bytes, place.size_bytes)
    digest = digest_of(place.path, content, place.offset_bytes)
    return superblocks.record(place, replace(content, superblock_digest=digest))


def _unmarked(read: Read, places: Iterable[Place], errors: list[RawError]) -> Iterator[tuple[str, RawData]]:
    for place in places:
        starts = () if place.number else unmarked.POSSIBLE_STARTS
        with reported(errors, "signatures" if place.number else "contents", sysfs.node_of(place.node)):
            if data := unmarked.find_data(read, place.offset_bytes, place.size_bytes, starts):
                yield place.node, data


def _place(known: RawDrive, entry: Partition | RawEntry) -> Place:
    node = sysfs.name_of(partition_path(known.path, entry.number))
    return Place(node, known.path, entry.start_bytes, entry.size_bytes, entry.number)


def _grub_sectors(read: Read, places: Iterable[int]) -> Iterator[RawChunk]:
    """Unreadable sectors are skipped, since they cannot boot either."""
    for at in places:
        with suppress(OSError):
            sector = read(at, notices.SECTOR_BYTES)
            if notices.next_of(sector) is not None:
                yield RawChunk(at, sector)


def _notice(
    read: Read,
    size: int,
    reading: TableReading,
    contents: dict[str, RawContent],
    known: RawDrive,
    errors: list[RawError],
) -> RawNotice | None:
    """Skips partitions with a signature, and a drive with one and no partitions: no notice can be there."""
    entries = [entry for entry in reading.entries if entry.type not in partition_types.CONTAINERS]
    if contents[known.name].signatures and not entries:
        return None
    # Unread partitions are skipped too.
    empty = {node for node, content in contents.items() if not content.signatures}
    taken = [entry for entry in entries if _place(known, entry).node not in empty]
    with reported(errors, "notice", known.path):
        return notices.find_notice(read, size, taken)
    return None


def _places(known: RawDrive, reading: TableReading, listed: Iterable[RawEntry], size: int) -> Iterator[Place]:
    """Yield where to look for superblocks. Uses a partition's node if the kernel and the table agree on its
    extent, else the extent on the drive."""
    entries = {
        one.number: Partition("", one.number, one.start_bytes, one.size_bytes, f"0x{one.type:02x}")
        for one in listed
    }
    entries |= {entry.number: entry for entry in reading.entries}
    nodes = {
        int(part.sysfs.get("partition", "0")): (node, part.sysfs) for node, part in known.partitions.items()
    }
    for number in sorted(set(entries) | set(nodes))[:MOST_DEVICES]:
        entry = entries.get(number)
        node, texts = nodes.get(number, ("", {}))
        place = sysfs.bytes_at(texts, "start"), sysfs.bytes_at(texts, "size")
        if entry and entry.type in partition_types.CONTAINERS:
            continue
        if node and (entry is None or (entry.start_bytes, entry.size_bytes) == place):
            yield Place(node, sysfs.node_of(node))
        elif entry and entry.size_bytes > 0 and entry.start_bytes < size:
            inside = min(entry.size_bytes, size - entry.start_bytes)
            yield _place(known, replace(entry, size_bytes=inside))


def claims(name: str, partitions: Sequence[str]) -> dict[str, bool]:
    """Check whether the drive and the partitions can be opened exclusively, by name. Empty while another
    program has a lock (flock): even a brief exclusive open could make its mkfs or mount fail."""
    try:
        with opened(sysfs.node_of(name)) as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            found = {node: _is_claimable(sysfs.node_of(node)) for node in (name, *partitions)}
    except OSError:
        return {}
    return {node: claim for node, claim in found.items() if claim is not None}


def _is_claimable(path: str) -> bool | None:
    """Return None for errors other than EBUSY. Closes the device immediately, because an exclusive open makes
    mkfs and mount fail."""
    for attempt in range(CLAIM_TRIES):
        try:
            with opened(path, os.O_EXCL):
                return True
        except OSError as error:
            if error.errno != errno.EBUSY:
                return None
            if attempt + 1 < CLAIM_TRIES:
                time.sleep(CLAIM_PAUSE_SECONDS)
    return False


def smartctl_output(name: str, errors: list[RawError], seconds: float) -> str | None:
    """Run smartctl without waking a drive in standby."""
    if name.startswith(WITHOUT_SMART):
        return None
    if os.geteuid() != 0:
        errors.append(RawError("smart", ROOT_READS, Obstacle.DENIED))
        return None
    from wizard.model.errors import Failed
    from wizard.process.program import NotInstalled, run

    try:
        return run(
            ["smartctl", "--json=c", "-n", "standby", *SMART_ASKED, sysfs.node_of(name)],
            seconds=seconds,
            accept=range(256),
        ).output
    except Failed as error:
        obstacle = Obstacle.NOT_INSTALLED if isinstance(error, NotInstalled) else Obstacle.FAILED
        errors.append(RawError("smart", reason_of(error), obstacle))
        return None
