"""Tables, names and options of a volume striped across drives. Pure; for planning and validation.

The arithmetic follows mke2fs(8) and mkfs.xfs(8). For ext4, stride is the chunk in blocks, and stripe width is
that of all data disks. For XFS, su is the chunk and sw the number of data disks. RAID0 has no parity, so
every drive is a data disk.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from wizard.filesystems.kind import LINUX_GPT_TYPE, LINUX_LVM_TYPE, LINUX_RAID_TYPE
from wizard.filesystems.registry import MADE
from wizard.model.errors import partition_path
from wizard.model.geometry import Geometry, Identity
from wizard.model.machine import Extent, Striping
from wizard.model.operations import Level, MakeArray, MakeStripedVolume, MakeVolumeGroup
from wizard.model.plan import Layout, Operation, Plan, Stripe, Volume, WipeSignatures, WriteTable
from wizard.model.said import KIB, MIB, Message, format_duration, join, t
from wizard.plan.free_space import aligned_spaces, gpt_bounds
from wizard.plan.steps.commands import array_uuid
from wizard.plan.steps.operations import layout_after, make, mounted, table_after

FILESYSTEMS = {"md": ("ext4", "xfs"), "lvm": ("ext4", "xfs"), "btrfs": ("btrfs",)}
"""What is made on each kind of stripe. Btrfs stripes by itself, and keeps two copies of its own records where
it knows of two drives."""

MIRRORS = ("md", "btrfs")
"""The kinds that keep copies, too."""

TYPES = {"md": LINUX_RAID_TYPE, "lvm": LINUX_LVM_TYPE, "btrfs": LINUX_GPT_TYPE}
MEMBER_KINDS = {"md": "linux_raid_member", "lvm": "LVM2_member"}
"""What libblkid recognises a drive's partition as."""

USUAL_CHUNK_BYTES = 512 * KIB
"""mdadm's own since 2010 (mdadm(8), --chunk)."""
LEAST_CHUNK_BYTES, MOST_CHUNK_BYTES = 16 * KIB, MIB
"""Below, a drive hardly ever gets more than one block of a file; above, partitions and LVM's data would have
to begin further in."""
BTRFS_CHUNK_BYTES = 64 * KIB
"""What Btrfs writes to one drive at a stretch; it cannot be chosen (fs/btrfs/volumes.h, BTRFS_STRIPE_LEN)."""
METADATA = ("raid1", "raid0")
"""How Btrfs may keep its own records; the first unless told otherwise."""
HIGHEST_ARRAY = 127
"""md arrays without a number of their own get the highest that is free, from this one downwards
(mdadm(8))."""
MOST_DRIVES = 16
EXT4_BLOCK_BYTES = 4096
NUMBER = 1
"""The number of the one partition on each drive."""

_LVMS_OWN = re.compile(
    r"^(snapshot|pvmove)|_([ctv]data|[cirt]meta|[ciow]*orig|vorigin|cpool|cvol|mimage|mlog|pmspare|rimage|"
    r"tpool)"
)
_ARRAY = re.compile(r"/dev/md(0|[1-9]\d{0,3})")


def striping_of(stripe: Stripe, count: int) -> Striping:
    """What the array and the filesystem on it are to say of themselves; none of it holds for a mirror."""
    chunk = stripe.chunk_bytes or BTRFS_CHUNK_BYTES
    return Striping(chunk, chunk * count)


def room_bytes(kind: str, level: Level, parts: Sequence[int]) -> int:
    """The room for files of partitions or drives of these sizes together, of which a mirror takes as much as
    the smallest has: once for md, half of all for Btrfs, which keeps two copies.
    """
    if level == "raid0":
        return sum(parts)
    least = min(parts, default=0)
    return least if kind == "md" else least * len(parts) // 2


def copies(stripe: Stripe, count: int) -> int:
    """On how many drives every byte lies: on all of an md mirror, on two of a Btrfs."""
    return 1 if not stripe.mirrors else count if stripe.kind == "md" else 2


