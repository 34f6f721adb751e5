"""Collect raw facts of one drive in phases, so that earlier facts survive if the drive hangs. Runs in a
separate worker process. Returns plain data in the shape of `facts.RawDrive`. Read-only."""

import base64
import errno
import fcntl
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from wizard.filesystems import partition_types
from wizard.model.errors import partition_path
from wizard.model.machine import Obstacle
from wizard.model.said import reason_of, t
from wizard.probe import unread as words
from wizard.probe.content import holders, notices, tables
from wizard.probe.content.superblocks import digest_of
from wizard.probe.content.unmarked import POSSIBLE_STARTS, find_data, find_lost
from wizard.probe.drive.nvme import from_nvme
from wizard.probe.drive.zones import read_zones
from wizard.probe.host import sysfs
from wizard.probe.unread import ROOT_READS, not_read, obstacle_of, system_says, unread

Facts = dict[str, Any]
Udev = Callable[[str], dict[str, str]]

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
    "loop",
    "ram",
    "zram",
    "dm-",
    "md",
    "vd",
    "xvd",
    "nbd",
    "sr",
    "fd",
    "mmcblk",
    "pmem",
    "mtdblock",
    "rbd",
)
UNIT_BYTES = 512


def phases(name: str, udev: Udev, seconds: float) -> Iterator[Facts]:
    """Yield updates that make up one RawDrive, cheap and harmless ones first. `seconds` limits all of them
    together."""
    known = from_kernel(name, udev)
    yield known
    read = from_device(known)
    yield read
    if os.geteuid() == 0:
        yield {"claimable": claims(name, list(known["partitions"]))}
    errors = read["errors"]
    if os.geteuid() == 0 and known["sysfs"].get("queue/zoned", "none") != "none":
        counted = _from_zones(known["path"], errors)
        yield counted
        errors = counted.get("errors", errors)
    if name.startswith("nvme"):
        identify = from_nvme(known["path"], errors)
        yield identify
        errors = identify.get("errors", errors)
    if read["medium"]:
        smart = from_smartctl(name, errors, seconds * SMART_SHARE)
        yield smart
        errors = smart.get("errors", errors)
    # Last, because a layer can hang even if the drive does not.
    layers, layer_errors = holders.layers([name, *known["partitions"]], udev)
    if layers:
        yield {"layers": layers, "errors": [*errors, *layer_errors]}


def from_kernel(name: str, udev: Udev) -> Facts:
    """Read sysfs and udev's database. Needs no root and does not touch the drive."""
    folder = sysfs.SYS / "block" / name
    found: Facts = {
        "name": name,
        "path": sysfs.node_of(name),
        "sysfs_path": str(sysfs.target(folder) or folder),
        "sysfs": sysfs.attributes(folder, sysfs.ATTRIBUTES),
        "vpd": sysfs.vital_pages(folder),
        "udev": udev(name),
        "partitions": {
            part: {"sysfs": sysfs.attributes(folder / part, sysfs.PARTITION_ATTRIBUTES), "udev": udev(part)}
            for part in sysfs.partition_names(folder)
        },
        "errors": [] if folder.exists() else [unread("drive", t("The kernel no longer reports the drive."))],
    }
    if (zones := sysfs.zoned_capability(folder)) is not None:
        found["sysfs"]["zoned_cap"] = zones
    return found


def from_device(known: Facts) -> Facts:
    """Read the drive's table and all superblocks, on the drive and in its partitions."""
    path, errors = known["path"], list(known["errors"])
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        medium = error.errno != errno.ENOMEDIUM
        return {"medium": medium, "errors": [*errors, not_read("contents", path, error)]}
    try:
        if known["sysfs"].get("size") == "0" and known["sysfs"].get("removable") == "0":
            # The kernel cannot use it. Reported by find_no_size in findings/drive_faults.py.
            return {"medium": True, "errors": errors}
        if known["sysfs"].get("size") == "0":
            return {
                "medium": False,
                "errors": [*errors, unread("contents", t("The drive is empty: the device has no size."))],
            }
        if known["partitions"]:
            # The drive's page cache misses writes through the nodes of its partitions. This drops clean pages
            # only.
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        return {"medium": True, **_read(descriptor, known, errors)}
    finally:
        os.close(descriptor)


