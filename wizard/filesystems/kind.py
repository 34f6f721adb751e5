"""Properties of a filesystem kind. Other packages ask here and name no filesystem themselves."""

from collections.abc import Callable
from dataclasses import dataclass

from wizard.model.geometry import Geometry
from wizard.model.machine import Extent, Partition, Striping
from wizard.model.operations import MakeFilesystem
from wizard.model.said import Message, Sentence, t

EFI_SYSTEM = t("EFI system")
LINUX_BOOT = t("Linux extended boot")
LINUX_SWAP = t("Linux swap")
LINUX_LVM = t("Linux LVM")
LINUX_RAID = t("Linux RAID")
LINUX_LUKS = t("Linux LUKS")

LINUX_GPT_TYPE = "0fc63daf-8483-4772-8e79-3d69d8477de4"
"""GPT's type for Linux filesystem data (UAPI group, Discoverable Partitions Specification)."""

LINUX_SWAP_TYPE = "0657fd6d-a4ab-43c4-84e5-0933c84b4f4f"
LINUX_RAID_TYPE = "a19d880f-05fc-4d3b-a006-743f0f84911e"
LINUX_LVM_TYPE = "e6d6d379-f507-44c2-a23c-238f2a3df928"
"""GPT's types for swap, a part of an md array and a physical volume of LVM's (UAPI group, as above)."""

LINUX_LUKS_TYPE = "ca7d7ccb-63ed-4c53-861c-1742536059cc"
"""GPT's type for an encrypted container of Linux's (UAPI group, as above)."""

BASIC_DATA_TYPE = "ebd0a0a2-b9e5-4433-87c0-68b6b72699c7"
"""GPT's type for what Windows and macOS are to open by themselves (Microsoft, PARTITION_BASIC_DATA_GUID)."""

ESP_GPT_TYPE = "c12a7328-f81f-11d2-ba4b-00a0c93ec93b"
BOOT_GPT_TYPE = "bc13c2ff-59e6-4262-a352-b275fd6f7172"
BIOS_BOOT_GPT_TYPE = "21686148-6449-6e6f-744e-656564454649"
"""Where GRUB goes on from the first sector of a drive with a GPT that a BIOS starts (GRUB manual, 3.4)."""

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
"""GPT's types for what a system is started from and lives on (UAPI group, as above); the root's by the
architecture, as uname -m has it."""

MOVING_GPT_TYPE = "7b2d2d4b-23b2-4b62-82bf-1a7dd76e0226"
"""Our own type, drawn at random: a partition that is just being moved, whose entry covers its old place, its
new one and the journal. No program looks for content in it."""

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
"""What an MBR has for content that is no filesystem ("Non-FS data"): as MOVING_GPT_TYPE."""


def is_half_moved(part: Partition) -> bool:
    """Whether it is in the middle of a move. GPT's type says it surely; an MBR's has other uses, and only
    root can read the journal that tells."""
    return part.type == MOVING_GPT_TYPE or part.moving


CONTAINER_TYPES = frozenset({"0x05", "0x0f", "0x85"})
"""MBR entries that only hold logical partitions."""

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
"""What a person calls a type, by its number."""


SYNC, IMMUTABLE, APPEND, NODUMP, NOATIME, DIRSYNC = 0x8, 0x10, 0x20, 0x40, 0x80, 0x10000
"""Flags that chattr(1) sets (linux/fs.h)."""

USUAL_FLAGS = SYNC | IMMUTABLE | APPEND | NODUMP | NOATIME
EXT_FLAGS = USUAL_FLAGS | DIRSYNC | 0x4000 | 0x8000 | 0x20000
"""Also a file's data through the journal, no merged tails, the top of a hierarchy (ext4's
EXT4_FL_USER_MODIFIABLE, without what depends on its features)."""

BTRFS_FLAGS = USUAL_FLAGS | DIRSYNC | 0x4 | 0x400 | 0x800000
"""Also compressed, not compressed, not copied on write."""

LINUX_ATTRIBUTES = ("user.", "trusted.", "security.", "system.posix_acl_")
"""How the names of extended attributes begin that every Linux filesystem with such keeps."""

