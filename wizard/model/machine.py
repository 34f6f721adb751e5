"""Facts that the running system reports about its drives, without conclusions.

Unread facts are None, or an empty tuple if the drive's `unread` says so. `unread` contains the reason.
"""

from dataclasses import dataclass
from enum import StrEnum

from wizard.model.drive_facts import NO_SMART, Ata, Discard, Loader, NvmeFormat, Smart, Zones
from wizard.model.ext import Waiting
from wizard.model.geometry import Geometry
from wizard.model.said import Message


class Obstacle(StrEnum):
    """What stood against reading something, as far as it decides what to do about it: denied to this user;
    forbidden also to root, as in a container; a program that is not installed; a USB bridge that smartctl
    does not know; a table made for other blocks; a table that contradicts itself; anything else, mostly the
    drive or its cable."""

    DENIED = "denied"
    FORBIDDEN = "forbidden"
    NOT_INSTALLED = "not-installed"
    UNKNOWN_BRIDGE = "unknown-bridge"
    OTHER_BLOCKS = "other-blocks"
    CONTRADICTORY = "contradictory"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Unread:
    """One thing that could not be read. `what` is the field's name in the JSON document, `why` a whole
    sentence. `without_root`: it was tried without root, who may be able to.
    """

    what: str
    why: Message
    without_root: bool = False
    obstacle: Obstacle = Obstacle.FAILED


@dataclass(frozen=True, slots=True)
class Striping:
    """How data is spread over several devices, or is written to suit that: the same words for an array and
    for a filesystem on it.

    `unit_bytes` is what goes to one device at a stretch (md chunk, LVM stripe size, ext stride x block, XFS
    su); `width_bytes` that of all data devices together (ext stripe width x block, XFS su x sw). Of the two a
    filesystem may state one only: the other is 0.
    """

    unit_bytes: int
    width_bytes: int


@dataclass(frozen=True, slots=True)
class Signature:
    """A filesystem, RAID, encryption or volume manager's mark, as libblkid finds it.

    `kind` is libblkid's TYPE (`ext4`, `LVM2_member`, `crypto_LUKS`); `usage` one of `filesystem`, `raid`,
    `crypto`, `other`. `ambivalent` is true where several marks contradict each other and libblkid names none.
    `data_offset_bytes` is where the data of a container (md member, LUKS, LVM) begins, counted from its
    device's start; `striping` what an array or a filesystem's superblock says; `block_bytes` the block of a
    filesystem whose superblock was read; `features` an ext filesystem's words of features as they lie there:
    compatible, incompatible, and compatible for reading only. `unconverted`: an ext4 with a root folder that
    is mapped block by block. `taken_bytes` is what files and records take of an ext filesystem, by its
    superblock.
    """

    kind: str
    usage: str
    label: str | None = None
    uuid: str | None = None
    version: str | None = None
    offset_bytes: int | None = None
    ambivalent: bool = False
    data_offset_bytes: int | None = None
    striping: Striping | None = None
    block_bytes: int | None = None
    features: tuple[int, int, int] | None = None
    unconverted: bool = False
    taken_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Use:
    """Why a device may not be written. `kind`: mounted, swap, holder, loop-backing, raid-member,
    running-system or opened.

    `by` is the mount point, holder device or loop device, or what is said where that has no name; `subject`
    the device node that is in use.
    """

    kind: str
    subject: str
    by: Message | str


class Placed:
    """Whatever is a run of bytes on a drive."""

    __slots__ = ()
    start_bytes: int
    size_bytes: int

    @property
    def end_bytes(self) -> int:
        """The first byte behind it."""
        return self.start_bytes + self.size_bytes

    @property
    def extent(self) -> "Extent":
        """Where it lies, and no more."""
        return Extent(self.start_bytes, self.size_bytes)

    def is_within(self, other: "Placed") -> bool:
        """Whether all of it lies in the other."""
        return other.start_bytes <= self.start_bytes and self.end_bytes <= other.end_bytes

    def overlaps(self, other: "Placed") -> bool:
        """Whether they have a byte in common."""
        return self.start_bytes < other.end_bytes and other.start_bytes < self.end_bytes


