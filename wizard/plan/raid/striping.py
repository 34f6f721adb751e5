"""Stripes, mirrors and LVM groups: tables, names, sizes and options. Pure; for planning and validation.

The arithmetic follows mke2fs(8) and mkfs.xfs(8). For ext4, stride is the chunk in blocks, and stripe width is
that of all data disks. For XFS, su is the chunk and sw the number of data disks. RAID0 has no parity, so
every drive is a data disk. A group uses one partition. LVM allocates whole extents, the first at the data
area of the physical volume (pvcreate(8), vgcreate(8)).
"""

import re
from collections import Counter
from collections.abc import Sequence

from msgspec.structs import replace

from wizard.filesystems.registry import MADE
from wizard.model.errors import partition_path
from wizard.model.geometry import Geometry, Identity
from wizard.model.layout import MAPPER, Group, Level, Stripe, Volume
from wizard.model.machine import Drive, Extent, Striping
from wizard.model.said import KIB, MIB, Message, t
from wizard.operations.layers import DATA_BYTES, EXTENT_BYTES
from wizard.plan.free_space import aligned_spaces, fresh_bounds
from wizard.plan.plan import Plan

FILESYSTEMS = {"md": ("ext4", "xfs"), "btrfs": ("btrfs",)}
"""Filesystems for each kind of stripe or mirror. Btrfs stripes by itself, with two copies of metadata on two
or more drives."""

MEMBER_KINDS = {"md": "linux_raid_member", "lvm": "LVM2_member"}
"""libblkid's name of a drive's partition."""

USUAL_CHUNK_BYTES = 512 * KIB
"""Default of mdadm since 2010 (mdadm(8), --chunk)."""
LEAST_CHUNK_BYTES, MOST_CHUNK_BYTES = 16 * KIB, MIB
"""With smaller chunks, small files are spread over many drives. With larger ones, partitions would need
a larger alignment."""
BTRFS_CHUNK_BYTES = 64 * KIB
"""Fixed chunk size of Btrfs (fs/btrfs/volumes.h, BTRFS_STRIPE_LEN)."""
METADATA = ("raid1", "raid0")
"""Metadata profiles of Btrfs, default first."""
HIGHEST_ARRAY = 127
"""Unnumbered md arrays use the highest free number up to this one (mdadm(8))."""
MOST_DRIVES = 16
EXT4_BLOCK_BYTES = 4096
NUMBER = 1
"""Number of the only partition on each drive."""

_LVM_RESERVED = re.compile(
    r"^(snapshot|pvmove)|_([ctv]data|[cirt]meta|[ciow]*orig|vorigin|cpool|cvol|mimage|mlog|pmspare|rimage|"
    r"tpool)"
)
ARRAY_NODE = re.compile(r"/dev/md(0|[1-9]\d{0,3})")


def across(
    drives: Sequence[Identity], asked: Stripe, volume: Volume, device: str, uuids: tuple[str, ...]
) -> tuple[Stripe, Volume]:
    """Return the requested stripe with defaults, and for md with the array's name, node and UUID, and the
    volume with node and options. Idempotent."""
    if asked.kind == "btrfs":
        stripe = Stripe("btrfs", metadata=asked.metadata or METADATA[0], level=asked.level)
    else:
        chunk = 0 if asked.mirrors else asked.chunk_bytes or USUAL_CHUNK_BYTES
        name = layer_name(volume.label)
        stripe = replace(asked, device=device, name=name, chunk_bytes=chunk, uuids=uuids)
    words = striped_words(volume.filesystem, volume.mkfs_options, stripe, len(drives))
    path = stripe.device or parts_of(drives)[0]
    return stripe, replace(volume, partition=NUMBER, path=path, mkfs_options=words)


def listed_twice(drives: Sequence[Drive | Identity]) -> str:
    """Return a path, serial number or WWN that two of the drives have, or an empty string."""
    names = Counter(one for drive in drives for one in dict.fromkeys((drive.path, drive.serial, drive.wwn)))
    return next((name for name, count in names.items() if name and count > 1), "")