XFS_ACLS = "trusted.SGI_ACL_"
"""What XFS shows of an ACL once more (linux/fs/xfs/xfs_xattr.c)."""

SECOND = 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class Holds:
    """What it can hold.

    `owners` are those with their permissions; `links` also pipes, sockets and devices, and several names of
    one file. `attributes` is how the names of extended attributes begin, `flags` those of chattr(1). Times
    are multiples of `grain` nanoseconds, from `since` on, in seconds. A file has `largest_bytes` at most, 0
    where that does not matter. A name has none of the characters `forbidden`, and where `ends_plainly` no
    point and no space at its end. Where it `folds_case`, two names differ by more than small and capital
    letters.
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
        """A time as it is held."""
        held = nanoseconds // self.grain * self.grain
        return held if self.since is None else max(held, self.since * SECOND)

    def attribute(self, name: str) -> bool:
        """Whether it holds an extended attribute of this name."""
        return name.startswith(self.attributes) and not name.startswith(XFS_ACLS)


LINUX = Holds()
"""What every filesystem of Linux's own holds."""

EVERYTHING = Holds(attributes=("",), flags=~0)
"""For a copy to the same kind."""

FORBIDDEN = '"*:<>?\\|'
"""In names that Windows takes (and linux/fs/fat/namei_vfat.c, vfat_bad_char)."""


Argv = tuple[str, ...]


