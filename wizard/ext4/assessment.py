"""Facts about an ext filesystem, collected before a conversion. Read-only."""

from dataclasses import dataclass

from wizard.ext4.superblock import START_BYTES, read_ext
from wizard.model.ext import ExtFacts
from wizard.model.geometry import Identity


@dataclass(frozen=True, slots=True)
class BootLine:
    """A line of fstab for the filesystem: its number from 1, the type it names, and where it is mounted."""

    number: int
    kind: str
    mount_point: str


@dataclass(frozen=True, slots=True)
class Folder:
    """Where stores or undo files would lie. `fault` is a clause on why they cannot, empty where they can;
    `asked`: a person named it."""

    path: str
    free_bytes: int = 0
    fault: str = ""
    asked: bool = False


@dataclass(frozen=True, slots=True)
class FreshTarget:
    """The volume for a fresh ext4 on `drive`. `fault` is a clause on why it cannot be had, empty where it
    can."""

    device: str
    size_bytes: int
    drive: Identity
    fault: str = ""


@dataclass(frozen=True, slots=True)
class BootPath:
    """What starts a system from this filesystem. `place` is / or /boot, empty where neither lies on it;
    `root_type` what rootfstype= says.

    `grub` is the version of GRUB's programs, (0, 0) where there are none; `initramfs` the name of what makes
    the first root. `grub_folder` is where GRUB's settings lie on the filesystem, empty where they do not or
    it was not looked for; `grub_reader` is the program that has GRUB's own driver, empty where there is none.
    """

    place: str = ""
    root_type: str = ""
    grub: tuple[int, int] = (0, 0)
    initramfs: str = ""
    grub_folder: str = ""
    grub_reader: str = ""


@dataclass(frozen=True, slots=True)
class OwnFstab:
    """The text of /etc/fstab on the filesystem itself, which nobody has mounted, and the lines of it that are
    for this filesystem.

    `fault` is a clause on why it cannot be changed there, empty where it can; the text can be missing then.
    """

    text: str = ""
    lines: tuple[BootLine, ...] = ()
    fault: str = ""


NO_BOOT = BootPath()


@dataclass(frozen=True, slots=True)
class Situation:
    """The filesystem `ext` on `device`, which is `drive`, a partition of it or a volume on it, and everything
    around it.

    `device_bytes` is the size of the device, `mounts` are the places where anybody sees it mounted.
    `is_root`: the running system stands on it; `opened`: another block device or a program holds it for
    itself. `damaged`: the first error that its checker finds, None where that was not found out. `fstab` is
    the file of mounts with its text, `own` the one on the filesystem itself, None where there is none or it
    was not looked for; `units` are systemd's own files for it. `missing` are programs that are not there,
    `family` is the distribution's, as a machine has it, `e2fsprogs` their version. `no_snapshots` is a clause
    on why device mapper cannot be used, empty where it can. `manifest_seconds`: how long comparing every file
    takes, both times together.
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
    boot: BootPath = NO_BOOT
    missing: tuple[str, ...] = ()
    family: str = ""
    e2fsprogs: tuple[int, int] = (1, 47)
    no_snapshots: str = ""
    store: Folder = Folder("")
    undo_dir: Folder = Folder("")
    target: FreshTarget | None = None
    manifest_seconds: float = 0.0


FIRST_BYTES = 4096
"""What is looked at of a filesystem: the superblock and, on every drive, whole blocks of it."""

DECIDING = slice(START_BYTES, START_BYTES + 512)
"""The part of the superblock, within the first bytes, that decides who may mount it."""

INCOMPATIBLE_AT, READ_ONLY_AT = START_BYTES + 0x60, START_BYTES + 0x64
BAR, CHECKSUMS = 1 << 31, 1 << 10


def barred(first: bytes) -> bytes:
    """The first bytes of a filesystem, with the bar in its superblock."""
    changed = bytearray(first)
    for at, bits in (
        (INCOMPATIBLE_AT, _word(first, INCOMPATIBLE_AT) | BAR),
        (READ_ONLY_AT, _word(first, READ_ONLY_AT) & ~CHECKSUMS),
    ):
        changed[at : at + 4] = bits.to_bytes(4, "little")
    return bytes(changed)


def is_barred(first: bytes) -> bool:
    """Whether the first bytes of a filesystem have the bar."""
    return bool(_word(first, INCOMPATIBLE_AT) & BAR)


def deciding_block(logical_block_bytes: int) -> slice:
    """Where, within the first bytes, the smallest block lies that a drive writes and that holds what
    decides."""
    unit = max(logical_block_bytes, DECIDING.stop - DECIDING.start)
    begin = START_BYTES // unit * unit
    return slice(begin, begin + unit)


def _word(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "little")


PASSING = frozenset({"needs_recovery", "orphan_present"})
"""Features that come with a mount and go with an unmount."""

BY_ITSELF = frozenset({"large_file", "ext_attr", "dir_nlink", "extra_isize", "huge_file"})
"""Features that the kernel switches on when something needs them (Linux fs/ext4, ext4_set_feature_...)."""


def is_used_one(found: bytes, left: bytes, other: bytes) -> bool:
    """Whether the first bytes `found` are of the filesystem that had `left`, and not of the one that had
    `other`, which it was made from or into. A filesystem made anew, a damaged or a barred superblock is
    neither.
    """
    now, was, not_it = (read_ext(first[START_BYTES:]) for first in (found, left, other))
    if (
        now is None
        or was is None
        or not_it is None
        or int.from_bytes(found[INCOMPATIBLE_AT : INCOMPATIBLE_AT + 4], "little") & BAR
    ):
        return False
    if (now.uuid, now.block_bytes, now.inode_bytes, now.made) != (
        was.uuid,
        was.block_bytes,
        was.inode_bytes,
        was.made,
    ):
        return False
    telling = not_it.features - was.features - PASSING - BY_ITSELF
    return was.features - PASSING <= now.features and not (telling and telling <= now.features)


def was_mounted_since(now: ExtFacts, left: ExtFacts, *possible: ExtFacts) -> bool:
    """Whether the filesystem that was left so was mounted for writing since. The time of a mount counts
    seconds: within one, the count of mounts tells. e2fsck begins it anew and putting back brings it back, so
    that each of the `possible` superblocks can be the one that was left.
    """
    return now.mounted != left.mounted or now.mounts > max(one.mounts for one in (*possible, left))
