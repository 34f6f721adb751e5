"""Read what the kernel passes on by ioctl: NVMe Identify data (LBA formats of a namespace, and the scope of a
Format), and the zones of a drive. Read-only: no zone changes state.

Sources: NVM Express Base Specification 2.0, Identify (opcode 06h) and Identify Controller; NVM Command Set
Specification 1.0, Identify Namespace; Linux include/uapi/linux/nvme_ioctl.h and blkzoned.h (BLKREPORTZONE).
"""

import ctypes
import fcntl
import re
import struct
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

from wizard.model.drive_facts import NvmeFormat, Zones
from wizard.model.machine import Program
from wizard.model.said import KERNEL_SECTOR_BYTES, t
from wizard.probe.facts import RawDrive, RawMachine, RawZones, Unreadable, opened
from wizard.probe.host.sysfs import bytes_at, whole_number

NVME_IOCTL_ID = 0x4E40
NVME_IOCTL_ADMIN_CMD = 0xC0484E41
IDENTIFY = 0x06
OF_NAMESPACE, OF_CONTROLLER = 0, 1
"""Values of CNS in command dword 10: the structure that Identify returns."""

IDENTIFY_BYTES = 4096
NAMESPACE_BYTES = 384
"""Up to the end of the 64 formats. Vendor-specific bytes follow."""
CONTROLLER_BYTES = 544
"""Through the fields about formatting."""
PATIENCE_MS = 3000

FORMATS_AT, FORMAT = 128, struct.Struct("<HBB")
"""Start of the formats; bytes of metadata, exponent of the block size, and relative performance of each."""
LEAST_EXPONENT, GREATEST_EXPONENT = 9, 16
"""Block sizes as exponents: 512 bytes to 64 KiB. The drive reports 0 for an unavailable format."""
FORMAT_COMMAND = 1 << 1
"""Format NVM, in the optional admin commands (controller bytes 257:256)."""
EVERY_NAMESPACE = 1 << 0
"""In the attributes of Format NVM (controller byte 524): a format affects all namespaces."""


COMMAND = struct.Struct("=B3xI16xQ4xII20xI4x")
"""The kernel's struct nvme_passthru_cmd: opcode, namespace, address and length of the data, command dword 10
and time limit in milliseconds."""


def identify(path: str) -> dict[str, bytes]:
    """Return the Identify data of namespace and controller. Raises OSError."""
    with opened(path) as descriptor:
        number = fcntl.ioctl(descriptor, NVME_IOCTL_ID)
        return {
            "namespace": _identify(descriptor, OF_NAMESPACE, number)[:NAMESPACE_BYTES],
            "controller": _identify(descriptor, OF_CONTROLLER, 0)[:CONTROLLER_BYTES],
        }


def _identify(descriptor: int, wanted: int, namespace: int) -> bytes:
    buffer = ctypes.create_string_buffer(IDENTIFY_BYTES)
    address = ctypes.addressof(buffer)
    command = bytearray(COMMAND.pack(IDENTIFY, namespace, address, IDENTIFY_BYTES, wanted, PATIENCE_MS))
    status = fcntl.ioctl(descriptor, NVME_IOCTL_ADMIN_CMD, command)
    if status:
        raise Unreadable(t("The drive answered Identify with NVMe status {status}.", status=f"{status:#x}"))
    return buffer.raw


