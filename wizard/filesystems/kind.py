"""Properties of each kind of filesystem. Other packages use these and contain no filesystem names."""

from collections.abc import Callable
from dataclasses import dataclass

from wizard.model.geometry import Geometry
from wizard.model.layout import NewFilesystem
from wizard.model.machine import Extent, Partition, Striping
from wizard.model.said import Message, Sentence, t

EFI_SYSTEM = t("EFI system")
LINUX_BOOT = t("Linux extended boot")
LINUX_SWAP = t("Linux swap")
LINUX_LVM = t("Linux LVM")
LINUX_RAID = t("Linux RAID")
LINUX_LUKS = t("Linux LUKS")

LINUX_GPT_TYPE = "0fc63daf-8483-4772-8e79-3d69d8477de4"
"""GPT type of Linux filesystem data (UAPI group, Discoverable Partitions Specification)."""

LINUX_SWAP_TYPE = "0657fd6d-a4ab-43c4-84e5-0933c84b4f4f"
LINUX_RAID_TYPE = "a19d880f-05fc-4d3b-a006-743f0f84911e"
LINUX_LVM_TYPE = "e6d6d379-f507-44c2-a23c-238f2a3df928"
"""GPT types of swap, md array members and LVM physical volumes (UAPI group, as above)."""

LINUX_LUKS_TYPE = "ca7d7ccb-63ed-4c53-861c-1742536059cc"
"""GPT type of Linux encrypted containers (UAPI group, as above)."""

BASIC_DATA_TYPE = "ebd0a0a2-b9e5-4433-87c0-68b6b72699c7"
"""GPT type that Windows and macOS mount automatically (Microsoft, PARTITION_BASIC_DATA_GUID)."""

ESP_GPT_TYPE = "c12a7328-f81f-11d2-ba4b-00a0c93ec93b"
BOOT_GPT_TYPE = "bc13c2ff-59e6-4262-a352-b275fd6f7172"
BIOS_BOOT_GPT_TYPE = "21686148-6449-6e6f-744e-656564454649"
"""Contains the second stage of GRUB on GPT drives that boot by BIOS (GRUB manual, 3.4)."""

HOME_GPT_TYPE = "933ac7e1-2eb4-4f13-b844-0e14e2aef915"
ROOT_GPT_TYPES = {
    "x86_64": "4f68bce3-e8cd-4db1-96e7-fbcaf984b709",
    "i386": "44479540-f297-41b2-9af7-d131d5f0458a",
    "i686": "44479540-f297-41b2-9af7-d131d5f0458a",
    "aarch64": "b921b045-1df0-41c3-af44-4c6f280d3fae",
    "armv7l": "69dad710-2ce4-4e3c-b16c-21a1d49abed3",
    "riscv64": "72ec70a6-cf74-40e6-bd49-4bda08e8f224",
    "ppc64le": "c31c45e6-3f39-412e-80fb-4809c4980599",
    "loongarch64": "77055800-792c-4f94-b39a-98c91b762bb6",
    "s390x": "5eead9a9-fe09-4a1e-a1d7-520d00531306",
}
"""GPT types for boot and root (UAPI group, as above). Root types depend on the architecture, as in uname
-m."""

MOVING_GPT_TYPE = "7b2d2d4b-23b2-4b62-82bf-1a7dd76e0226"
"""Our own randomly generated type for a partition in the middle of a move. The entry covers the old place,
the new place and the journal. No program looks for content in this type."""

LINUX_MBR_TYPE = "0x83"
SWAP_MBR_TYPE = "0x82"
LUKS_MBR_TYPE = "0xe8"
NTFS_MBR_TYPE = "0x07"
FAT32_MBR_TYPE = "0x0c"
ESP_MBR_TYPE = "0xef"
BOOT_MBR_TYPE = "0xea"
LVM_MBR_TYPE = "0x8e"
MOVING_MBR_TYPE = "0xda"
MOVING_TYPES = frozenset({MOVING_GPT_TYPE, MOVING_MBR_TYPE})
"""MBR counterpart of MOVING_GPT_TYPE: "Non-FS data", no filesystem."""


def is_half_moved(part: Partition) -> bool:
    """Return True if the partition is in the middle of a move. The GPT type is proof. The MBR type has other
    uses, and only root can read the journal to be sure."""
    return part.type == MOVING_GPT_TYPE or part.moving


