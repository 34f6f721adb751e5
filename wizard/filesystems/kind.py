"""Properties of each kind of filesystem. Other packages use these and contain no filesystem names."""

from collections.abc import Callable

from msgspec import Struct

from wizard.filesystems import partition_types
from wizard.model.geometry import Geometry
from wizard.model.layout import NewFilesystem
from wizard.model.machine import Extent, Striping
from wizard.model.said import Message, Sentence, t

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


class Holds(Struct, frozen=True, kw_only=True):
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

WINDOWS = Holds(
    owners=False,
    links=False,
    attributes=(),
    flags=0,
    # Windows forbids these, and vfat_bad_char in linux/fs/fat/namei_vfat.c.
    forbidden='"*:<>?\\|',
    ends_plainly=True,
    folds_case=True,
)
"""Support common to the filesystems of Windows. NTFS could store more, but no other system would understand
what the ntfs3 driver writes."""


Argv = tuple[str, ...]
Commands = tuple[Argv, ...]


class Relabelling(Struct, frozen=True, kw_only=True):
    """How to relabel an existing filesystem. `command` receives device node, mount point and label; each may
    be empty.

    `mounted`: can be relabelled while mounted. `fault`: returns what the tool rejects, as the end of a
    sentence. `rules`: name of another filesystem whose label rules apply.
    """

    command: Callable[[str, str, str], Argv]
    mounted: bool = False
    fault: Callable[[str], Message | None] = lambda _label: None
    rules: str = ""


class Growing(Struct, frozen=True, kw_only=True):
    """How to resize a filesystem to fit its partition.

    `commands` grow it. They receive the device node, or the mount point if `mounted` is set (with
    `mount_options`). `check`: read-only, exits with 0 if an unmounted filesystem is clean; the node is
    appended. `programs`: tools needed to rehearse on a scratch copy. `smaller`: commands to shrink to a size
    in bytes, by node or mount point; None if shrinking is not supported. The remarks are shown beforehand.

    `in_use`: command to grow a filesystem mounted by the user, from node, mount point and member number; None
    if growing requires unmounting. `shrinks_in_use` undoes that, with the size in bytes as last argument.
    """

    commands: Callable[[str], Commands]
    check: Argv
    programs: Argv = ()
    mounted: bool = False
    mount_options: Argv = ()
    grown_remarks: tuple[Message, ...] = ()
    shrunk_remarks: tuple[Message, ...] = ()
    in_use: Callable[[str, str, int], Argv] | None = None
    shrinks_in_use: Callable[[str, str, int, int], Argv] | None = None
    smaller: Callable[[str, int], Commands] | None = None


UUID_TABLES = frozenset({"gpt", "hybrid", "mbr"})
WRITTEN_UUIDS = UUID_TABLES | {"crypto_LUKS"}
"""Tables and containers whose UUID is changed by writing bytes instead of running a program."""


class FilesystemKind(Struct, frozen=True, kw_only=True):
    """A filesystem that may exist on a drive, or is only recognised. `name` is libblkid's TYPE.

    `drivers`: drivers in /proc/filesystems that mount it, preferred first; None for that with the same name,
    empty if Linux has none.
    `mount_helper`: a type that mount(8) leaves to a FUSE program. `set_uuid`: command to change the UUID of
    an unmounted filesystem, from device node and UUID as libblkid reports it; None if not supported.
    `serial_digits`: 8 or 16 hexadecimal digits if the filesystem has a serial number instead of a UUID.
    `order`: position in lists, then by name. `why_not` and `way_off`: for recognised kinds only, why
    diskwright does not create it and how to replace it. `relabelling` and `growing`: None if not supported.
    `why_not_grow`: clause that explains why no tool is trusted to grow it. `holds`: metadata that a copy
    preserves.
    """

    name: str
    title: str
    drivers: tuple[str, ...] | None = None
    mount_helper: str = ""
    order: int = 9
    why_not: Message | None = None
    way_off: Message | None = None
    relabelling: Relabelling | None = None
    growing: Growing | None = None
    why_not_grow: Message | None = None
    holds: Holds = LINUX
    set_uuid: Callable[[str, str], Argv] | None = None
    serial_digits: int = 0

    @property
    def kernel_names(self) -> tuple[str, ...]:
        """The drivers, the preferred one first."""
        return (self.name,) if self.drivers is None else self.drivers

    def uuid_of(self, drawn: str) -> str:
        """Return the UUID that libblkid will report if mkfs is given `drawn`, a plain lower-case UUID. A
        serial number is its first digits."""
        serial = drawn.replace("-", "")[: self.serial_digits].upper()
        return drawn if not serial else serial if self.serial_digits == 16 else f"{serial[:4]}-{serial[4:]}"


