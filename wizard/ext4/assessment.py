"""Facts about an ext filesystem, collected before a conversion. Read-only."""

from struct import pack_into

from msgspec import Struct

from wizard.ext4.superblock import START_BYTES, read_ext
from wizard.model.ext import ExtFacts
from wizard.model.geometry import Identity
from wizard.probe.content.tables import number


class BootLine(Struct, frozen=True):
    """An fstab line for the filesystem: line number from 1, filesystem type and mount point."""

    number: int
    kind: str
    mount_point: str


class BootPath(Struct, frozen=True):
    """Boot setup of a system on this filesystem. `place`: / or /boot, empty if neither. `root_type`: value of
    rootfstype=.

    `grub`: version of the GRUB tools, (0, 0) if not found. `initramfs`: name of the initramfs generator.
    `grub_folder`: GRUB's configuration folder on the filesystem, empty if there is none or it was not
    searched. `grub_reader`: tool that contains GRUB's own filesystem driver, empty if not found.
    """

    place: str = ""
    root_type: str = ""
    grub: tuple[int, int] = (0, 0)
    initramfs: str = ""
    grub_folder: str = ""
    grub_reader: str = ""


class OwnFstab(Struct, frozen=True):
    """Text of /etc/fstab on the unmounted filesystem itself, and the lines for this filesystem.

    `fault`: clause on why it cannot be changed, or empty. If set, the text may be missing.
    """

    text: str = ""
    lines: tuple[BootLine, ...] = ()
    fault: str = ""


class Situation(Struct, frozen=True):
    """Facts about the filesystem `ext` on `device` (the drive `drive`, a partition or a volume on it) and its
    environment.

    `mounts`: mount points in all namespaces. `is_root`: contains the running system. `opened`: another block
    device or program has exclusive access. `damaged`: first error reported by e2fsck, None if not checked.
    `fstab`: path of fstab. `own`: fstab inside the filesystem, None if there is none or it was not read.
    `units`: systemd units that mount the filesystem. `missing`: missing tools. `family`: distribution family.
    `no_copy`: clause on why no scratch copy can be made, or empty.
    """

    drive: Identity
    device: str
    ext: ExtFacts
    fstab: str
    fstab_text: str
    device_bytes: int = 0
    mounts: tuple[str, ...] = ()
    swap_files: tuple[str, ...] = ()
    is_root: bool = False
    opened: bool = False
    damaged: str | None = None
    lines: tuple[BootLine, ...] = ()
    units: tuple[str, ...] = ()
    own: OwnFstab | None = None
    boot: BootPath = BootPath()
    missing: tuple[str, ...] = ()
    family: str = ""
    e2fsprogs: tuple[int, int] = (1, 47)
    no_copy: str = ""


FIRST_BYTES = 4096
"""Bytes read from the start of a filesystem: the superblock, in whole blocks of any drive."""

DECIDING = slice(START_BYTES, START_BYTES + 512)
"""Part of the superblock, within the first bytes, that determines which drivers may mount it."""

INCOMPATIBLE_AT, READ_ONLY_AT = START_BYTES + 0x60, START_BYTES + 0x64
BAR, CHECKSUMS = 1 << 31, 1 << 10


def block_mounting(first: bytes) -> bytes:
    """Return the first bytes with an unknown feature set in the superblock, which prevents mounting."""
    changed = bytearray(first)
    pack_into("<I", changed, INCOMPATIBLE_AT, number(first, INCOMPATIBLE_AT, 4) | BAR)
    pack_into("<I", changed, READ_ONLY_AT, number(first, READ_ONLY_AT, 4) & ~CHECKSUMS)
    return bytes(changed)


def is_mounting_blocked(first: bytes) -> bool:
    """Return True if the first bytes contain the feature that prevents mounting."""
    return bool(number(first, INCOMPATIBLE_AT, 4) & BAR)


def deciding_block(logical_block_bytes: int) -> slice:
    """Return the smallest range, in whole drive blocks, that contains the deciding part of the superblock."""
    unit = max(logical_block_bytes, DECIDING.stop - DECIDING.start)
    begin = START_BYTES // unit * unit
    return slice(begin, begin + unit)


PASSING = frozenset({"needs_recovery", "orphan_present"})
"""Features that are set by mounting and cleared by unmounting."""

BY_ITSELF = frozenset({"large_file", "ext_attr", "dir_nlink", "extra_isize", "huge_file"})
"""Features that the kernel enables when needed (Linux fs/ext4, ext4_set_feature_...)."""


def is_used_one(found: bytes, left: bytes, other: bytes) -> bool:
    """Return True if the first bytes `found` belong to the filesystem that was `left`, and not to `other`,
    its state before or after conversion. False for a recreated filesystem, and for a damaged or blocked
    superblock."""
    current, previous, alternative = (read_ext(first[START_BYTES:]) for first in (found, left, other))
    if current is None or previous is None or alternative is None or is_mounting_blocked(found):
        return False
    kept = ((one.uuid, one.block_bytes, one.inode_bytes, one.made) for one in (current, previous))
    if len({*kept}) > 1:
        return False
    distinctive = alternative.features - previous.features - PASSING - BY_ITSELF
    return previous.features - PASSING <= current.features and not (
        distinctive and distinctive <= current.features
    )
