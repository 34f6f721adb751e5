"""Raw facts as read, before interpretation. `inspect --save` records, and `--machine` replays them."""

from dataclasses import dataclass, field

from wizard.model.machine import Obstacle
from wizard.model.said import Message

SCHEMA = "diskwright.facts/1"


@dataclass(frozen=True, slots=True)
class RawError:
    """One thing that could not be read: the name of the field in the JSON document, why, and what stood
    against it. Recordings that are older than the codes have a text, and no obstacle: see `older`."""

    what: str
    why: Message | str
    obstacle: Obstacle | None = None


@dataclass(frozen=True, slots=True)
class RawChunk:
    """Bytes of the drive, in base64."""

    offset_bytes: int
    data: str


@dataclass(frozen=True, slots=True)
class RawSignature:
    """One superblock as libblkid (or udev's database) names it. `offset_bytes` counts from the start of its
    device."""

    kind: str
    usage: str
    label: str | None = None
    uuid: str | None = None
    version: str | None = None
    offset_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class RawContent:
    """What lives on one device. `ambivalent` when libblkid refuses to choose among the signatures.
    `superblock_digest` is of the bytes of all superblocks that were recognised; None where there is none, or
    it was not taken, as in older recordings.
    """

    signatures: tuple[RawSignature, ...] = ()
    ambivalent: bool = False
    superblock_digest: str | None = None


@dataclass(frozen=True, slots=True)
class RawEntry:
    """A partition in libblkid's list, which counts in units of 512 bytes; in bytes here."""

    number: int
    start_bytes: int
    size_bytes: int
    type: int


@dataclass(frozen=True, slots=True)
class RawPartition:
    """A partition that the kernel knows: its sysfs texts by attribute, and its properties in udev's
    database."""

    sysfs: dict[str, str]
    udev: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RawLayer:
    """A device built on a drive: its sysfs texts by attribute, udev's properties, and what lives on it, None
    where it was not read.

    `superblocks` are bytes of those that say where data begin, counted from the layer's start.
    """

    sysfs: dict[str, str] = field(default_factory=dict)
    udev: dict[str, str] = field(default_factory=dict)
    content: RawContent | None = None
    superblocks: tuple[RawChunk, ...] = ()


@dataclass(frozen=True, slots=True)
class RawZones:
    """A run of neighbouring zones that are alike: their type as the kernel numbers it (linux/blkzoned.h),
    size and capacity.

    `written` is how many of them have their write pointer behind their start, or are full.
    """

    count: int
    type: int
    size_bytes: int
    capacity_bytes: int
    written: int = 0


@dataclass(frozen=True, slots=True)
class RawNotice:
    """What a drive that waits says of itself: bytes of the drive, in base64, and whether all that is withheld
    from it is not there."""

    offset_bytes: int
    data: str
    bare: bool


@dataclass(frozen=True, slots=True)
class RawDrive:
    """One drive. Dictionaries by node name (`sda1`) have the drive itself under its own name.

    `vpd` are SCSI pages by number in base64; `table_kind` libblkid's PTTYPE, empty where it found none, None
    where it was not asked; `contents` is None where the drive could not be read; `superblocks` are bytes of
    those named there, counted from their device's start; `layers` are the devices built on the drive, by
    name; `claimable` says whether an exclusive open of the node worked; `smart` is the output of smartctl;
    `nvme` the namespace's and the controller's Identify data in base64; `zones` are a zoned drive's, in their
    order, or none where they were not read; `notice` is None where there is none, or nobody looked;
    `moving` are the numbers of the entries that hold the journal of a move that is not over; `starters` the
    first sectors of the drive and of partitions in which GRUB lies.
    """

    name: str
    path: str
    sysfs_path: str = ""
    sysfs: dict[str, str] = field(default_factory=dict)
    vpd: dict[str, str] = field(default_factory=dict)
    udev: dict[str, str] = field(default_factory=dict)
    partitions: dict[str, RawPartition] = field(default_factory=dict)
    table_kind: str | None = None
    table_entries: tuple[RawEntry, ...] = ()
    chunks: tuple[RawChunk, ...] = ()
    contents: dict[str, RawContent] | None = None
    superblocks: dict[str, tuple[RawChunk, ...]] = field(default_factory=dict)
    layers: dict[str, RawLayer] = field(default_factory=dict)
    claimable: dict[str, bool] = field(default_factory=dict)
    smart: str | None = None
    nvme: dict[str, str] = field(default_factory=dict)
    zones: tuple[RawZones, ...] = ()
    notice: RawNotice | None = None
    moving: tuple[int, ...] = ()
    starters: tuple[RawChunk, ...] = ()
    medium: bool = True
    errors: tuple[RawError, ...] = ()


