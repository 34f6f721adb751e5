"""Synthetic machines for unit tests: plain drives of each geometry, with fields changed by keyword."""

# ruff: noqa: ANN401 - the builders hand keywords of every type on to dataclasses.replace

from typing import Any

from msgspec.structs import replace

from wizard.model.drive_facts import Discard
from wizard.model.errors import partition_path
from wizard.model.geometry import Geometry
from wizard.model.machine import Drive, Extent, Kernel, Machine, Obstacle, Partition, Signature, Table, Unread
from wizard.model.said import GIB, KIB, MIB
from wizard.probe.facts import AS_RECORDED

N512 = Geometry(512, 512, 0, 512, 0)
"""512n, or a drive that lies."""

E512 = Geometry(512, 4096, 0, 4096, 0)
"""512e."""

KN4 = Geometry(4096, 4096, 0, 4096, 0)
"""4Kn."""

ALL_GEOMETRIES = (N512, E512, KN4)

SIZE_BYTES = 500 * 1000 * 1000 * 1000 // MIB * MIB
"""Of a drive that a test does not care about: 500 GB, a whole number of MiB."""

TOOLS = ("blkid", "mkfs.btrfs", "mkfs.ext4", "mkfs.xfs", "mount", "parted", "partx", "smartctl", "wipefs")

WORKLOADS = (
    "archive-backup",
    "database",
    "desktop-root",
    "large-media",
    "mail",
    "nas",
    "portable",
    "small-files",
    "ssd-general",
    "vm-images",
    "web-cache",
)
"""Those that come with the program."""


def unread(
    what: str, why: str, *, obstacle: Obstacle = Obstacle.FAILED, without_root: bool = False
) -> Unread:
    """Return an unreadable fact with a reason."""
    return Unread(what, AS_RECORDED(text=why), without_root, obstacle)


def drive(**changes: Any) -> Drive:
    """Return an empty, unused, conventional 512e SATA hard disk `/dev/sda`, with any fields changed.

    `free` defaults to the whole drive if the drive is empty.
    """
    plain = Drive(
        path="/dev/sda",
        size_bytes=SIZE_BYTES,
        geometry=E512,
        by_id=("/dev/disk/by-id/ata-Example_HDD_500_S1",),
        model="Example HDD 500",
        vendor="ATA",
        revision="1.0",
        serial="S1",
        wwn="naa.5000000000000001",
        bus="sata",
        rotational=True,
        kernel_rotational=True,
        removable=False,
        read_only=False,
        zoned="none",
        discard=Discard(0, 0),
        scheduler="mq-deadline",
        schedulers=("none", "mq-deadline", "bfq"),
        diskseq=1,
        table=Table("none"),
        content_digest="0" * 64,
    )
    changed = replace(plain, **changes)
    if "free" not in changes and not changed.partitions and changed.size_bytes and changed.table is not None:
        changed = replace(
            changed,
            free=(Extent(0, changed.size_bytes),) if changed.table.kind == "none" else _within(changed),
        )
    return changed


def _within(of: Drive) -> tuple[Extent, ...]:
    """Return the usable part of a drive with a table and no partition."""
    assert of.table is not None
    if of.table.first_usable_bytes is None or of.table.end_usable_bytes is None:
        return ()
    return (Extent(of.table.first_usable_bytes, of.table.end_usable_bytes - of.table.first_usable_bytes),)


def gpt(size_bytes: int = SIZE_BYTES, logical_block_bytes: int = 512, **changes: Any) -> Table:
    """Return a valid GPT of 128 entries: 16 KiB of entries and two blocks at the start, and one block less
    at the end."""
    plain = Table(
        kind="gpt",
        uuid="11111111-2222-3333-4444-555555555555",
        first_usable_bytes=2 * logical_block_bytes + 16 * KIB,
        end_usable_bytes=size_bytes - logical_block_bytes - 16 * KIB,
        primary="ok",
        backup="ok",
    )
    return replace(plain, **changes)


def mbr(size_bytes: int = SIZE_BYTES, logical_block_bytes: int = 512, **changes: Any) -> Table:
    """Return a valid MBR, whose entries reach up to 2^32 blocks."""
    end = min(size_bytes, (1 << 32) * logical_block_bytes)
    plain = Table(kind="mbr", uuid="deadbeef", first_usable_bytes=logical_block_bytes, end_usable_bytes=end)
    return replace(plain, **changes)


def partition(
    number: int = 1, start_bytes: int = MIB, size_bytes: int = GIB, *, of: str = "/dev/sda", **changes: Any
) -> Partition:
    """Return a Linux data partition that the kernel sees as in the table. `filesystem="ext4"` adds that
    signature."""
    filesystem: str | None = changes.pop("filesystem", None)
    plain = Partition(
        path=partition_path(of, number),
        number=number,
        start_bytes=start_bytes,
        size_bytes=size_bytes,
        type="0fc63daf-8483-4772-8e79-3d69d8477de4",
        part_uuid=f"00000000-0000-0000-0000-{number:012d}",
        signatures=(Signature(filesystem, "filesystem"),) if filesystem else (),
        kernel_start_bytes=start_bytes,
        kernel_size_bytes=size_bytes,
    )
    return replace(plain, **changes)


def partitioned(*partitions: Partition, **changes: Any) -> Drive:
    """Return a drive with a GPT and these partitions. `free` defaults to the gaps of at least 1 MiB."""
    bare = drive(**{"partitions": partitions, "table": gpt(), **changes})
    if "free" in changes or bare.table is None:
        return bare
    assert bare.table.first_usable_bytes is not None and bare.table.end_usable_bytes is not None
    position, free = bare.table.first_usable_bytes, []
    for part in sorted(partitions, key=lambda part: part.start_bytes):
        if part.start_bytes - position >= MIB:
            free.append(Extent(position, part.start_bytes - position))
        position = max(position, part.end_bytes)
    if bare.table.end_usable_bytes - position >= MIB:
        free.append(Extent(position, bare.table.end_usable_bytes - position))
    return replace(bare, free=tuple(free))


def machine(*drives: Drive, **changes: Any) -> Machine:
    """Return a machine with kernel 6.12, all tools, ext4, XFS and Btrfs, run as root, with these drives or
    a plain one."""
    plain = Machine(
        kernel=Kernel("6.12.9", frozenset({"ext2", "ext3", "ext4", "xfs", "btrfs", "vfat"})),
        drives=drives or (drive(),),
        tools=tuple((name, f"/usr/sbin/{name}") for name in TOOLS),
        root=True,
        live_medium=False,
        memory_bytes=8 * GIB,
    )
    return replace(plain, **changes)