def _no_fault(_label: str) -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Relabelling:
    """How a filesystem that exists gets another label: `command` takes its node, where it is mounted and the
    label, each empty where there is none.

    `mounted` tells whether that can be done in use. `fault` is what its program cannot take, as the end of a
    sentence. A label otherwise follows the rules of the filesystem `rules`, where that is another.
    """

    command: Callable[[str, str, str], Argv]
    mounted: bool = False
    fault: Callable[[str], Message | None] = _no_fault
    rules: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Growing:
    """How a filesystem comes to fill its partition: `commands` take its node, or where it is `mounted` for
    it, with these options, its place. `check` changes nothing and ends with 0 for a clean one that is not
    mounted, with the node behind it. `programs` show it on a stand-in beforehand. `smaller` are the commands
    that have it end within so many bytes, at its node or place as well; None for one that is not made
    smaller. `whole_pages`: a stand-in shows it only in those. The remarks are what is good to know before.

    `in_use` is the command for one that a person has mounted, by its node, place and member number; None for
    one that only grows unmounted. `shrinks_in_use` takes that back, with a size in bytes behind them.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class FilesystemKind:
    """A filesystem that a drive can hold. `name` is libblkid's TYPE.

    `kernel_names` are the names in /proc/filesystems of the drivers that mount it, the one to be asked for
    first; empty where Linux has none of its own. `order` is its place in lists, where those that have the
    same go by name. One that is only recognised says in sentences `why_not` it is made, and the `way_off` it;
    others have neither. Without `relabelling` it keeps its label, without `growing` its size; of what
    `never_shrinks` no program makes one smaller, and `why_not_grow` is the clause why none is trusted to make
    one larger. `holds` is what a copy to it keeps beside the content.
    """

    name: str
    title: str
    kernel_names: tuple[str, ...]
    order: int = 9
    why_not: Message | None = None
    way_off: Message | None = None
    relabelling: Relabelling | None = None
    growing: Growing | None = None
    never_shrinks: bool = False
    why_not_grow: Message | None = None
    holds: Holds = LINUX

    @property
    def made(self) -> bool:
        """Whether diskwright makes it."""
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class RecognisedKind(FilesystemKind):
    """A filesystem that is told by name, and not made."""


def _as_it_is(text: str) -> str:
    return text


def _as_given(options: Argv) -> Argv:
    return options


def _nothing(_geometry: Geometry, _place: Extent, options: Argv) -> Argv:
    return options


def with_suboptions(options: Argv, flag: str, extra: str) -> Argv:
    """The options with one more sub-option behind a flag that takes a list of them, such as mke2fs's -E: of
    two such flags only the last would count.
    """
    if flag not in options:
        return (*options, flag, extra)
    at = options.index(flag) + 1
    return (*options[:at], f"{options[at]},{extra}", *options[at + 1 :])


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeKind(FilesystemKind):
    """A filesystem that diskwright makes.

    `tool` makes it: `commands` gives the argument lists for an operation, in order. They ask
    nothing, and refuse a device that is mounted. `flags` are the options with a value, `bare_flags` those
    without, that advice may hand to it; whatever names a file or a device is not among them.

    `in_general` says in a sentence why most Linux volumes are better off with another one, for work that says
    nothing of this one. `minimum_bytes` (`minimum_why` is a clause) and `maximum_bytes` bound the volume;
    `striped_minimum_bytes` one over several drives. `zones` is why a drive whose zones the host must manage
    cannot take it, None where it can.

    A label has `label_bytes` of UTF-8 at most, is written as `fit_label` makes it, and `label_fault` adds
    what else is wrong with it as the end of a sentence. One that has a serial number instead of a UUID has it
    of `serial_digits` (8 or 16) hexadecimal digits. Where `uuid_follows`, a second program sets it after the
    first has drawn one of its own.

    `for_place` gives its options for a partition at this place of a drive with that geometry: what
    its maker would ask the drive for, and a stand-in does not tell.

    `discards` tells whether its maker tells the drive first that nothing in the volume is needed any more,
    unless an option forbids it.

    `clean_check` changes nothing and ends with 0 for a clean unmounted one, with the device behind it; empty
    where no program checks it. `mounted_check` ends with 0 where a mounted one has met no error, with its
    place behind it. `superblock_reader` tells how it is spread over an array, which `striping_in` reads out
    of its words. `silent_options` are those that hold without being listed as long as nothing else is.
    `fsck_pass` is fstab's last column. `seconds` to make it, roughly: at least, for each TiB on a drive that
    does not turn, and on one that does. `also` are further programs that `commands` or swap take.
    `needs_files` are files that its maker looks into, each with how it is had. `subvolumes` tells whether it
    has any. Where its maker can, `gives_top` adds to its options the uid and gid that the top is to belong
    to. Mounted with `quiet_options` it writes nothing by itself. `for_trial` are its options where it is made
    to be thrown away soon: it discards nothing, and leaves for later what can be left.
    """

    tool: str
    commands: Callable[[MakeFilesystem], tuple[Argv, ...]]
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
    fit_label: Callable[[str], str] = _as_it_is
    label_fault: Callable[[str], Message | None] = _no_fault
    for_place: Callable[[Geometry, Extent, Argv], Argv] = _nothing
    discards: bool = False
    serial_digits: int = 0
    uuid_follows: bool = False
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
    for_trial: Callable[[Argv], Argv] = _as_given
    gives_top: Callable[[Argv, int, int], Argv] | None = None
    quiet_options: Argv = ()

    @property
    def made(self) -> bool:
        """Whether diskwright makes it."""
        return True

    @property
    def makers(self) -> Argv:
        """Every program that making it and turning it on takes."""
        return (self.tool, *self.also)

    @property
    def programs(self) -> Argv:
        """Every program that making and checking it runs."""
        checks = [argv[0] for argv in (self.clean_check, self.superblock_reader) if argv]
        return tuple(dict.fromkeys((*self.makers, *checks)))

    @property
    def mounts(self) -> bool:
        """Whether it is mounted somewhere; otherwise it is turned on as swap."""
        return bool(self.kernel_names)

    def discards_with(self, options: Argv) -> bool:
        """Whether it does so with these options."""
        return self.discards and "-K" not in options and not any("nodiscard" in option for option in options)

    def uuid_of(self, drawn: str) -> str:
        """What libblkid will report where `drawn`, a plain lower-case UUID, is given to the maker: for a
        serial number its first digits."""
        serial = drawn.replace("-", "")[: self.serial_digits].upper()
        return drawn if not serial else serial if self.serial_digits == 16 else f"{serial[:4]}-{serial[4:]}"


def serial_of(uuid: str) -> str:
    """A serial number as programs take it: its hexadecimal digits, in lower case."""
    return uuid.replace("-", "").lower()


NO_ZONES = Sentence("{title} does not support zones")

# The types of partitions, as partitioners call them.
