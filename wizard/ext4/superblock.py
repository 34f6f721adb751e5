"""Parse an ext superblock. Source: Linux fs/ext4/ext4.h and e2fsprogs lib/ext2fs/ext2_fs.h."""

from struct import unpack_from
from uuid import UUID

from msgspec import Struct
from msgspec.structs import replace

from wizard.model.ext import ExtFacts
from wizard.model.machine import Drive
from wizard.model.said import Message, t
from wizard.probe.content.superblocks import is_unconverted
from wizard.probe.content.tables import Read, number

LARGEST_BLOCK_SHIFT, LARGEST_CLUSTER_SHIFT = 6, 29
LEAST_GROUP_BLOCKS = 8
LARGEST_DESCRIPTOR_BYTES = 1024
LEAST_INODE_BYTES = 128
FIRST_INODE = 11
MOST_GROUPS_SHIFT = 31
LATEST_REVISION = 1

RESIZED_OR_MARKED = t("A resize was in progress, or a check was requested manually.")

START_BYTES = 1024
"""Offset of the superblock on the device."""

SUPERBLOCK_BYTES = 1024
MAGIC = 0xEF53
OLD_REVISION = 0
OLD_INODE_BYTES = 128
SMALL_DESCRIPTOR_BYTES = 32

VALID, ERRORS = 1, 2
"""Bits of s_state: cleanly unmounted, errors found."""

COMPATIBLE = (
    "dir_prealloc",
    "imagic_inodes",
    "has_journal",
    "ext_attr",
    "resize_inode",
    "dir_index",
    "lazy_bg",
    "",
    "snapshot_bitmap",
    "sparse_super2",
    "fast_commit",
    "stable_inodes",
    "orphan_file",
)
INCOMPATIBLE = (
    "compression",
    "filetype",
    "needs_recovery",
    "journal_dev",
    "meta_bg",
    "",
    "extent",
    "64bit",
    "mmp",
    "flex_bg",
    "ea_inode",
    "",
    "dirdata",
    "metadata_csum_seed",
    "large_dir",
    "inline_data",
    "encrypt",
    "casefold",
)
READ_ONLY = (
    "sparse_super",
    "large_file",
    "",
    "huge_file",
    "uninit_bg",
    "dir_nlink",
    "extra_isize",
    "has_snapshot",
    "quota",
    "bigalloc",
    "metadata_csum",
    "replica",
    "read-only",
    "project",
    "shared_blocks",
    "verity",
    "orphan_present",
)
"""Names in tune2fs for bits of s_feature_compat, s_feature_incompat and s_feature_ro_compat, from bit 0."""


