"""ext2, ext3 and ext4: mke2fs(8), e2fsck(8), dumpe2fs(8), ext4(5)."""

import re

from msgspec.structs import replace

from wizard.filesystems import kind
from wizard.model.geometry import Geometry
from wizard.model.machine import Extent, Striping
from wizard.model.said import KIB, MIB, TIB, t

SMALL_BYTES = 512 * MIB
"""mke2fs uses 1 KiB blocks below this size (e2fsprogs, mke2fs.conf)."""


def _for_place(geometry: Geometry, place: Extent, options: kind.Argv) -> kind.Argv:
    """Add stride and stripe width if the drive advises a stripe or has larger blocks than the filesystem
    (e2fsprogs, misc/mke2fs.c)."""
    if "-b" in options:
        block = int(options[options.index("-b") + 1])
    else:
        # Small filesystems get small blocks.
        block = 4 * KIB if place.size_bytes >= SMALL_BYTES else max(KIB, geometry.logical_block_bytes)
    physical = geometry.whole_block_bytes
    unit, width = geometry.advised_striping or (physical, physical)
    if unit <= block or any("stride=" in option for option in options):
        return options
    return _with_extended(options, f"stride={unit // block},stripe_width={width // block}")


def _with_extended(options: kind.Argv, extra: str) -> kind.Argv:
    """Append to the list of -E of mke2fs. If the flag is repeated, only the last one counts."""
    if "-E" not in options:
        return (*options, "-E", extra)
    at = options.index("-E") + 1
    return (*options[:at], f"{options[at]},{extra}", *options[at + 1 :])


def striping_in(text: str) -> Striping | None:
    """Parse stride and stripe width, in bytes, from dumpe2fs output. Return None if any value is missing."""
    fields = {
        key: int(value)
        for key, value in re.findall(r"(?m)^(Block size|RAID stride|RAID stripe width):\s+(\d+)$", text)
    }
    if len(fields) != 3:
        return None
    return Striping(
        fields["RAID stride"] * fields["Block size"], fields["RAID stripe width"] * fields["Block size"]
    )


def _set_uuid(device: str, uuid: str) -> kind.Argv:
    return ("tune2fs", "-U", uuid, device)


RELABELLING = kind.Relabelling(command=kind.label_with("tune2fs", "-L"), mounted=True, rules="ext4")
"""Also used for ext2 and ext3."""

CHECK = ("e2fsck", "-f", "-n")

GROWING = kind.Growing(
    commands=lambda device: (("e2fsck", "-f", "-p", device), ("resize2fs", "-p", device)),
    check=CHECK,
    # Mounted filesystems can grow but never shrink (resize2fs(8)).
    in_use=lambda device, _place, _member: ("resize2fs", device),
    smaller=lambda device, size: (
        ("e2fsck", "-f", "-p", device),
        ("resize2fs", "-p", device, f"{size // KIB}K"),
    ),
    shrunk_remarks=(
        t(
            "Files may get new inode numbers, and folders today's date. File contents "
            "and other metadata do not change."
        ),
    ),
)
"""Also used for ext2 and ext3. Without a journal, a mounted filesystem is not grown."""

EXT4_KIND = kind.MadeKind(
    name="ext4",
    title="ext4",
    order=0,
    # -F overwrites old signatures without asking, but still refuses a mounted device.
    commands=lambda new: (
        ("mkfs.ext4", "-q", "-F", "-U", new.uuid, "-L", new.label, *new.options, new.device),
    ),
    discards=True,
    for_place=_for_place,
    in_general=t("It is a sound choice for most Linux volumes. No results are recorded for this workload."),
    # Below 2048 blocks (8 MiB) mke2fs only warns and omits the journal. Twice that leaves room for data.
    minimum_bytes=16 * MIB,
    maximum_bytes=1024 * 1024 * TIB,
    label_bytes=16,
    fsck_pass=2,
    seconds=(1.0, 2.0, 20.0),
    clean_check=CHECK,
    flags=frozenset({"-b", "-C", "-E", "-g", "-G", "-i", "-I", "-J", "-m", "-N", "-O", "-T"}),
    bare_flags=frozenset({"-D"}),
    superblock_reader=("dumpe2fs", "-h"),
    striping_in=striping_in,
    gives_top=lambda options, uid, gid: _with_extended(options, f"root_owner={uid}:{gid}"),
    # Skips the zeroing of inode tables and journal, at any size.
    for_trial=lambda options: _with_extended(options, "nodiscard,lazy_itable_init=1,lazy_journal_init=1"),
    # Otherwise the kernel starts to initialize the inode tables.
    quiet_options=("noinit_itable",),
    silent_options=frozenset({"nodiscard", "barrier=1", "auto_da_alloc", "async", "user_xattr", "acl"}),
    relabelling=RELABELLING,
    set_uuid=_set_uuid,
    growing=GROWING,
    holds=kind.Holds(flags=kind.EXT_FLAGS),
)


EXT2_KIND = kind.FilesystemKind(
    name="ext2",
    title="ext2",
    drivers=("ext4", "ext2"),
    why_not=t(
        "Without a journal, a full check is needed after a power cut. ext4 has all "
        "the same features. The ext2 driver is being removed from Linux."
    ),
    way_off=t(
        "Linux mounts it with the ext4 driver. When unmounted, `tune2fs -j` adds a "
        "journal and makes it ext3. Or copy the files to a new ext4, and compare "
        "them before deleting the old filesystem."
    ),
    relabelling=RELABELLING,
    set_uuid=_set_uuid,
    # Without a journal, a power cut would leave the filesystem half grown.
    growing=replace(GROWING, in_use=None),
    # Old inodes store times in whole seconds.
    holds=kind.Holds(flags=kind.EXT_FLAGS, grain=kind.SECOND),
)


EXT3_KIND = replace(
    EXT2_KIND,
    name="ext3",
    title="ext3",
    drivers=("ext4", "ext3"),
    why_not=t(
        "It is ext4 without extents and checksums: large files and checks are "
        "slower. A new one has no advantage."
    ),
    way_off=t(
        "Linux mounts it with the ext4 driver, so this is not urgent. Convert it to "
        "ext4 in place: new files then use ext4 features. Or copy the files to a new "
        "ext4 for all features."
    ),
    growing=GROWING,
)