def chunk_fault(chunk_bytes: int) -> Message | None:
    """Why the chunk cannot be, as the end of a sentence, or None."""
    if chunk_bytes & (chunk_bytes - 1) or not LEAST_CHUNK_BYTES <= chunk_bytes <= MOST_CHUNK_BYTES:
        return t(
            "is not a power of two from {least}K to {most}K",
            least=LEAST_CHUNK_BYTES // KIB,
            most=MOST_CHUNK_BYTES // KIB,
        )
    return None


def layer_name(label: str) -> str:
    """A name for an array or a logical volume, after the label of what it holds: letters, digits and
    underscores only.

    What LVM keeps for itself (lvm(8), VALID NAMES) it is not: those words begin with an underscore, or the
    name.
    """
    name = re.sub(r"[^A-Za-z0-9_]", "_", label)[:20]
    return f"v{name.replace('_', '')}"[:20] if _LVMS_OWN.search(name) else name


def group_name(label: str, first_uuid: str) -> str:
    """A volume group's name that no other group has: it ends as the first physical volume's UUID begins."""
    return f"{layer_name(label)}_{first_uuid[:8]}"


def volume_node(label: str, first_uuid: str) -> str:
    """The node of the logical volume in that group. Its names hold no hyphen, which the device mapper would
    double."""
    return f"/dev/mapper/{group_name(label, first_uuid)}-{layer_name(label)}"


def is_array_node(path: str) -> bool:
    """Whether `path` is the node of an md array, by its number."""
    return bool(_ARRAY.fullmatch(path))


def striped_words(filesystem: str, words: Sequence[str], stripe: Stripe, count: int) -> tuple[str, ...]:
    """The words for mkfs with those for this stripe in them; doing it again changes nothing. ValueError for a
    block size with a letter."""
    pairs = _pairs(filesystem, words)
    if stripe.mirrors:
        return _mirrored_words(filesystem, pairs)
    striping = striping_of(stripe, count)
    if filesystem == "ext4":
        blocks = [int(value) for flag, value in pairs if flag == "-b"]
        block = blocks[-1] if blocks else EXT4_BLOCK_BYTES
        named = [] if blocks else [("-b", str(block))]
        geometry = f"stride={striping.unit_bytes // block},stripe_width={striping.width_bytes // block}"
        # mke2fs takes the last -E only, so there must be but one.
        return _words([*_without(pairs, "-E"), *named, ("-E", _joined(pairs, "-E", geometry))])
    if filesystem == "xfs":
        geometry = f"su={striping.unit_bytes // KIB}k,sw={count}"
        return _words([*_without(pairs, "-d"), ("-d", _joined(pairs, "-d", geometry))])
    return _words(
        [*_without(pairs, "-d", "-m", "--data", "--metadata"), ("-d", "raid0"), ("-m", stripe.metadata)]
    )