CONTAINER_TYPES = frozenset({"0x05", "0x0f", "0x85"})
"""MBR entries that only contain logical partitions."""

TYPE_NAMES = {
    LINUX_GPT_TYPE: t("Linux filesystem"),
    LINUX_MBR_TYPE: t("Linux"),
    ESP_GPT_TYPE: EFI_SYSTEM,
    BOOT_GPT_TYPE: LINUX_BOOT,
    HOME_GPT_TYPE: t("Linux home"),
    **{
        found: t("Linux root for {architecture}", architecture=name) for name, found in ROOT_GPT_TYPES.items()
    },
    BIOS_BOOT_GPT_TYPE: t("BIOS boot"),
    LINUX_SWAP_TYPE: LINUX_SWAP,
    LINUX_LVM_TYPE: LINUX_LVM,
    LINUX_RAID_TYPE: LINUX_RAID,
    LINUX_LUKS_TYPE: LINUX_LUKS,
    BASIC_DATA_TYPE: t("Microsoft basic data"),
    **dict.fromkeys(CONTAINER_TYPES, t("extended")),
    NTFS_MBR_TYPE: t("NTFS or exFAT"),
    FAT32_MBR_TYPE: t("FAT32"),
    SWAP_MBR_TYPE: LINUX_SWAP,
    LUKS_MBR_TYPE: LINUX_LUKS,
    LVM_MBR_TYPE: LINUX_LVM,
    ESP_MBR_TYPE: EFI_SYSTEM,
    BOOT_MBR_TYPE: LINUX_BOOT,
    "0xfd": LINUX_RAID,
    MOVING_GPT_TYPE: t("being moved by diskwright"),
}
"""Names of partition types for display."""


SYNC, IMMUTABLE, APPEND, NODUMP, NOATIME, DIRSYNC = 0x8, 0x10, 0x20, 0x40, 0x80, 0x10000
"""Flags set by chattr(1) (linux/fs.h)."""

USUAL_FLAGS = SYNC | IMMUTABLE | APPEND | NODUMP | NOATIME
EXT_FLAGS = USUAL_FLAGS | DIRSYNC | 0x4000 | 0x8000 | 0x20000
"""Adds data journalling, no tail merging, and top of directory hierarchies (ext4's EXT4_FL_USER_MODIFIABLE,
without flags that depend on features)."""

BTRFS_FLAGS = USUAL_FLAGS | DIRSYNC | 0x4 | 0x400 | 0x800000
"""Adds compression, no compression, and no copy-on-write."""

LINUX_ATTRIBUTES = ("user.", "trusted.", "security.", "system.posix_acl_")
"""Prefixes of extended attributes that every Linux filesystem with attributes stores."""

XFS_ACLS = "trusted.SGI_ACL_"
"""XFS lists each ACL a second time under this prefix (linux/fs/xfs/xfs_xattr.c)."""

SECOND = 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class Holds:
    """Metadata and limits that a filesystem supports.

    `owners`: owners and permissions. `links`: symbolic and hard links, pipes, sockets and devices.
    `attributes`: prefixes of supported extended attributes. `flags`: supported chattr(1) flags. `grain`:
    resolution of times in nanoseconds. `since`: earliest time in seconds since 1970. `largest_bytes`: maximum
    file size, 0 if irrelevant. `forbidden`: characters not allowed in names. `ends_plainly`: names cannot end
    in a dot or space. `folds_case`: names are case-insensitive.
    """

    owners: bool = True
    links: bool = True
    attributes: tuple[str, ...] = LINUX_ATTRIBUTES
    flags: int = USUAL_FLAGS
    grain: int = 1
    since: int | None = None
    largest_bytes: int = 0
    holes: bool = True
    forbidden: str = ""
    ends_plainly: bool = False
    folds_case: bool = False

    def time(self, nanoseconds: int) -> int:
        """Return a time as the filesystem stores it, in nanoseconds."""
        rounded = nanoseconds // self.grain * self.grain
        return rounded if self.since is None else max(rounded, self.since * SECOND)

    def attribute(self, name: str) -> bool:
        """Return True if the filesystem stores an extended attribute with this name."""
        return name.startswith(self.attributes) and not name.startswith(XFS_ACLS)


LINUX = Holds()
"""Support common to all native Linux filesystems."""

EVERYTHING = Holds(attributes=("",), flags=~0)
"""Used for copies to the same kind."""