def _read(descriptor: int, known: Facts, errors: list[Facts]) -> Facts:
    from wizard.probe.content import blkid

    path, name = known["path"], known["name"]
    kind: str | None = None
    listed: list[Facts] = []
    contents: Facts | None = None
    try:
        whole = blkid.read_content(path)
        whole["superblock_digest"] = digest_of(path, whole)
        kind, listed = blkid.read_partitions(path)
        contents = {name: whole}
    except OSError as error:
        errors.append(not_read("contents", path, error))
    recorder = Recorder(descriptor, path)
    notice: Facts | None = None
    size = int(known["sysfs"].get("size", "0")) * UNIT_BYTES
    block = int(known["sysfs"].get("queue/logical_block_size", "512"))
    reading = tables.read_table(
        recorder.read, size, block, kind, has_signature=bool(contents and contents[name]["signatures"])
    )
    errors += recorder.errors
    superblocks: Facts = {}
    if contents is not None:
        _add_superblocks(
            superblocks,
            {"node": name, "path": path, "offset_bytes": 0, "size_bytes": 0},
            contents[name],
            errors,
        )
        for place in _places(known, reading, listed, size):
            try:
                content = blkid.read_content(place["path"], place["offset_bytes"], place["size_bytes"])
                contents[place["node"]] = {
                    **content,
                    "superblock_digest": digest_of(place["path"], content, place["offset_bytes"]),
                }
            except OSError as error:
                errors.append(not_read("signatures", sysfs.node_of(place["node"]), error))
                continue
            _add_superblocks(superblocks, place, contents[place["node"]], errors)
        notice = _notice(descriptor, size, reading, contents, known, errors)
    moving = _moving(descriptor, size, reading, errors, path)
    data: Facts = {}
    lost: list[Facts] = []
    if contents is not None and notice is None and known["sysfs"].get("queue/zoned") != "host-managed":
        bare = [] if contents[name]["signatures"] else _bare(known, reading, contents, size)
        data = _data(descriptor, [place for place in bare if place["number"] not in moving], errors)
        if name in data:
            lost = _lost(descriptor, known, reading, size, block, errors)
        for place in lost:
            contents[place["node"]] = place.pop("content")
            _add_superblocks(superblocks, {**place, "path": path}, contents[place["node"]], errors)
    return {
        "table_kind": kind,
        "table_entries": listed,
        "chunks": recorder.chunks,
        "contents": contents,
        "superblocks": superblocks,
        "notice": notice,
        "moving": moving,
        "data": data,
        "lost": [_entry_of(place) for place in lost],
        "starters": _grub_sectors(descriptor, size, reading),
        "errors": errors,
    }


def _bare(known: Facts, reading: tables.TableReading, contents: Facts, size: int) -> list[Facts]:
    """Return the ranges without a signature: the drive, or partitions in its table."""
    if reading.table.kind == "none":
        return [{"node": known["name"], "number": 0, "offset_bytes": 0, "size_bytes": size}]
    entries = [entry for entry in _entries_inside(reading, size) if not tables.is_extended(entry.type)]
    places = [_place(known, entry.number, entry.start_bytes, entry.size_bytes) for entry in entries]
    return [
        place
        for place in places[:MOST_DEVICES]
        if place["node"] in contents and not contents[place["node"]]["signatures"]
    ]


def _place(known: Facts, number: int, start: int, size: int) -> Facts:
    node = sysfs.name_of(partition_path(known["path"], number))
    return {"node": node, "number": number, "offset_bytes": start, "size_bytes": size}


def _data(descriptor: int, places: list[Facts], errors: list[Facts]) -> Facts:
    """Sample the ranges for data, by node."""
    found: Facts = {}
    for place in places:
        try:
            starts = () if place["number"] else POSSIBLE_STARTS
            data = find_data(_reader(descriptor), place["offset_bytes"], place["size_bytes"], starts)
        except OSError as error:
            what = "signatures" if place["number"] else "contents"
            errors.append(not_read(what, sysfs.node_of(place["node"]), error))
            continue
        if data is not None:
            found[place["node"]] = data
    return found


def _lost(
    descriptor: int, known: Facts, reading: tables.TableReading, size: int, block: int, errors: list[Facts]
) -> list[Facts]:
    """Return filesystems in partitions whose table is lost, with their contents."""
    from wizard.probe.content import blkid

    content_at = partial(blkid.read_content, known["path"])
    found: list[Facts] = []
    try:
        for number, start, length, content in find_lost(
            _reader(descriptor), content_at, size, block, reading.lost
        ):
            found.append({**_place(known, number, start, length), "content": content})
    except OSError as error:
        errors.append(not_read("contents", known["path"], error))
    return found