def striping_of(stripe: Stripe, count: int) -> Striping:
    """Return the layout that array and filesystem should report. Not for mirrors."""
    chunk = stripe.chunk_bytes or BTRFS_CHUNK_BYTES
    return Striping(chunk, chunk * count)


def room_bytes(kind: str, level: Level, parts: Sequence[int]) -> int:
    """Return the capacity of several partitions or drives. A mirror is limited by the smallest: md stores one
    copy per drive; Btrfs keeps two copies, so half of the total."""
    if level == "raid0":
        return sum(parts)
    least = min(parts, default=0)
    return least if kind == "md" else least * len(parts) // 2


def copies(stripe: Stripe, count: int) -> int:
    """Return the number of copies of all data: one per drive with md, two with Btrfs."""
    return 1 if not stripe.mirrors else count if stripe.kind == "md" else 2


def is_chunk(chunk_bytes: int) -> bool:
    """Return True if the chunk size is allowed: a power of two within the limits."""
    return not chunk_bytes & (chunk_bytes - 1) and LEAST_CHUNK_BYTES <= chunk_bytes <= MOST_CHUNK_BYTES


def layer_name(label: str) -> str:
    """Return a name for an array or logical volume, derived from its label: letters, digits and underscores.

    Avoids names reserved by LVM (lvm(8), VALID NAMES).
    """
    name = re.sub(r"[^A-Za-z0-9_]", "_", label)[:20]
    return f"v{name.replace('_', '')}"[:20] if _LVM_RESERVED.search(name) else name


_STRIPE_KEYS = ("stride", "stripe_width", "stripe-width", "su", "sw", "sunit", "swidth")
"""Stripe settings in -E of mke2fs and -d of mkfs.xfs."""

_OWN_FLAGS = {"ext4": ("-E",), "xfs": ("-d",), "btrfs": ("-d", "-m", "--data", "--metadata")}


def striped_words(filesystem: str, words: Sequence[str], stripe: Stripe, count: int) -> tuple[str, ...]:
    """Return mkfs arguments adapted to the stripe. Idempotent."""
    pairs, kept = _pairs(filesystem, words), list[tuple[str, str]]()
    settings = list[str]()
    for flag, value in pairs:
        if flag.partition("=")[0] not in _OWN_FLAGS[filesystem]:
            kept.append((flag, value))
        else:
            settings += (part for part in value.split(",") if part.partition("=")[0] not in _STRIPE_KEYS)
    striping = striping_of(stripe, count)
    if filesystem == "btrfs":
        # Btrfs keeps two copies of data and metadata in a mirror.
        kept += [("-d", stripe.level), ("-m", "raid1" if stripe.mirrors else stripe.metadata)]
        settings = []
    elif filesystem == "ext4" and not stripe.mirrors:
        blocks = [int(value) for flag, value in pairs if flag == "-b"]
        block = blocks[-1] if blocks else EXT4_BLOCK_BYTES
        kept += [] if blocks else [("-b", str(block))]
        settings.append(f"stride={striping.unit_bytes // block},stripe_width={striping.width_bytes // block}")
    elif not stripe.mirrors:
        settings.append(f"su={striping.unit_bytes // KIB}k,sw={count}")
    if merged := ",".join(settings):
        # mke2fs only uses the last -E.
        kept.append((_OWN_FLAGS[filesystem][0], merged))
    return tuple(word for pair in kept for word in pair if word)


def _pairs(filesystem: str, words: Sequence[str]) -> list[tuple[str, str]]:
    """Split arguments into flags and values. The value is empty for flags without one or with an equals
    sign."""
    found, rest = [], list(words)
    while rest:
        flag = rest.pop(0)
        bare = flag in MADE[filesystem].bare_flags or (flag.startswith("--") and "=" in flag)
        found.append((flag, "" if bare or not rest else rest.pop(0)))
    return found