@dataclass(frozen=True, slots=True)
class Extent(Placed):
    """A run of bytes on a drive."""

    start_bytes: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Partition(Placed):
    """An entry of a partition table, with what lives in it.

    `type` is a lower-case GUID on GPT and `0x83` style on MBR; `name` the GPT label; `attributes` the 64 GPT
    bits or the MBR boot byte; `kernel_start_bytes` and `kernel_size_bytes` what the kernel believes, None
    where it has no node for this entry. `superblock_copy_bytes`: nothing is recognised in it, but the copy of
    an ext superblock lies there, counted from its start. `superblock_digest` is of all superblocks recognised
    in it, with their times and counts; None where none was taken. `moving`: the journal of a move that is not
    over lies in it.
    """

    path: str
    number: int
    start_bytes: int
    size_bytes: int
    type: str | None = None
    name: str | None = None
    part_uuid: str | None = None
    attributes: int = 0
    signatures: tuple[Signature, ...] = ()
    mount_points: tuple[str, ...] = ()
    kernel_start_bytes: int | None = None
    kernel_size_bytes: int | None = None
    superblock_copy_bytes: int | None = None
    superblock_digest: str | None = None
    moving: bool = False

    @property
    def filesystem(self) -> str | None:
        """The kind of the one signature that is a filesystem or a container; None for none or several."""
        return (
            self.signatures[0].kind
            if len(self.signatures) == 1 and not self.signatures[0].ambivalent
            else None
        )


@dataclass(frozen=True, slots=True)
class Table:
    """A partition table. `kind`: gpt, mbr, hybrid, other (Apple, BSD, Sun, DASD ...) or none.

    `first_usable_bytes` and `end_usable_bytes` bound where partitions may lie, the end exclusive. `backup` of
    a GPT: ok, missing, damaged or misplaced; `primary`: ok or damaged. None where not applicable or unread.
    `ordinary` of a GPT: whether its entries are of the usual size and lie where every program puts them when
    it writes a table again: right behind the first header and right before the second; `most_partitions`: how
    many entries it has room for. `own` is where the table itself lies, also where a damaged copy should be:
    headers, entries, and the records of logical partitions.
    """

    kind: str
    uuid: str | None = None
    first_usable_bytes: int | None = None
    end_usable_bytes: int | None = None
    primary: str | None = None
    backup: str | None = None
    ordinary: bool | None = None
    most_partitions: int | None = None
    own: tuple[Extent, ...] = ()


@dataclass(frozen=True, slots=True)
class Layer:
    """A block device built on this drive: md, LVM, LUKS, bcache, loop. `path` its node, `below` the node it
    stands on.

    `offset_bytes` is where its data begin on `below`; `geometry` what the kernel says of the layer itself;
    `signatures` what it holds.
    """

    kind: str
    path: str
    below: str
    mount_points: tuple[str, ...] = ()
    size_bytes: int | None = None
    geometry: Geometry | None = None
    offset_bytes: int | None = None
    striping: Striping | None = None
    signatures: tuple[Signature, ...] = ()


@dataclass(frozen=True, slots=True)
class Drive:
    """A whole drive. `path` is its kernel node; `bus` ata, sata, scsi, nvme, usb, virtio, mmc, loop ...

    `rotational` is None where nobody said whether it turns. `rotation_rate` is the drive's own word: 1 for
    solid state, else turns a minute. `kernel_rotational` is queue/rotational, which is true by default.
    `same_serial` and `same_wwn` are the nodes of other attached drives that tell the same number: by these
    two names it may be one drive. `zoned` is the kernel's queue/zoned: none, host-aware or host-managed.
    `vpd_zoned` are bits 5:4 of SCSI VPD page B1h byte 8. `content_digest` covers the bytes of the table and
    every signature found; None where they could not be read. `nvme_format_scope` is what an NVMe Format
    command erases: namespace, all (every namespace of the controller), none (the controller has no such
    command); None where unknown. `superblock_copy_bytes` and `superblock_digest` are as a partition's, on a
    drive without a table. `waiting` is what the drive's own notice says; None, too, where nobody could look,
    as a plain user.
    """

    path: str
    size_bytes: int | None
    geometry: Geometry | None
    by_id: tuple[str, ...] = ()
    model: str | None = None
    vendor: str | None = None
    revision: str | None = None
    serial: str | None = None
    wwn: str | None = None
    same_serial: tuple[str, ...] = ()
    same_wwn: tuple[str, ...] = ()
    bus: str | None = None
    rotational: bool | None = None
    rotation_rate: int | None = None
    kernel_rotational: bool | None = None
    removable: bool | None = None
    read_only: bool | None = None
    zoned: str | None = None
    zones: Zones | None = None
    vpd_zoned: int | None = None
    discard: Discard | None = None
    scheduler: str | None = None
    schedulers: tuple[str, ...] = ()
    diskseq: int | None = None
    backing_file: str | None = None
    smart: Smart = NO_SMART
    ata: Ata | None = None
    nvme_formats: tuple[NvmeFormat, ...] = ()
    nvme_format_scope: str | None = None
    table: Table | None = None
    signatures: tuple[Signature, ...] = ()
    partitions: tuple[Partition, ...] = ()
    free: tuple[Extent, ...] = ()
    layers: tuple[Layer, ...] = ()
    loaders: tuple[Loader, ...] = ()
    uses: tuple[Use, ...] = ()
    content_digest: str | None = None
    superblock_copy_bytes: int | None = None
    superblock_digest: str | None = None
    waiting: Waiting | None = None
    unread: tuple[Unread, ...] = ()

    @property
    def token(self) -> str:
        """What a person types to confirm: the serial, or the device's name where there is none, or another
        drive tells the same."""
        return self.serial if self.serial and not self.same_serial else self.path.removeprefix("/dev/")

    @property
    def zone_bytes(self) -> int | None:
        """What a zone spans; None where the drive has none."""
        return self.zones.size_bytes if self.zones else None

    @property
    def is_empty(self) -> bool | None:
        """No table, partition, signature or notice of what waits, nor anything in zones that the host must
        manage; None where that could not be read."""
        if self.table is None:
            return None
        return (
            self.table.kind == "none"
            and not self.signatures
            and not self.partitions
            and not self.unrecognised_zones
            and not self.waiting
        )

    @property
    def unrecognised_zones(self) -> int:
        """How many zones of a host-managed drive hold something while nothing is recognised on it: programs
        write to zones directly."""
        recognised = self.signatures or self.partitions or self.table is None or self.table.kind != "none"
        return (
            0 if recognised or self.zones is None or self.zoned != "host-managed" else self.zones.written or 0
        )

    def is_unread(self, part: Partition) -> bool:
        """Whether what a partition holds is not known, since not all of the drive could be read."""
        return not part.signatures and self.content_digest is None

    def partition(self, path: str) -> Partition | None:
        """The partition with this node, if the drive has it."""
        return next((part for part in self.partitions if part.path == path), None)