FORBIDDEN = '"*:<>?\\|'
"""Not allowed in names on Windows (and linux/fs/fat/namei_vfat.c, vfat_bad_char)."""


Argv = tuple[str, ...]


def _no_fault(_label: str) -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Relabelling:
    """How to relabel an existing filesystem. `command` receives device node, mount point and label; each may
    be empty.

    `mounted`: can be relabelled while mounted. `fault`: returns what the tool rejects, as the end of a
    sentence. `rules`: name of another filesystem whose label rules apply.
    """

    command: Callable[[str, str, str], Argv]
    mounted: bool = False
    fault: Callable[[str], Message | None] = _no_fault
    rules: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Growing:
    """How to resize a filesystem to fit its partition.

    `commands` grow it. They receive the device node, or the mount point if `mounted` is set (with
    `mount_options`). `check`: read-only, exits with 0 if an unmounted filesystem is clean; the node is
    appended. `programs`: tools needed to rehearse on a scratch copy. `smaller`: commands to shrink to a size
    in bytes, by node or mount point; None if shrinking is not supported. `whole_pages`: a scratch copy can
    only be resized in whole pages. The remarks are shown beforehand.

    `in_use`: command to grow a filesystem mounted by the user, from node, mount point and member number; None
    if growing requires unmounting. `shrinks_in_use` undoes that, with the size in bytes as last argument.
    """

    commands: Callable[[str], tuple[Argv, ...]]
    check: Argv
    programs: Argv
    mounted: bool = False
    mount_options: Argv = ()
    grown_remarks: tuple[Message, ...] = ()
    shrunk_remarks: tuple[Message, ...] = ()
    in_use: Callable[[str, str, int], Argv] | None = None
    shrinks_in_use: Callable[[str, str, int, int], Argv] | None = None
    smaller: Callable[[str, int], tuple[Argv, ...]] | None = None
    whole_pages: bool = True


