"""Read attributes and the list of drives from sysfs. Decides only which devices count as drives."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import filterfalse
from pathlib import Path

from msgspec import Struct

from wizard.model.geometry import Geometry
from wizard.model.said import KERNEL_SECTOR_BYTES
from wizard.probe import facts

SYS = Path("/sys")

QUEUE_ATTRIBUTES = (
    "queue/logical_block_size",
    "queue/physical_block_size",
    "queue/minimum_io_size",
    "queue/optimal_io_size",
    "queue/rotational",
)

ATTRIBUTES = (
    "dev",
    "size",
    "ro",
    "removable",
    "hidden",
    "diskseq",
    "alignment_offset",
    "ext_range",
    "serial",
    "wwid",
    *QUEUE_ATTRIBUTES,
    "queue/zoned",
    "queue/chunk_sectors",
    "queue/nr_zones",
    "queue/max_open_zones",
    "queue/max_active_zones",
    "queue/discard_granularity",
    "queue/discard_max_bytes",
    "queue/discard_max_hw_bytes",
    "queue/scheduler",
    "device/model",
    "device/vendor",
    "device/rev",
    "device/firmware_rev",
    "device/serial",
    "device/wwid",
    "device/name",
    "device/type",
    "loop/backing_file",
    "loop/offset",
)
"""Attributes to read of a drive, relative to /sys/block/D."""

PARTITION_ATTRIBUTES = ("dev", "partition", "start", "size", "ro", "alignment_offset")

LAYER = re.compile(r"(dm-|md|bcache|drbd)\d")
MEMORY = re.compile(r"(ram|zram)\d")
FIRMWARE = re.compile(r"(mmcblk\d+(boot|rpmb|gp)\d*|mtdblock\d+|fd\d+)")
OPTICAL = re.compile(r"sr\d")
OURS = re.compile(r"/memfd:diskwright stand-in |.*/engine/new-\d+\.img|.*/diskwright-\d[^/]*/[^/]+|/$")
"""Backing files of loop devices that a run creates temporarily (apply/block/scratch_device.py,
apply/engine/stores.py, apply/plan/job.py). A served file (apply/engine/writable_copy.py) has no name."""

IMAGES = frozenset({"squashfs", "erofs", "cramfs"})
MOUNTS = Path("/proc/self/mountinfo")
OCTAL = re.compile(r"\\([0-7]{3})")


SHARED = frozenset({"sync", "dirsync", "mand", "lazytime"})
"""mountinfo lists these with the filesystem's own (fs/proc_namespace.c)."""


class Mounted(Struct, frozen=True):
    """A line of mountinfo. `options`: of mount and filesystem. `own`: only of the mount. `root`: the mounted
    folder. `number`: the device's MAJOR:MINOR; major 0 means no device, as for Btrfs. `ours`: in our
    namespace. `system`: in ours or that of PID 1."""

    source: str
    mount_point: str
    filesystem: str
    options: frozenset[str]
    root: str = "/"
    own: tuple[str, ...] = ()
    number: str = ""
    ours: bool = True
    system: bool = True

    @property
    def type(self) -> str:
        """mountinfo lists ntfs-3g as fuseblk, without ntfs-3g's options."""
        return "ntfs-3g" if self.filesystem == "fuseblk" else self.filesystem

    @property
    def words(self) -> tuple[str, ...]:
        """All options that a remount would drop if omitted (mount(8)). `rw` only if mount and filesystem are
        writable. The access time even if it is the default, which is not listed."""
        words = [word for word in self.own if word != "rw" or "ro" not in self.options]
        words += [] if {"noatime", "relatime"} & {*words} else ["strictatime"]
        return (*words, *sorted(SHARED & self.options - {*words}))


def mounts_in(mountinfo: str) -> Iterator[Mounted]:
    """Parse the complete lines of mountinfo (proc(5))."""
    for line in mountinfo.split("\n"):
        head, _, tail = line.partition(" - ")
        fields, rest = head.split(" "), tail.split(" ")
        if len(fields) > 5 and len(rest) > 2:
            source, place, root = map(unescaped, (rest[1], fields[4], fields[3]))
            own = tuple(fields[5].split(","))
            options = frozenset((*own, *rest[2].split(",")))
            yield Mounted(source, place, rest[0], options, root, own, fields[2])


def swaps_in(swaps: str) -> tuple[str, ...]:
    """Parse the paths in /proc/swaps (proc(5))."""
    return tuple(unescaped(line.split()[0]) for line in swaps.split("\n")[1:] if line.split())