def _mirrored_words(filesystem: str, pairs: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """A mirror has no stripe to fit: what says one is left out. Btrfs keeps two copies of files and of its
    own records."""
    if filesystem == "btrfs":
        return _words(
            [*_without(pairs, "-d", "-m", "--data", "--metadata"), ("-d", "raid1"), ("-m", "raid1")]
        )
    flag = {"ext4": "-E", "xfs": "-d"}[filesystem]
    rest = _joined(pairs, flag)
    return _words([*_without(pairs, flag), *([(flag, rest)] if rest else [])])


def _pairs(filesystem: str, words: Sequence[str]) -> list[tuple[str, str]]:
    """Flags with their values, empty for those that take none or hold it behind an equals sign."""
    found, rest = [], list(words)
    while rest:
        flag = rest.pop(0)
        bare = flag in MADE[filesystem].bare_flags or (flag.startswith("--") and "=" in flag)
        found.append((flag, "" if bare or not rest else rest.pop(0)))
    return found


def _words(pairs: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    return tuple(word for pair in pairs for word in pair if word)


def _without(pairs: Sequence[tuple[str, str]], *flags: str) -> list[tuple[str, str]]:
    return [(flag, value) for flag, value in pairs if flag.partition("=")[0] not in flags]


_OF_STRIPES = ("stride", "stripe_width", "stripe-width", "su", "sw", "sunit", "swidth")
"""What mke2fs's -E and mkfs.xfs's -d say of an array."""


def _joined(pairs: Sequence[tuple[str, str]], wanted: str, *geometry: str) -> str:
    """All values of a flag as one, without those of a stripe, and the geometry behind them."""
    values = [part for flag, value in pairs if flag == wanted for part in value.split(",")]
    return ",".join([*(part for part in values if part.partition("=")[0] not in _OF_STRIPES), *geometry])


def striped_extents(drives: Sequence[Identity]) -> tuple[Extent, ...]:
    """A partition for each drive, aligned, all of one size: as large as the drive with the least room allows,
    in whole MiB.

    Empty where a drive has no room at all.
    """
    spaces = [
        aligned_spaces([gpt_bounds(drive.size_bytes, drive.geometry)], drive.geometry) for drive in drives
    ]
    if not all(spaces):
        return ()
    size = min(space[0].size_bytes for space in spaces) // MIB * MIB
    return tuple(Extent(space[0].start_bytes, size) for space in spaces) if size else ()


def striped_table(
    drive: Identity, before: Layout, extent: Extent, stripe: Stripe, volume: Volume
) -> WriteTable:
    """The new table of one drive: one partition, of the type that says what it is a part of."""
    return table_after(drive.path, before, True, [volume], [extent], TYPES[stripe.kind])


def striped_after(drive: Identity, table: WriteTable, stripe: Stripe, volume: Volume) -> Layout:
    """What one drive holds when all is done."""
    bounds = gpt_bounds(drive.size_bytes, drive.geometry)
    if stripe.kind == "btrfs":
        return layout_after(Layout("none", ()), table, [volume], bounds)
    part = replace(volume, filesystem=MEMBER_KINDS[stripe.kind], label="", uuid="", mount_point=None)
    plain = layout_after(Layout("none", ()), table, [part], bounds)
    slots = tuple(replace(slot, label=slot.label or None, uuid=slot.uuid or None) for slot in plain.slots)
    return Layout(plain.table, slots)


def parts_of(drives: Sequence[Identity]) -> tuple[str, ...]:
    """The nodes of the partitions that the volume is striped over."""
    return tuple(partition_path(drive.path, NUMBER) for drive in drives)


def striped_path(drives: Sequence[Identity], stripe: Stripe) -> str:
    """The node that is formatted and mounted."""
    return stripe.device or parts_of(drives)[0]


def striped_operations(
    drives: Sequence[Identity],
    wipes: Sequence[WipeSignatures],
    tables: Sequence[WriteTable],
    stripe: Stripe,
    volume: Volume,
) -> tuple[Operation, ...]:
    """Everything in order: old marks off every drive, the tables, marks off the new partitions, the array,
    the filesystem and its mount.

    All tables stand before the first part of an array is made, so that a failure until then leaves nothing in
    use.
    """
    parts = parts_of(drives)
    others = parts[1:] if stripe.kind == "btrfs" else ()
    options = volume.mkfs_options
    if stripe.kind == "md":
        holding = 1 if stripe.mirrors else len(drives)
        array = Extent(0, holding * min(drive.size_bytes for drive in drives))
        options = MADE[volume.filesystem].for_place(_stacked(drives), array, options)
    made = replace(
        make(volume, options),
        others=others,
        striping=None if stripe.kind == "btrfs" or stripe.mirrors else striping_of(stripe, len(parts)),
        mirrored=stripe.kind == "md" and stripe.mirrors,
    )
    old: list[Operation] = [*wipes, *tables, *(WipeSignatures(part, ()) for part in parts)]
    return (*old, *_array_operations(stripe, volume, parts), made, *mounted(volume, others))


def _stacked(drives: Sequence[Identity]) -> Geometry:
    """What the kernel says of blocks on an md array of these drives (block/blk-settings.c, blk_stack_limits):
    one of stand-ins hides that. What is said of its stripe stands among the options already."""
    logical = max(drive.geometry.logical_block_bytes for drive in drives)
    physical = max(drive.geometry.physical_block_bytes for drive in drives)
    return Geometry(logical, physical, 0, physical, 0)


def _array_operations(stripe: Stripe, volume: Volume, parts: tuple[str, ...]) -> tuple[Operation, ...]:
    match stripe.kind:
        case "md":
            return (
                MakeArray(
                    stripe.device, stripe.name, stripe.uuids[0], stripe.chunk_bytes, parts, level=stripe.level
                ),
            )
        case "lvm":
            group = MakeVolumeGroup(stripe.name, parts, stripe.uuids)
            striped = MakeStripedVolume(
                stripe.device, stripe.name, layer_name(volume.label), len(parts), stripe.chunk_bytes
            )
            return (group, striped)
        case "btrfs":
            return ()


COPYING_BYTES_PER_SECOND = 200_000 * 1024
"""What md allows itself for the first copying of an array that is not used meanwhile (md(4),
speed_limit_max), unless it was set."""


def mirror_note(plan: Plan) -> str | None:
    """What a mirror protects from and what not, and what it costs; None for a plan without one."""
    stripe = plan.stripe
    if stripe is None or not stripe.mirrors:
        return None
    count = len(plan.members)
    one = stripe.kind == "btrfs" or count == 2
    lost = t("one drive") if one else t("{lost} of {drives} drives", lost=count - 1, drives=count)
    raw = sum(slot.size_bytes for member in plan.members for slot in member.after.partitions)
    return str(
        t(
            "A mirror survives the loss of {lost}, but is not a backup. Deleted, "
            "overwritten or damaged data changes on every copy immediately. About "
            "{files:size} of {raw:size} is available for files.",
            lost=lost,
            raw=raw,
            files=together_bytes(plan),
        )
    )


def together_bytes(plan: Plan) -> int:
    """The room for files that the drives of a striped or mirrored plan have together; 0 for another plan."""
    if plan.stripe is None:
        return 0
    parts = [slot.size_bytes for member in plan.members for slot in member.after.partitions]
    return room_bytes(plan.stripe.kind, plan.stripe.level, parts)


def copying_seconds(operation: MakeArray, part_bytes: int) -> float:
    """How long md's first copying takes at least, behind everything else; 0 for an array without copies."""
    return part_bytes / COPYING_BYTES_PER_SECOND if operation.level == "raid1" else 0.0


def mirror_sentence(operation: MakeArray, part_bytes: int) -> str:
    """The step that makes it, of partitions of `part_bytes` each."""
    mirror = t(
        "Create the mirror (RAID1) {device} named {name} from {parts:and}",
        parts=operation.parts,
        device=operation.device,
        name=operation.name,
    )
    copying = t(
        "As soon as the mirror is in use, md copies all of {first} to the others", first=operation.parts[0]
    )
    time = t(
        "at least {least} at md's limit of 200 MB/s, longer on slower drives",
        least=format_duration(copying_seconds(operation, part_bytes)),
    )
    said = (
        t(
            "{mirror}, with a write-intent bitmap, so that only recent writes are compared after a crash.",
            mirror=mirror,
        ),
        t(
            "{copying}: {time}. On a scratch copy (--assume-clean), md copies no data.",
            copying=copying,
            time=time,
        ),
        t("The volume is usable during the copy, but survives a failed drive only afterwards."),
    )
    return str(join(*said))


def mirror_holds(operation: MakeArray) -> tuple[Message, ...]:
    """What is checked after that step. That the copies are equal is not: copying goes on."""
    device, uuid = operation.device, array_uuid(operation.uuid)
    found = t(
        "mdadm reports on {device} and each part a RAID1 of {parts} with UUID {uuid}",
        device=device,
        parts=len(operation.parts),
        uuid=uuid,
    )
    return (
        t("{found} and a bitmap, with data aligned on every drive.", found=found),
        t("The kernel reports {device} as unstriped and aligned on every drive.", device=device),
    )


def mirror_lost(operation: MakeArray) -> str:
    """What the copying destroys, before what lay there is named."""
    return str(
        t(
            "Everything on {parts:list}, overwritten from the first byte to the last.",
            parts=operation.parts[1:],
        )
    )