UUID_TABLES = frozenset({"gpt", "hybrid", "mbr"})
WRITTEN_UUIDS = UUID_TABLES | {"crypto_LUKS"}
"""Tables and containers whose UUID is changed by writing bytes instead of running a program."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilesystemKind:
    """A filesystem that may exist on a drive. `name` is libblkid's TYPE.

    `kernel_names`: drivers in /proc/filesystems that mount it, preferred first; empty if Linux has none.
    `mount_helper`: a type that mount(8) leaves to a FUSE program. `set_uuid`: command to change the UUID of
    an unmounted filesystem, from device node and UUID as libblkid reports it; None if not supported.
    `serial_digits`: 8 or 16 hexadecimal digits if the filesystem has a serial number instead of a UUID.
    `order`: position in lists, then by name. `why_not` and `way_off`: for recognised kinds only, why
    diskwright does not create it and how to replace it. `relabelling` and `growing`: None if not supported.
    `never_shrinks`: no tool can shrink it. `why_not_grow`: clause that explains why no tool is trusted to
    grow it. `holds`: metadata that a copy preserves.
    """

    name: str
    title: str
    kernel_names: tuple[str, ...]
    mount_helper: str = ""
    order: int = 9
    why_not: Message | None = None
    way_off: Message | None = None
    relabelling: Relabelling | None = None
    growing: Growing | None = None
    never_shrinks: bool = False
    why_not_grow: Message | None = None
    holds: Holds = LINUX
    set_uuid: Callable[[str, str], Argv] | None = None
    serial_digits: int = 0

    @property
    def made(self) -> bool:
        """True if diskwright creates this filesystem."""
        return False

    def uuid_of(self, drawn: str) -> str:
        """Return the UUID that libblkid will report if mkfs is given `drawn`, a plain lower-case UUID. A
        serial number is its first digits."""
        serial = drawn.replace("-", "")[: self.serial_digits].upper()
        return drawn if not serial else serial if self.serial_digits == 16 else f"{serial[:4]}-{serial[4:]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecognisedKind(FilesystemKind):
    """A filesystem that is recognised but not created."""


def _unchanged_label(text: str) -> str:
    return text


def _unchanged_options(options: Argv) -> Argv:
    return options


def _no_place_options(_geometry: Geometry, _place: Extent, options: Argv) -> Argv:
    return options


def with_suboptions(options: Argv, flag: str, extra: str) -> Argv:
    """Append a sub-option to a flag with a list of sub-options, such as -E of mke2fs. If such a flag is
    repeated, only the last one counts."""
    if flag not in options:
        return (*options, flag, extra)
    at = options.index(flag) + 1
    return (*options[:at], f"{options[at]},{extra}", *options[at + 1 :])


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeKind(FilesystemKind):
    """A filesystem that diskwright creates.

    `tool`: the mkfs program. `commands`: argument lists of one operation, in order. They are non-interactive
    and refuse mounted devices. `flags` and `bare_flags`: options with and without a value that advice may
    use; none of them takes a file or device. `also`: further programs for `commands` or swap. `needs_files`:
    files that the mkfs program reads, each with a hint on how to create it. `for_place`: adds options that
    depend on geometry and partition start, which mkfs reads from a real drive but cannot see on a scratch
    copy. `discards`: mkfs discards the volume first unless an option prevents it. `for_trial`: options for a
    short-lived filesystem, without discard and with deferred initialization. `gives_top`: adds options that
    set uid and gid of the root directory, None if mkfs cannot.

    `in_general`: a sentence on its general suitability, for workloads that do not mention it. `minimum_bytes`
    (explained by the clause `minimum_why`) and `maximum_bytes`: limits of the volume.
    `striped_minimum_bytes`: minimum across several drives. `zones`: why it cannot be used on host-managed
    zones, None if it can.

    `label_bytes`: maximum label length in UTF-8. `fit_label` adapts a label; `label_fault` returns other
    faults as the end of a sentence.

    `clean_check`: read-only, exits with 0 if an unmounted filesystem is clean, with the device appended;
    empty if no such tool exists. `mounted_check`: exits with 0 if a mounted filesystem has met no errors,
    with the mount point appended. `superblock_reader`: prints the array layout, parsed by `striping_in`.
    `silent_options`: defaults that /proc/mounts omits while no other value is set. `quiet_options`: mount
    options that prevent background writes. `fsck_pass`: last column of fstab. `seconds`: estimated creation
    time: minimum, per TiB on solid-state drives, per TiB on rotating ones. `subvolumes`: supports subvolumes.
    """

    tool: str
    commands: Callable[[NewFilesystem], tuple[Argv, ...]]
    in_general: Message
    minimum_bytes: int
    minimum_why: Message
    maximum_bytes: int
    zones: Message | None
    label_bytes: int
    fsck_pass: int
    seconds: tuple[float, float, float]
    clean_check: Argv
    striped_minimum_bytes: int = 0
    flags: frozenset[str] = frozenset()
    bare_flags: frozenset[str] = frozenset()
    fit_label: Callable[[str], str] = _unchanged_label
    label_fault: Callable[[str], Message | None] = _no_fault
    for_place: Callable[[Geometry, Extent, Argv], Argv] = _no_place_options
    discards: bool = False
    noun: str = "filesystem"
    gpt_type: str = LINUX_GPT_TYPE
    mbr_type: str = LINUX_MBR_TYPE
    mounted_check: Argv = ()
    superblock_reader: Argv = ()
    striping_in: Callable[[str], Striping | None] | None = None
    silent_options: frozenset[str] = frozenset()
    also: Argv = ()
    needs_files: tuple[tuple[str, Message], ...] = ()
    subvolumes: bool = False
    for_trial: Callable[[Argv], Argv] = _unchanged_options
    gives_top: Callable[[Argv, int, int], Argv] | None = None
    quiet_options: Argv = ()

    @property
    def made(self) -> bool:
        """True if diskwright creates this filesystem."""
        return True

    @property
    def makers(self) -> Argv:
        """Programs needed to create and activate it."""
        return (self.tool, *self.also)

    @property
    def programs(self) -> Argv:
        """Programs needed to create, activate and check it."""
        checks = [argv[0] for argv in (self.clean_check, self.superblock_reader) if argv]
        return tuple(dict.fromkeys((*self.makers, *checks)))

    @property
    def mounts(self) -> bool:
        """True if it can be mounted; False for swap, which is activated instead."""
        return bool(self.kernel_names)

    def discards_with(self, options: Argv) -> bool:
        """Return True if mkfs discards the volume when run with these options."""
        return self.discards and "-K" not in options and not any("nodiscard" in option for option in options)


def serial_of(uuid: str) -> str:
    """Return a serial number as lower-case hexadecimal digits, the format that programs expect."""
    return uuid.replace("-", "").lower()


NO_ZONES = Sentence("{title} does not support zones")