def striped_extents(drives: Sequence[Identity]) -> tuple[Extent, ...]:
    """Return an aligned partition for each drive, all of the same size in whole MiB, limited by the smallest
    drive.

    Empty if a drive has no space.
    """
    spaces = [
        aligned_spaces([fresh_bounds("gpt", drive.size_bytes, drive.geometry)], drive.geometry)
        for drive in drives
    ]
    if not all(spaces):
        return ()
    size = min(space[0].size_bytes for space in spaces) // MIB * MIB
    return tuple(Extent(space[0].start_bytes, size) for space in spaces) if size else ()


def parts_of(drives: Sequence[Identity]) -> tuple[str, ...]:
    """Return the nodes of the partitions in the array."""
    return tuple(partition_path(drive.path, NUMBER) for drive in drives)


def stacked(drives: Sequence[Identity]) -> Geometry:
    """Return the block sizes that the kernel reports for an md array of these drives (block/blk-settings.c,
    blk_stack_limits), which scratch copies hide. Stripe settings are already in the options."""
    logical = max(drive.geometry.logical_block_bytes for drive in drives)
    physical = max(drive.geometry.physical_block_bytes for drive in drives)
    return Geometry(logical, physical, 0, physical, 0)


def mirror_note(plan: Plan) -> Message | None:
    """Describe what a mirror protects against and costs, or return None for other plans."""
    stripe = plan.stripe
    if stripe is None or not stripe.mirrors:
        return None
    count = len(plan.members)
    raw = sum(slot.size_bytes for member in plan.members for slot in member.after.partitions)
    return t(
        "A mirror survives the loss of {lost} of {drives} drives, but is not a backup. Deleted, "
        "overwritten or damaged data changes on every copy immediately. About "
        "{files:size} of {raw:size} is available for files.",
        lost=1 if stripe.kind == "btrfs" else count - 1,
        drives=count,
        raw=raw,
        files=volume_sizes(plan)[0],
    )


def volume_sizes(plan: Plan | None) -> dict[int, int]:
    """Return the planned size of each volume, by index."""
    if plan is None:
        return {}
    if plan.stripe is not None:
        parts = [slot.size_bytes for member in plan.members for slot in member.after.partitions]
        return {0: room_bytes(plan.stripe.kind, plan.stripe.level, parts)}
    if plan.group is not None:
        return dict(enumerate(one.size_bytes for one in plan.logical_volumes))
    slots = (plan.after.whole or plan.after.partition(volume.partition) for volume in plan.volumes)
    return {index: slot.size_bytes for index, slot in enumerate(slots) if slot}


def group_room_bytes(partition_bytes: int) -> int:
    """Return the capacity of a group on a partition of this size: whole extents after LVM's metadata."""
    return max(0, partition_bytes - DATA_BYTES) // EXTENT_BYTES * EXTENT_BYTES


def logical_names(labels: Sequence[str]) -> tuple[str, ...]:
    """Return a name in the group for each volume, from the label, numbered if already in use."""
    names: list[str] = []
    for label in labels:
        stem, name, number = layer_name(label), layer_name(label), 2
        while name in names:
            name, number = f"{stem[:17]}_{number}", number + 1
        names.append(name)
    return tuple(names)


LVM_PROGRAMS = ("pvcreate", "vgcreate", "lvcreate", "lvs")
"""Tools required for a volume group."""


def in_group(drive_path: str, volumes: Sequence[Volume], uuid: str) -> tuple[Group, tuple[Volume, ...]]:
    """Return the group on the shared partition, named after the first volume and the UUID of the physical
    volume, and the volumes with their nodes in the group."""
    first, names = volumes[0], logical_names([volume.label for volume in volumes])
    device = partition_path(drive_path, first.partition)
    group = Group(device, f"{layer_name(first.label)}_{uuid[:8]}", uuid)
    # The names contain no hyphens, which device mapper would double.
    nodes = (f"{MAPPER}{group.name}-{name}" for name in names)
    return group, tuple(replace(volume, path=node) for volume, node in zip(volumes, nodes, strict=True))