def filesystem_of(path: str) -> str:
    """Return the kind of the filesystem that contains a path, without access to the path."""
    found = mount_with(path, mounts_in(text(MOUNTS) or ""))
    return found.filesystem if found else ""


def mount_with(path: str, mounts: Iterable[Mounted]) -> Mounted | None:
    """Return the mount that contains a path, without access to the path. Of several at one place, the last
    hides the others."""
    below = [one for one in mounts if f"{path}/".startswith(f"{one.mount_point.rstrip('/')}/")]
    return max(reversed(below), key=lambda one: len(one.mount_point), default=None)


def unescaped(text: str) -> str:
    r"""Return a path from mountinfo or swaps without escapes, such as `\040` for a space."""
    return OCTAL.sub(lambda match: chr(int(match[1], 8)), text)


def node_of(name: str) -> str:
    """Return the device node of a sysfs name, in which `!` means a slash."""
    return "/dev/" + name.replace("!", "/")


def name_of(node: str) -> str:
    """Return the sysfs name of a device node."""
    return node.removeprefix("/dev/").replace("/", "!")


def folder_of(node: str) -> Path:
    """Return the folder of a block device in sysfs, by node or name."""
    return SYS / "class/block" / name_of(node)


def text(path: Path) -> str | None:
    """Return an attribute without its trailing newline, or None if unreadable."""
    try:
        return path.read_bytes().decode("utf-8", errors="replace").rstrip("\n")
    except OSError:
        return None


def target(link: Path) -> Path | None:
    """Return the target of a link, or None if the device disappears: Python's realpath() reads a link
    twice."""
    try:
        return link.resolve()
    except OSError:
        return None


def attributes(folder: Path, names: tuple[str, ...]) -> dict[str, str]:
    """Return all readable attributes."""
    read = ((name, text(folder / name)) for name in names)
    return {name: value for name, value in read if value is not None}


PAGES = ("80", "89", "b1")
"""SCSI's serial number, IDENTIFY data of an ATA drive, and block device characteristics."""


def vital_pages(folder: Path, wanted: tuple[str, ...] = PAGES) -> dict[str, bytes]:
    """Return the SCSI vital product data pages."""
    pages = {}
    for page in wanted:
        with suppress(OSError):
            pages[page] = (folder / f"device/vpd_pg{page}").read_bytes()[:1024]
    return pages


def link_attributes(folder: Path) -> dict[str, str]:
    """Return the speed of a drive's link: of its USB device, ATA port or NVMe controller
    (Documentation/ABI/testing/sysfs-bus-usb, sysfs-ata and sysfs-bus-pci)."""
    device = target(folder / "device") or folder
    for place in (device, *device.parents):
        if (place / "busnum").exists():
            return attributes(place, ("speed",))
        if links := [*place.glob("link*/ata_link/link*")]:
            # A port multiplier has several.
            return attributes(links[0], ("sata_spd",)) if len(links) == 1 else {}
        if folder.name.startswith("nvme") and (place / "current_link_speed").exists():
            return attributes(place, ("current_link_speed", "current_link_width"))
    return {}


def zoned_capability(folder: Path) -> str | None:
    """Return the SCSI disk driver's zoned_cap: none, host-aware or drive-managed."""
    return next(
        (value for found in folder.glob("device/scsi_disk/*/zoned_cap") if (value := text(found))), None
    )


def names_in(folder: Path) -> list[str]:
    """Return the sorted names in a folder, none if unreadable."""
    try:
        return sorted(entry.name for entry in folder.iterdir())
    except OSError:
        return []


def partition_names(folder: Path) -> list[str]:
    """Return the node names of a drive's partitions in the kernel."""
    return [name for name in names_in(folder) if (folder / name / "partition").exists()]


def drive_names(*, all_devices: bool = False) -> list[str]:
    """Return the names of whole drives, or of all block devices."""
    names = sorted(names_in(SYS / "block"), key=_order)
    if all_devices:
        return names
    # Filesystems that only images use, as of a live system or snap.
    images = {one.number for one in mounts_in(text(MOUNTS) or "") if one.filesystem in IMAGES}
    return [
        name
        for name in names
        if is_drive(SYS / "block" / name)
        and not (name.startswith("loop") and text(SYS / "block" / name / "dev") in images)
    ]