def _entry_of(place: Facts) -> Facts:
    return {
        "number": place["number"],
        "start_bytes": place["offset_bytes"],
        "size_bytes": place["size_bytes"],
        "type": 0,
    }


def _reader(descriptor: int) -> tables.Read:
    return lambda start, length: os.pread(descriptor, length, start)


def _moving(
    descriptor: int, size: int, reading: tables.TableReading, errors: list[Facts], path: str
) -> list[int]:
    """Return the numbers of the entries with the journal of an unfinished move."""
    entries = [entry for entry in _entries_inside(reading, size) if entry.type in partition_types.MOVING]
    read = _reader(descriptor)
    try:
        return [entry.number for entry in entries[:MOST_DEVICES] if notices.is_moving(read, entry.extent)]
    except OSError as error:
        errors.append(not_read("partitions", path, error))
        return []


def _entries_inside(reading: tables.TableReading, size: int) -> list[tables.GptEntry]:
    """Return the entries inside the drive. In a damaged table, entries can exceed it."""
    return [
        entry
        for entry in reading.entries
        if entry.start_bytes > 0 and entry.size_bytes > 0 and entry.start_bytes + entry.size_bytes <= size
    ]


def _grub_sectors(descriptor: int, size: int, reading: tables.TableReading) -> list[Facts]:
    """Return the boot sectors with GRUB. Unreadable sectors are skipped, since they cannot boot either."""
    entries = [entry for entry in _entries_inside(reading, size) if not tables.is_extended(entry.type)]
    found = []
    for at in (0, *(entry.start_bytes for entry in entries[:MOST_DEVICES])):
        with suppress(OSError):
            sector = os.pread(descriptor, notices.SECTOR_BYTES, at)
            if notices.next_of(sector) is not None:
                found.append({"offset_bytes": at, "data": base64.b64encode(sector).decode("ascii")})
    return found


def _notice(
    descriptor: int,
    size: int,
    reading: tables.TableReading,
    contents: Facts,
    known: Facts,
    errors: list[Facts],
) -> Facts | None:
    """Return the notice of a waiting run, if any. Skips partitions with a signature, and a drive with a
    signature and no partitions: no notice can be there."""

    def has_signature(entry: tables.GptEntry) -> bool:
        content = contents.get(sysfs.name_of(partition_path(known["path"], entry.number)))
        return content is None or bool(content["signatures"])

    entries = [entry for entry in reading.entries if not tables.is_extended(entry.type)]
    taken = [
        (entry.start_bytes, entry.start_bytes + entry.size_bytes) for entry in entries if has_signature(entry)
    ]
    if contents[known["name"]]["signatures"] and not entries:
        return None
    try:
        return notices.find_notice(descriptor, size, taken)
    except OSError as error:
        why = t(
            "Cannot check {device} for a waiting run: {why}.", device=known["path"], why=system_says(error)
        )
        errors.append(unread("notice", why, obstacle_of(error)))
        return None


def _add_superblocks(superblocks: Facts, place: Facts, content: Facts, errors: list[Facts]) -> None:
    """Add the bytes of superblocks that locate data. If that fails, the other facts are still complete."""
    if holders.length(superblocks.values()) > holders.MOST_RECORDED:
        errors.append(unread("layers", words.MANY_SUPERBLOCKS))
        return
    node = sysfs.node_of(place["node"])
    try:
        found, trouble = holders.recorded_superblocks(
            place["path"], content, place["offset_bytes"], place["size_bytes"], node
        )
    except OSError as error:
        found, trouble = [], not_read("layers", node, error)
    if found:
        superblocks[place["node"]] = found
    if trouble:
        errors.append(trouble)