@dataclass(frozen=True, slots=True)
class RawBlock:
    """A node of the kernel's graph of block devices. `disk` is the whole disk of a partition;
    `backing_number` that of a loop's device, and `backing_inode` (device:inode) that of a loop's file, by
    which two loops over one file are known.
    """

    number: str
    disk: str | None = None
    holders: tuple[str, ...] = ()
    dm_name: str | None = None
    dm_uuid: str | None = None
    md_level: str | None = None
    md_state: str | None = None
    backing_file: str | None = None
    backing_number: str | None = None
    backing_inode: str | None = None


@dataclass(frozen=True, slots=True)
class RawMounts:
    """One mount namespace: the lines of its mountinfo that name block devices, or the root."""

    own: bool
    first: bool
    text: str


@dataclass(frozen=True, slots=True)
class RawGraph:
    """Who uses what: block devices by name, mounts of every namespace that could be seen, swaps, and
    filesystems the kernel has open.

    `numbers` maps device paths that mounts and swaps name to their major:minor; `btrfs` a mounted
    filesystem's UUID to its devices; `active` a filesystem's kind to the devices it has mounted, in whatever
    namespace.
    """

    blocks: dict[str, RawBlock]
    mounts: tuple[RawMounts, ...]
    swaps: str
    numbers: dict[str, str] = field(default_factory=dict)
    btrfs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    active: dict[str, tuple[str, ...]] = field(default_factory=dict)
    errors: tuple[RawError, ...] = ()


@dataclass(frozen=True, slots=True)
class RawMachine:
    """Everything that was read. `filesystems` is /proc/filesystems; `modules` are filesystem modules that can
    be loaded or are built in.

    `config` are lines of the kernel's configuration, and `said` what programs said of themselves, by command:
    both only read where there is a drive that they matter for. `missing_files` are those that are not there
    of what makers of filesystems look into. `shown_modules` are those of the device mapper and of md that
    /sys/module has, `listed_modules` those of them that can be loaded or are built in by the lists in
    /lib/modules, and `loads_modules` says whether the kernel loads any; None where it was not recorded, or
    there was no list. `has_loop`: whether it has or can load loop devices; None likewise, or where that could
    not be told. `os_release` are the lines of os-release(5) that say which distribution this is; empty where
    they were not recorded. `container` is what tells that this runs in one, by the path where it was read;
    empty, too, where it was not recorded. `attached` are the drives that the kernel has with no more than the
    numbers that they tell, whichever were asked for.
    """

    release: str
    filesystems: str
    modules: tuple[str, ...]
    memory: str
    root: bool
    tools: dict[str, str]
    links: dict[str, tuple[str, ...]]
    graph: RawGraph
    drives: tuple[RawDrive, ...] = ()
    boot_id: str | None = None
    config: str = ""
    said: dict[str, str] = field(default_factory=dict)
    architecture: str = ""
    missing_files: tuple[str, ...] = ()
    shown_modules: tuple[str, ...] | None = None
    listed_modules: tuple[str, ...] | None = None
    loads_modules: bool | None = None
    has_loop: bool | None = None
    os_release: str = ""
    container: dict[str, str] = field(default_factory=dict)
    attached: tuple[RawDrive, ...] = ()