def read_ext(superblock: bytes) -> ExtFacts | None:
    """Parse the 1024 bytes at offset 1024 of a device. Return None if they are not a valid superblock."""
    if len(superblock) < SUPERBLOCK_BYTES:
        return None
    # Named and placed as in struct ext4_super_block.
    inodes, blocks, reserved, free, free_inodes, first, shift, cluster_shift = unpack_from("<8I", superblock)
    per_group, clusters_per_group, inodes_per_group, mounted, written = unpack_from("<5I", superblock, 0x20)
    mounts, _, magic, state = unpack_from("<4H", superblock, 0x34)
    checked, _, _, revision, _, first_inode, inode_bytes = unpack_from("<6IH", superblock, 0x40)
    journal_inode, journal_device = unpack_from("<2I", superblock, 0xE0)
    if (
        magic != MAGIC
        or shift > LARGEST_BLOCK_SHIFT
        or cluster_shift not in range(shift, LARGEST_CLUSTER_SHIFT + 1)
    ):
        return None
    features = _named_features(unpack_from("<III", superblock, 0x5C))
    wide, clustered = "64bit" in features, "bigalloc" in features
    # The upper halves are only valid with 64bit.
    highs = unpack_from("<3I", superblock, 0x150) if wide else bytes(3)
    blocks, reserved, free = map(_joined, (blocks, reserved, free), highs)
    times = (written, mounted, number(superblock, 0x108, 4), checked)
    written, mounted, made, checked = map(_joined, times, superblock[0x274:0x278])
    reserved_gdt, descriptor = number(superblock, 0xCE, 2), number(superblock, 0xFE, 2)
    errors = number(superblock, 0x194, 4)
    if revision == OLD_REVISION:
        inode_bytes, first_inode = OLD_INODE_BYTES, FIRST_INODE
    block_bytes, ratio = 1024 << shift, 1 << (cluster_shift - shift)
    is_plausible = (
        revision <= LATEST_REVISION
        and (clustered or ratio == 1)
        and first == (1 if shift == 0 and not clustered else 0)
        and blocks > first
        and reserved <= blocks // 2
        and clusters_per_group * ratio == per_group
        and clusters_per_group in range(LEAST_GROUP_BLOCKS, 8 * block_bytes + 1)
        and superblock[0x174] <= MOST_GROUPS_SHIFT
        and reserved_gdt <= block_bytes // 4
        and descriptor.bit_count() <= 1
        and descriptor <= LARGEST_DESCRIPTOR_BYTES
        and inode_bytes.bit_count() == 1
        and inode_bytes in range(LEAST_INODE_BYTES, block_bytes + 1)
        and inodes_per_group in range(1, 8 * block_bytes + 1)
        and first_inode in range(FIRST_INODE, inodes + 1)
        and inodes == -(-(blocks - first) // per_group) * inodes_per_group
    )
    if not is_plausible:
        return None
    return ExtFacts(
        uuid=str(UUID(bytes=superblock[0x68:0x78])),
        label=_text(superblock[0x78:0x88]),
        block_bytes=block_bytes,
        blocks=blocks,
        free_blocks=free,
        reserved_blocks=reserved,
        inodes=inodes,
        free_inodes=free_inodes,
        inode_bytes=inode_bytes,
        blocks_per_group=per_group,
        inodes_per_group=inodes_per_group,
        desc_bytes=(descriptor if wide else 0) or SMALL_DESCRIPTOR_BYTES,
        features=features,
        clean=bool(state & VALID),
        has_errors=bool(state & ERRORS),
        recorded_errors=errors,
        needs_recovery="needs_recovery" in features,
        journal_device="has_journal" in features and journal_inode == 0 and journal_device != 0,
        half_done=_half_done(features, state, errors, descriptor),
        last_mounted_at=_text(superblock[0x88:0xC8]),
        mounts=mounts,
        made=made,
        mounted=mounted,
        written=written,
        checked=checked,
        revision=revision,
        reserved_gdt_blocks=reserved_gdt if "resize_inode" in features else 0,
    )


def read_filesystem(read: Read) -> ExtFacts | None:
    """Parse a whole filesystem, including its root folder. `read` returns bytes from the start of the
    filesystem."""
    found = read_ext(read(START_BYTES, SUPERBLOCK_BYTES))
    return replace(found, unconverted=is_unconverted(read)) if found else None


def _named_features(words: tuple[int, int, int]) -> frozenset[str]:
    """Return the names of the bits in the three words, in on-disk order. Unnamed bits are `FEATURE_C31`, as
    in e2fsprogs."""
    sets = (("C", COMPATIBLE), ("I", INCOMPATIBLE), ("R", READ_ONLY))
    return frozenset(
        dict(enumerate(names)).get(bit) or f"FEATURE_{letter}{bit}"
        for bits, (letter, names) in zip(words, sets, strict=True)
        for bit in range(32)
        if bits >> bit & 1
    )


def seems_once_ext3(features: frozenset[str]) -> bool:
    """Return True if an ext4 with these features is probably an incompletely converted ext3: mke2fs enables
    flex_bg on every ext4, and it cannot be added later."""
    return "extent" not in features or (
        "flex_bg" not in features and not {"64bit", "metadata_csum"} <= features
    )


def _half_done(features: frozenset[str], state: int, errors: int, descriptor: int) -> Message | str:
    """Return the operation that tune2fs or resize2fs left unfinished, as far as the superblock shows."""
    if "64bit" in features and descriptor < 2 * SMALL_DESCRIPTOR_BYTES:
        return t("A change to 64-bit block numbers was in progress.")
    if "metadata_csum" in features and not state & VALID and "needs_recovery" not in features:
        return t("Checksums were enabled but not written everywhere, or the filesystem was not unmounted.")
    if state & ERRORS and not errors and state & VALID:
        return RESIZED_OR_MARKED
    return ""


def _joined(low: int, high: int) -> int:
    return low | high << 32


def _text(data: bytes) -> str:
    return data.split(b"\0", 1)[0].decode("utf-8", errors="replace")


KINDS = frozenset({"ext2", "ext3"})
"""libblkid names. An ext4 needs a look at its features."""

INCOMPLETE = "incomplete ext4"
"""An ext4 without features of every new one, or with unconverted files, as after a conversion from ext3."""


class ExtCandidate(Struct, frozen=True):
    """A filesystem on `device`: the drive, a partition, or a layer above. `kind`: ext2, ext3 or an incomplete
    ext4."""

    device: str
    kind: str
    label: str | None


def old_filesystems(drive: Drive, device: str = "") -> tuple[ExtCandidate, ...]:
    """Return ext2, ext3 and incomplete ext4 filesystems of a drive in on-disk order, those on layers last.
    Only the one on `device` if this is a part of the drive."""
    found = []
    layers = ((layer.path, layer.signatures) for layer in drive.layers)
    for path, signatures in (*drive.signatures_by_device, *layers):
        # Skip contradictory signatures.
        if len(signatures) != 1 or signatures[0].ambivalent:
            continue
        (mark,) = signatures
        if mark.kind in KINDS:
            found.append(ExtCandidate(path, mark.kind, mark.label))
        elif (
            mark.kind == "ext4"
            and mark.features is not None
            and (mark.unconverted or seems_once_ext3(_named_features(mark.features)))
        ):
            found.append(ExtCandidate(path, INCOMPLETE, mark.label))
    return tuple(one for one in found if device in ("", drive.path, one.device))