def _places(known: Facts, reading: tables.TableReading, listed: list[Facts], size: int) -> list[Facts]:
    """Return where to look for superblocks. Uses a partition's node if the kernel and the table agree on its
    extent, else the extent on the drive."""
    entries = {entry.number: entry for entry in reading.entries}
    for other in listed:
        number = other["number"]
        entries.setdefault(
            number,
            tables.GptEntry(number, other["start_bytes"], other["size_bytes"], f"0x{other['type']:02x}"),
        )
    nodes = {
        int(part["sysfs"].get("partition", "0")): (node, part["sysfs"])
        for node, part in known["partitions"].items()
    }
    places = []
    for number in sorted(set(entries) | set(nodes))[:MOST_DEVICES]:
        entry = entries.get(number)
        node, facts = nodes.get(number, ("", {}))
        start, length = int(facts.get("start", "-1")) * UNIT_BYTES, int(facts.get("size", "-1")) * UNIT_BYTES
        if entry and tables.is_extended(entry.type):
            continue
        if node and (entry is None or (entry.start_bytes, entry.size_bytes) == (start, length)):
            places.append({"node": node, "path": sysfs.node_of(node), "offset_bytes": 0, "size_bytes": 0})
        elif entry and entry.size_bytes > 0 and entry.start_bytes < size:
            node = sysfs.name_of(partition_path(known["path"], number))
            inside = min(entry.size_bytes, size - entry.start_bytes)
            places.append(
                {"node": node, "path": known["path"], "offset_bytes": entry.start_bytes, "size_bytes": inside}
            )
    return places


class Recorder:
    """Reads a drive and records the bytes, so that the same reads work later without the drive."""

    def __init__(self, descriptor: int, path: str) -> None:
        self.descriptor, self.path = descriptor, path
        self.chunks: list[Facts] = []
        self.errors: list[Facts] = []

    def read(self, offset_bytes: int, size_bytes: int) -> bytes:
        """Return bytes at an offset. Short at the end of the drive, empty if unreadable."""
        try:
            data = os.pread(self.descriptor, size_bytes, offset_bytes)
        except (OSError, OverflowError) as error:
            why = words.BYTE(byte=offset_bytes, device=self.path, why=system_says(error))
            self.errors.append(unread("table", why, obstacle_of(error)))
            return b""
        self.chunks.append({"offset_bytes": offset_bytes, "data": base64.b64encode(data).decode("ascii")})
        return data


def _from_zones(path: str, errors: list[Facts]) -> Facts:
    """Read the zones of a zoned drive."""
    try:
        return {"zones": read_zones(path)}
    except OSError as error:
        why = t("Cannot read the zones of {device}: {why}.", device=path, why=system_says(error))
        return {"errors": [*errors, unread("zones", why, obstacle_of(error))]}


def claims(name: str, partitions: Sequence[str]) -> dict[str, bool]:
    """Check whether the drive and its partitions can be opened exclusively, by name.

    Empty while another program has a lock (flock) on the drive: it may be writing, and even a brief exclusive
    open could make its mkfs or mount fail.
    """
    try:
        lock = os.open(sysfs.node_of(name), os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return {}
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return {}
    else:
        return {
            node: claim
            for node in (name, *partitions)
            if (claim := _is_claimable(sysfs.node_of(node))) is not None
        }
    finally:
        os.close(lock)


def _is_claimable(path: str) -> bool | None:
    """Return True if an exclusive open succeeds, None if it fails for another reason than EBUSY. Closes the
    device immediately, because an exclusive open makes mkfs and mount fail."""
    for attempt in range(CLAIM_TRIES):
        try:
            os.close(os.open(path, os.O_RDONLY | os.O_EXCL | os.O_CLOEXEC | os.O_NONBLOCK))
        except OSError as error:
            if error.errno != errno.EBUSY:
                return None
            if attempt + 1 < CLAIM_TRIES:
                time.sleep(CLAIM_PAUSE_SECONDS)
            continue
        return True
    return False


def from_smartctl(name: str, errors: list[Facts], seconds: float) -> Facts:
    """Run smartctl without waking a drive in standby. Skips kinds of drives without SMART."""
    if name.startswith(WITHOUT_SMART):
        return {"smart": None}
    if os.geteuid() != 0:
        return {
            "smart": None,
            "errors": [
                *errors,
                unread("smart", ROOT_READS, Obstacle.DENIED),
            ],
        }
    from wizard.model.errors import Failed
    from wizard.process.program import NotInstalled, run

    try:
        result = run(
            ["smartctl", "--json=c", "-n", "standby", *SMART_ASKED, sysfs.node_of(name)],
            seconds=seconds,
            accept=range(256),
        )
    except Failed as error:
        obstacle = Obstacle.NOT_INSTALLED if isinstance(error, NotInstalled) else Obstacle.FAILED
        return {"smart": None, "errors": [*errors, unread("smart", reason_of(error), obstacle)]}
    return {"smart": result.output}