def without_discard(options: Argv) -> Argv:
    """Add the option of mkfs.xfs, mkfs.btrfs and mkfs.nilfs2 that skips the discard."""
    return options if "-K" in options else (*options, "-K")


def label_with(*words: str) -> Callable[[str, str, str], Argv]:
    """Return the `command` of a tool whose last arguments are label and device."""
    return lambda device, _place, label: (*words, label, device)


NO_ZONES = Sentence("{title} does not support zones")
MANUAL_ZONES = Sentence(
    "diskwright does not set up {title} on zones; the zone options show if manual setup is possible"
)


class MadeKind(FilesystemKind, frozen=True, kw_only=True):
    """A filesystem that diskwright creates.

    `maker`: the mkfs program, if not mkfs.`name`. `commands`: argument lists of one operation, in order. They
    are non-interactive and refuse mounted devices. `flags` and `bare_flags`: options with and without a value
    that advice may use; none of them takes a file or device. `also`: further programs for `commands` or swap.
    `needs_files`: files that the mkfs program reads, each with a hint on how to create it. `for_place`: adds
    options that depend on geometry and partition start, which mkfs reads from a real drive but cannot see on
    a scratch copy. `discards`: mkfs discards the volume first unless an option prevents it. `for_trial`:
    options for a short-lived filesystem, without discard and with deferred initialization. `gives_top`: adds
    options that set uid and gid of the root directory, None if mkfs cannot.

    `in_general`: a sentence on its general suitability, for workloads that do not mention it. `minimum_bytes`
    (explained by the clause `minimum_why`) and `maximum_bytes`: limits of the volume.
    `striped_minimum_bytes`: minimum across several drives. `no_zones`: why it cannot be used on host-managed
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

    commands: Callable[[NewFilesystem], Commands]
    in_general: Message
    minimum_bytes: int
    maximum_bytes: int
    label_bytes: int
    fsck_pass: int
    seconds: tuple[float, float, float]
    clean_check: Argv
    minimum_why: Message = t("a smaller volume has little or no space for data")
    maker: str = ""
    no_zones: Sentence | None = NO_ZONES
    striped_minimum_bytes: int = 0
    flags: frozenset[str] = frozenset()
    bare_flags: frozenset[str] = frozenset()
    fit_label: Callable[[str], str] = lambda label: label
    label_fault: Callable[[str], Message | None] = lambda _label: None
    for_place: Callable[[Geometry, Extent, Argv], Argv] = lambda _geometry, _place, options: options
    discards: bool = False
    noun: str = "filesystem"
    gpt_type: str = partition_types.LINUX_GPT
    mbr_type: str = partition_types.LINUX_MBR
    mounted_check: Argv = ()
    superblock_reader: Argv = ()
    striping_in: Callable[[str], Striping | None] | None = None
    silent_options: frozenset[str] = frozenset()
    also: Argv = ()
    needs_files: tuple[tuple[str, Message], ...] = ()
    subvolumes: bool = False
    for_trial: Callable[[Argv], Argv] = lambda options: options
    gives_top: Callable[[Argv, int, int], Argv] | None = None
    quiet_options: Argv = ()

    @property
    def tool(self) -> str:
        """The mkfs program."""
        return self.maker or f"mkfs.{self.name}"

    @property
    def zones(self) -> Message | None:
        """Why it cannot be used on host-managed zones, None if it can."""
        lacks = self.no_zones
        return lacks(**dict.fromkeys(lacks.fields, self.title)) if lacks else None

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