def is_drive(folder: Path) -> bool:
    """Return True if a person would call the device a drive: no layer, memory, unused loop device or one of a
    run, empty card reader, or hidden path. A drive that the kernel cannot use counts."""
    name = folder.name
    if LAYER.match(name) or MEMORY.match(name) or FIRMWARE.fullmatch(name) or text(folder / "hidden") == "1":
        return False
    if name.startswith("loop"):
        behind = text(folder / "loop/backing_file")
        if behind is None or OURS.match(behind):
            return False
    if OPTICAL.match(name) is not None:
        return True
    size = text(folder / "size")
    # The kernel cannot use hardware without removable media that has no size.
    is_fixed = text(folder / "removable") == "0" and (folder / "device").exists()
    return size is not None and (size != "0" or is_fixed)


def _order(name: str) -> tuple[bool, list[tuple[int, str]]]:
    """Sort loop devices after drives, and loop2 before loop10."""
    return name.startswith("loop"), [
        (int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)
    ]


def whole_number(text: str | None) -> int | None:
    """Parse a whole number, or return None."""
    return int(text.strip()) if text is not None and re.fullmatch(r"-?[0-9]{1,20}", text.strip()) else None


def bytes_at(sysfs: Mapping[str, str], name: str) -> int | None:
    """Return a sysfs count of 512-byte units in bytes."""
    units = whole_number(sysfs.get(name))
    return None if units is None else units * KERNEL_SECTOR_BYTES


def geometry_of(sysfs: Mapping[str, str]) -> Geometry | None:
    """Return the block sizes, or None if the kernel does not report them."""
    logical = whole_number(sysfs.get("queue/logical_block_size"))
    physical = whole_number(sysfs.get("queue/physical_block_size")) or logical
    if not logical or not physical:
        return None
    return Geometry(
        logical_block_bytes=logical,
        physical_block_bytes=physical,
        alignment_offset_bytes=whole_number(sysfs.get("alignment_offset")) or 0,
        minimum_io_bytes=whole_number(sysfs.get("queue/minimum_io_size")) or 0,
        optimal_io_bytes=whole_number(sysfs.get("queue/optimal_io_size")) or 0,
    )


UDEV = SYS.parent / "run/udev/data"
ATTACHED_ATTRIBUTES = ("dev", "serial", "wwid", "device/serial", "device/wwid", "loop/backing_file")
PROPERTIES = ("ID_SCSI_SERIAL", "ID_SERIAL_SHORT", "ID_WWN", "ID_WWN_WITH_EXTENSION")
CONTENTS = (
    *("ID_FS_TYPE", "ID_FS_USAGE", "ID_FS_UUID", "ID_FS_UUID_SUB"),
    *("ID_PART_TABLE_TYPE", "ID_PART_TABLE_UUID", "ID_PART_ENTRY_UUID"),
)
"""Properties that identify contents (udev-builtin-blkid)."""


def attached_drives() -> tuple[facts.RawDrive, ...]:
    """Return every whole drive with only the serial number, WWN and UUIDs, from sysfs and udev. Skips optical
    drives: a disk can present one with the same serial number."""
    drives = []
    for name in filterfalse(OPTICAL.match, drive_names()):
        folder = SYS / "block" / name
        parts = {
            part: facts.RawPartition(*found)
            for part in partition_names(folder)
            if (found := _identifying(folder / part, ("dev", "partition", "start", "size")))[1]
        }
        (texts, udev), pages = _identifying(folder, ATTACHED_ATTRIBUTES), vital_pages(folder, ("80",))
        if len(texts) > 1 or pages or udev or parts:
            drives.append(
                facts.RawDrive(name, node_of(name), sysfs=texts, vpd=pages, udev=udev, partitions=parts)
            )
    return tuple(drives)


def _identifying(folder: Path, names: tuple[str, ...]) -> tuple[dict[str, str], dict[str, str]]:
    texts, udev = known_facts(folder, names)
    return texts, {key: value for key, value in udev.items() if key in PROPERTIES + CONTENTS}


def known_facts(folder: Path, names: tuple[str, ...]) -> tuple[dict[str, str], dict[str, str]]:
    """Return a device's readable attributes, and the `ID_` properties in udev's database, which has a file
    per device number (systemd-udevd). Needs no root and does not touch the device."""
    texts = attributes(folder, names)
    lines = (text(UDEV / f"b{texts['dev']}") or "").split("\n") if texts.get("dev") else ()
    pairs = (line.removeprefix("E:").partition("=") for line in lines if line.startswith("E:ID_"))
    return texts, {key: value for key, _, value in pairs}