def formats_of(raw: RawDrive) -> tuple[NvmeFormat, ...]:
    """Return the LBA formats of the namespace in order. Empty if unread or invalid."""
    data = raw.nvme.get("namespace", b"")
    if len(data) < NAMESPACE_BYTES:
        return ()
    count = min(data[25] + 1, (NAMESPACE_BYTES - FORMATS_AT) // FORMAT.size)
    # With more than 16 formats, bits 6:5 are the upper bits of the number.
    used = data[26] & 0xF | ((data[26] >> 5 & 3) << 4 if count > 16 else 0)
    formats = FORMAT.iter_unpack(data[FORMATS_AT : FORMATS_AT + count * FORMAT.size])
    return tuple(
        NvmeFormat(number, 1 << exponent, metadata, rating & 3, in_use=number == used)
        for number, (metadata, exponent, rating) in enumerate(formats)
        if LEAST_EXPONENT <= exponent <= GREATEST_EXPONENT
    )


def format_scope_of(raw: RawDrive) -> str | None:
    """Return the scope of a Format: `namespace`, `all` of the controller, or `none`."""
    data = raw.nvme.get("controller", b"")
    if len(data) < CONTROLLER_BYTES:
        return None
    if not int.from_bytes(data[256:258], "little") & FORMAT_COMMAND:
        return "none"
    return "all" if data[524] & EVERY_NAMESPACE else "namespace"


BLKREPORTZONE = 0xC0101282
HAS_CAPACITY = 1
HEAD = struct.Struct("=QII")
"""First sector; number of zones, requested and returned; flags."""

ZONE = struct.Struct("=QQQBBBB4xQ24x")
"""Start, length and write pointer in 512-byte sectors; type, condition, non-sequential, reset recommended;
capacity."""

FULL = 14
POINTED = range(2, 5)
"""Zone conditions: full; open or closed, with a write pointer."""

ASKED_AT_ONCE = 4096

Zone = tuple[int, int, int]
"""Type, size and capacity in bytes."""


def read_zones(path: str) -> list[RawZones]:
    """Return the runs of equal zones. Raises OSError."""
    runs = []
    with opened(path) as descriptor:
        for (kind, size, capacity), equal in groupby(_reported(descriptor), itemgetter(0)):
            written = [flag for _, flag in equal]
            runs.append(RawZones(len(written), kind, size, capacity, sum(written)))
    return runs


def _reported(descriptor: int) -> Iterator[tuple[Zone, bool]]:
    """Yield each zone, and True if it was written."""
    sector = 0
    while True:
        buffer = bytearray(HEAD.size + ASKED_AT_ONCE * ZONE.size)
        HEAD.pack_into(buffer, 0, sector, ASKED_AT_ONCE, 0)
        fcntl.ioctl(descriptor, BLKREPORTZONE, buffer)
        _, returned, flags = HEAD.unpack_from(buffer)
        if not 0 < returned <= ASKED_AT_ONCE:
            return
        for index in range(returned):
            start, length, pointer, kind, condition, _, _, capacity = ZONE.unpack_from(
                buffer, HEAD.size + index * ZONE.size
            )
            if length <= 0 or start + length <= sector:
                return
            sector = start + length
            usable = capacity if flags & HAS_CAPACITY else length
            yield (
                (kind, length * KERNEL_SECTOR_BYTES, usable * KERNEL_SECTOR_BYTES),
                condition == FULL or (condition in POINTED and pointer > start),
            )


CONVENTIONAL = 1
SEQUENTIAL_PREFERRED = 3
"""Zone types in linux/blkzoned.h. Type 2 is sequential write required."""

OPTION = re.compile(r"(?m)^CONFIG_(\w+)=[ym]$|^# CONFIG_(\w+) is not set$")
"""An option in the kernel's configuration, built or left out."""

_VERSION = re.compile(r"(\d{1,3})\.(\d{1,3})")
_FEATURE = re.compile(r"(?m)^([a-z][\w-]*) +- ")
_DEFAULTS = re.compile(r"(?m)^\s*ext4 = \{\s*features = (\S+)")
"""The features of ext4 in mke2fs.conf."""


def zones_of(raw: RawDrive) -> Zones | None:
    """Return the zones of a zoned drive, None for others."""
    texts = raw.sysfs
    if texts.get("queue/zoned", "none") == "none":
        return None
    runs, devices = raw.zones, whole_number(texts.get("ext_range"))
    # The kernel allows no partitions on host-managed drives (block/partitions/core.c). For others, ext_range
    # is the number of block devices per disk. 1 means the disk only, which some kernels before 6.8 report
    # for host-aware drives too.
    takes_partitions = None if devices is None else devices > 1
    return Zones(
        size_bytes=bytes_at(texts, "queue/chunk_sectors") or None,
        count=whole_number(texts.get("queue/nr_zones")),
        conventional=sum(run.count for run in runs if run.type in (CONVENTIONAL, SEQUENTIAL_PREFERRED))
        if runs
        else None,
        capacity_bytes=min((run.capacity_bytes for run in runs), default=None),
        written=sum(run.written for run in runs) if runs else None,
        most_open=whole_number(texts.get("queue/max_open_zones")),
        most_active=whole_number(texts.get("queue/max_active_zones")),
        takes_partitions=texts.get("queue/zoned") != "host-managed" and takes_partitions,
    )


def programs_of(raw: RawMachine) -> tuple[Program, ...]:
    """Parse the recorded output of tools: versions and features."""
    texts: dict[str, list[str]] = {}
    for command, said in raw.said.items():
        texts.setdefault(command.split(" ")[0], []).append(said)
    programs = []
    for name, parts in texts.items():
        text = "\n".join(parts)
        lines = (line for line in text.split("\n") if name in line or "version" in line.lower())
        version = next(filter(None, map(_VERSION.search, lines)), None)
        features = frozenset(_FEATURE.findall(text))
        defaults = frozenset(one for line in _DEFAULTS.findall(text) for one in line.split(","))
        number = (int(version[1]), int(version[2])) if version else (0, 0)
        programs.append(Program(name, number, features, defaults))
    return tuple(programs)