@dataclass(frozen=True, slots=True)
class Kernel:
    """The running kernel: `release` as uname -r; `filesystems` those it has or can load, by name (`ext4`,
    `xfs`, `btrfs`).

    `options` are those of its configuration that advice asks about, without `CONFIG_`, and whether it was
    built with them. `architecture` as uname -m (`x86_64`), empty where it was not recorded. `modules` are
    those that layers on drives need, and `loop`, and whether it has or can load them.
    """

    release: str
    filesystems: frozenset[str] = frozenset()
    options: tuple[tuple[str, bool], ...] = ()
    architecture: str = ""
    modules: tuple[tuple[str, bool], ...] = ()

    def lacks(self, module: str) -> bool:
        """Whether the kernel surely neither has nor can load a module (`dm_crypt`); false where that is not
        known."""
        return dict(self.modules).get(module) is False

    def built_with(self, option: str) -> bool | None:
        """Whether the kernel was built with an option; None where that could not be read."""
        return dict(self.options).get(option)

    @property
    def version(self) -> tuple[int, int]:
        """Major and minor: (6, 12) for `6.12.9-arch1`; (0, 0) where the release has no such form."""
        numbers = self.release.split("-")[0].split(".")
        if len(numbers) >= 2 and numbers[0].isdigit() and numbers[1].isdigit():
            return int(numbers[0]), int(numbers[1])
        return 0, 0


@dataclass(frozen=True, slots=True)
class Program:
    """What a program said of itself: its version's first two numbers, (0, 0) where unknown, and the features
    it lists."""

    name: str
    version: tuple[int, int] = (0, 0)
    features: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Machine:
    """Everything the later rooms may know. `tools` maps a program's name to its path, for programs that were
    found; `programs` are those of them that were asked about themselves, which happens where a zoned drive
    makes it matter.

    `boot_id` is the kernel's own name for the time since it started. `missing_files` are those that are not
    there of what makers of filesystems look into. `family` is that of the distribution: debian, fedora, arch,
    suse, alpine or void; empty where it is another one, or was not recorded. A container is no live medium.
    """

    kernel: Kernel
    drives: tuple[Drive, ...]
    tools: tuple[tuple[str, str], ...] = ()
    root: bool = False
    live_medium: bool = False
    in_container: bool = False
    memory_bytes: int | None = None
    unread: tuple[Unread, ...] = ()
    boot_id: str | None = None
    programs: tuple[Program, ...] = ()
    missing_files: tuple[str, ...] = ()
    family: str = ""

    def program(self, name: str) -> Program | None:
        """What a program said of itself; None where it was not asked or said nothing."""
        return next((program for program in self.programs if program.name == name), None)

    def has_tool(self, name: str) -> bool:
        """Whether the program was found on this machine."""
        return any(found == name for found, _ in self.tools)

    def is_medium(self, drive: Drive) -> bool:
        """Whether the running system is a live one that was started from this drive."""
        return self.live_medium and any(use.kind == "running-system" for use in drive.uses)

    def drive(self, path: str) -> Drive | None:
        """The drive with this node or by-id link, if there is one."""
        return next((drive for drive in self.drives if path == drive.path or path in drive.by_id), None)
