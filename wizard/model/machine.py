"""Facts that the running system reports about its drives, without conclusions.

Unread facts are None, or an empty tuple if the drive's `unread` says so. `unread` contains the reason.
"""

from collections.abc import Iterable
from enum import StrEnum

from msgspec import Struct

from wizard.model import drive_facts
from wizard.model.errors import FrozenStruct, WhereUsed
from wizard.model.geometry import Geometry
from wizard.model.run import Waiting
from wizard.model.said import Message


class Obstacle(StrEnum):
    """Why something could not be read, as far as the remedy depends on it. FORBIDDEN: even to root, as in a
    container. OTHER_BLOCKS: the table is for another block size. FAILED: all else, mostly the drive or
    cable."""

    DENIED = "denied"
    FORBIDDEN = "forbidden"
    NOT_INSTALLED = "not-installed"
    UNKNOWN_BRIDGE = "unknown-bridge"
    OTHER_BLOCKS = "other-blocks"
    CONTRADICTORY = "contradictory"
    CONTROLLER = "controller"
    FAILED = "failed"


class Unread(FrozenStruct):
    """A value that could not be read. `what`: field in the JSON document. `why`: a complete sentence.
    `without_root`: root may be able to read the value."""

    what: str
    why: Message
    without_root: bool = False
    obstacle: Obstacle = Obstacle.FAILED


class Striping(FrozenStruct):
    """Striping over several devices, or a filesystem tuned for it. `unit_bytes`: contiguous data per device
    (md chunk, LVM stripe size, ext stride x block, XFS su). `width_bytes`: sum over all data devices. A
    filesystem may record only one; the other is 0."""

    unit_bytes: int
    width_bytes: int


class Signature(FrozenStruct):
    """Signature of a filesystem, RAID, encryption or volume manager, as libblkid finds it, with facts from
    its superblock. `kind`: libblkid's TYPE (`ext4`, `LVM2_member`). `usage`: `filesystem`, `raid`, `crypto`
    or `other`. `ambivalent`: signatures contradict each other, so libblkid names none. `data_offset_bytes`:
    start of the data in a container, or of the files in FAT. `features`: feature words of ext: compatible,
    incompatible, read-only compatible. `unconverted`: ext4 whose root directory has a block map instead of
    extents. `taken_bytes`: used space of ext. `size_bytes`: bytes that the content occupies from the start of
    the device. `member`: UUID of this device among those that share `uuid`. `unclean`: NTFS that Windows will
    check. `group`: name of the volume group, or UUID of the bcache set. `level`: of the md array (`raid5`),
    `mirror`, `raidz2` or `disk` for ZFS, `cache` or `backing` for bcache. `number`: of this md member, None
    for spares. `devices`: number of devices, for ZFS and bcache the least. `most_bytes`: largest size to
    which an unmounted ext can grow. `damaged_copy`: one of the two LUKS2 headers is damaged or unknown.
    `used_bytes`: by the superblock's counters, which can be old while mounted: of all devices for Btrfs, of
    this device for LVM. `data_profile`, `metadata_profile`: weakest profile of a Btrfs."""

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
    size_bytes: int | None = None
    member: str | None = None
    unclean: bool = False
    group: str | None = None
    level: str | None = None
    number: int | None = None
    devices: int | None = None
    most_bytes: int | None = None
    damaged_copy: bool = False
    used_bytes: int | None = None
    data_profile: str | None = None
    metadata_profile: str | None = None

    @property
    def is_shared(self) -> bool:
        """True if the volume is on several devices. A bcache cache does not count its backing devices."""
        return (self.devices or 0) > 1 or self.level == "cache"

    @property
    def name(self) -> str | None:
        """The name of the volume group, the bcache set's UUID, or the label."""
        return self.group or self.label


def kinds_in(signatures: Iterable[Signature]) -> str:
    """Return the kinds as text: `ext4+btrfs`."""
    return "+".join(mark.kind for mark in signatures)


class Use(FrozenStruct):
    """Why a device must not be written. `kind`: mounted, swap, holder, loop-backing, raid-member, running-
    system or opened. `subject`: device in use. `by`: mount point, holder or loop device, or a description."""

    kind: str
    subject: str
    by: Message | str


class Placed:
    """Base class of byte ranges on a drive."""

    __slots__ = ()
    start_bytes: int
    size_bytes: int

    @property
    def end_bytes(self) -> int:
        """First byte after the range."""
        return self.start_bytes + self.size_bytes

    @property
    def extent(self) -> "Extent":
        """The byte range alone."""
        return Extent(self.start_bytes, self.size_bytes)

    def is_within(self, other: "Placed") -> bool:
        """Return True if this range is within the other."""
        return other.start_bytes <= self.start_bytes and self.end_bytes <= other.end_bytes

    def overlaps(self, other: "Placed") -> bool:
        """Return True if the ranges share a byte."""
        return self.start_bytes < other.end_bytes and other.start_bytes < self.end_bytes


class Extent(Placed, Struct, frozen=True):
    """A byte range on a drive."""

    start_bytes: int
    size_bytes: int

    def without(self, others: Iterable[Placed]) -> "tuple[Extent, ...]":
        """Return the parts outside all `others`."""
        rest = [self]
        for other in others:
            cut = []
            for piece in rest:
                if not piece.overlaps(other):
                    cut.append(piece)
                    continue
                if other.start_bytes > piece.start_bytes:
                    cut.append(Extent(piece.start_bytes, other.start_bytes - piece.start_bytes))
                if other.end_bytes < piece.end_bytes:
                    cut.append(Extent(other.end_bytes, piece.end_bytes - other.end_bytes))
            rest = cut
        return tuple(rest)


class Partition(Placed, Struct, frozen=True):
    """An entry of a partition table, and the contents. `type`: lower-case GUID on GPT, `0x83` style on MBR.
    `attributes`: the 64 GPT bits or the MBR boot byte. `kernel_start_bytes` and `kernel_size_bytes`: None if
    the kernel has no node. `superblock_copy_bytes`: an ext superblock copy, without recognised contents.
    `superblock_digest`: of all recognised superblocks, including times and counters. `moving`: has the
    journal of an unfinished move. `data_at_bytes`: as in drives, from the start of the partition."""

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
    data_at_bytes: int | None = None

    @property
    def overhang(self) -> Extent | None:
        """Where the content continues after the end, or None."""
        sizes = [mark.size_bytes or 0 for mark in self.signatures if not mark.ambivalent]
        more = max(sizes, default=0) - self.size_bytes
        return Extent(self.end_bytes, more) if more > 0 else None

    @property
    def shown_name(self) -> str | None:
        """Name in the contents or the table, or None."""
        return next((mark.name for mark in self.signatures if mark.name), None) or self.name

    @property
    def is_unfilled(self) -> bool:
        """True if the only content leaves more than a tenth of the partition unused."""
        size = self.signatures[0].size_bytes if self.filesystem else None
        return size is not None and 0 < size < self.size_bytes * 9 // 10

    @property
    def filesystem(self) -> str | None:
        """Kind of the only signature, or None."""
        return (
            self.signatures[0].kind
            if len(self.signatures) == 1 and not self.signatures[0].ambivalent
            else None
        )


class Table(FrozenStruct):
    """A partition table. `kind`: gpt, mbr, hybrid, other or none. The usable end is exclusive. GPT only:
    `primary` is ok or damaged, `backup` ok, missing, damaged or misplaced; `ordinary`: entries have the usual
    size and location, as every tool rewrites them; `most_partitions`: capacity. `own`: headers, entries and
    records of logical partitions, including the expected place of a damaged copy."""

    kind: str
    uuid: str | None = None
    first_usable_bytes: int | None = None
    end_usable_bytes: int | None = None
    primary: str | None = None
    backup: str | None = None
    ordinary: bool | None = None
    most_partitions: int | None = None
    own: tuple[Extent, ...] = ()


class Layer(FrozenStruct):
    """A block device stacked on this drive: md, LVM, LUKS, bcache, loop. `offset_bytes`: start of the data on
    the device `below`. `geometry`: as the kernel reports it."""

    kind: str
    path: str
    below: str
    mount_points: tuple[str, ...] = ()
    size_bytes: int | None = None
    geometry: Geometry | None = None
    offset_bytes: int | None = None
    striping: Striping | None = None
    signatures: tuple[Signature, ...] = ()


class Drive(FrozenStruct):
    """A whole drive. `bus`: ata, sata, scsi, nvme, usb, virtio, mmc, loop ... `link_megabits`: speed of
    the drive's link in Mb/s. `rotation_rate`: 1 for solid state, else revolutions per minute.
    `kernel_rotational`: queue/rotational, true by default. `same_serial` and `same_wwn`: other attached
    drives with the same number; two nodes may be one drive. `zoned`: none, host-aware or host-managed.
    `vpd_zoned`: bits 5:4 of SCSI VPD page B1h byte 8. `content_digest`: covers the table and all
    signatures. `nvme_format_scope`: what an NVMe Format erases: namespace, all (of the controller), none
    (not supported). `superblock_copy_bytes` and `superblock_digest`: as in partitions, without a table.
    `waiting`: from the notice on the drive. `data_at_bytes`: first place in a sample that is not zero,
    without table and signatures. `lost`: partitions whose table is lost, from a lone backup GPT or the
    filesystems found at usual starts. Their nodes do not exist."""

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
    link_megabits: int | None = None
    rotational: bool | None = None
    rotation_rate: int | None = None
    kernel_rotational: bool | None = None
    removable: bool | None = None
    read_only: bool | None = None
    zoned: str | None = None
    zones: drive_facts.Zones | None = None
    vpd_zoned: int | None = None
    discard: drive_facts.Discard | None = None
    scheduler: str | None = None
    schedulers: tuple[str, ...] = ()
    diskseq: int | None = None
    backing_file: str | None = None
    smart: drive_facts.Smart = drive_facts.Smart()
    ata: drive_facts.Ata | None = None
    nvme_formats: tuple[drive_facts.NvmeFormat, ...] = ()
    nvme_format_scope: str | None = None
    table: Table | None = None
    signatures: tuple[Signature, ...] = ()
    partitions: tuple[Partition, ...] = ()
    free: tuple[Extent, ...] = ()
    layers: tuple[Layer, ...] = ()
    loaders: tuple[drive_facts.Loader, ...] = ()
    uses: tuple[Use, ...] = ()
    content_digest: str | None = None
    superblock_copy_bytes: int | None = None
    superblock_digest: str | None = None
    waiting: Waiting | None = None
    data_at_bytes: int | None = None
    lost: tuple[Partition, ...] = ()
    unread: tuple[Unread, ...] = ()

    @property
    def token(self) -> str:
        """What the user types to confirm: the serial number, or the device name if the serial number is
        missing or shared."""
        return self.serial if self.serial and not self.same_serial else self.path.removeprefix("/dev/")

    @property
    def nodes(self) -> tuple[str, ...]:
        """Nodes of the drive and the partitions."""
        return (self.path, *(part.path for part in self.partitions))

    @property
    def table_kind(self) -> str:
        """Kind of the table, or `unread`."""
        return self.table.kind if self.table else "unread"

    @property
    def has_table(self) -> bool:
        """True if a table was found."""
        return self.table_kind not in ("none", "unread")

    @property
    def runs_system(self) -> bool:
        """True if the running system is on this drive."""
        return any(use.kind == "running-system" for use in self.uses)

    @property
    def is_often_unplugged(self) -> bool:
        """True if the drive is likely unplugged at times."""
        return bool(self.removable) or self.bus in ("usb", "mmc")

    @property
    def discards(self) -> bool:
        """True if the drive supports discard."""
        return self.discard is not None and self.discard.maximum_bytes > 0

    @property
    def zone_bytes(self) -> int | None:
        """Zone size in bytes, None for drives without zones."""
        return self.zones.size_bytes if self.zones else None

    @property
    def is_empty(self) -> bool | None:
        """True without table, partition, signature, notice, and data in a sample or zones. None if unread."""
        if self.table is None:
            return None
        return (
            not self.has_table
            and not self.signatures
            and not self.partitions
            and not self.unrecognised_zones
            and self.data_at_bytes is None
            and not self.waiting
        )

    @property
    def unrecognised_zones(self) -> int:
        """Number of written zones on a host-managed drive without recognised contents."""
        recognised = self.signatures or self.partitions or self.table_kind != "none"
        return (
            0 if recognised or self.zones is None or self.zoned != "host-managed" else self.zones.written or 0
        )

    def why_unread(self, *fields: str) -> Message | None:
        """Return why a field is unread."""
        return next((unread.why for unread in self.unread if unread.what in fields), None)

    def is_unread(self, part: Partition) -> bool:
        """Return True if the contents of a partition are unknown."""
        return not part.signatures and self.content_digest is None

    @property
    def signatures_by_device(self) -> tuple[tuple[str, tuple[Signature, ...]], ...]:
        """The signatures on the drive, then in each partition, by node."""
        return (self.path, self.signatures), *((part.path, part.signatures) for part in self.partitions)

    @property
    def marks(self) -> tuple[tuple[str, Signature], ...]:
        """Each signature with the node."""
        return tuple((device, mark) for device, marks in self.signatures_by_device for mark in marks)

    def signatures_on(self, device: str) -> tuple[Signature, ...]:
        """The signatures on the drive itself or a partition."""
        return dict(self.signatures_by_device).get(device, ())

    def content_on(self, device: str) -> tuple[str, str] | None:
        """Kind and UUID of the only signature on a device, or of the drive's table without signatures."""
        marks = self.signatures_on(device)
        if len(marks) == 1:
            return marks[0].kind, marks[0].uuid or ""
        if marks or device != self.path or self.table is None:
            return None
        return self.table.kind, self.table.uuid or ""

    def partition(self, path: str) -> Partition | None:
        """Return the partition with this node, or None."""
        return next((part for part in self.partitions if part.path == path), None)


class Kernel(FrozenStruct):
    """The running kernel. `filesystems`: supported or loadable. `options`: build options that advice needs,
    without `CONFIG_`. `architecture`: as in uname -m. `modules`: those of layers, and `loop`, and if they are
    available."""

    release: str
    filesystems: frozenset[str] = frozenset()
    options: tuple[tuple[str, bool], ...] = ()
    architecture: str = ""
    modules: tuple[tuple[str, bool], ...] = ()

    def lacks(self, module: str) -> bool:
        """Return True if a module is definitely not available."""
        return dict(self.modules).get(module) is False

    @property
    def version(self) -> tuple[int, int]:
        """Major and minor version; (0, 0) if not of this form."""
        numbers = self.release.split("-")[0].split(".")
        if len(numbers) >= 2 and numbers[0].isdigit() and numbers[1].isdigit():
            return int(numbers[0]), int(numbers[1])
        return 0, 0


class Program(FrozenStruct):
    """A program's version ((0, 0) if unknown) and features. `defaults`: features that its configuration
    enables."""

    name: str
    version: tuple[int, int] = (0, 0)
    features: frozenset[str] = frozenset()
    defaults: frozenset[str] = frozenset()


class Machine(FrozenStruct):
    """Facts about the system and the drives. `tools`: installed programs with paths. `programs`: versions and
    features of mkfs tools. `missing_files`: files that mkfs programs lack. `family`: debian, fedora, arch,
    suse, alpine or void, else empty. `live_medium` is false in a container. `unprobed`: other attached
    drives, with only the UUIDs in udev's database."""

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
    unprobed: WhereUsed[tuple[Drive, ...]] = ()

    @property
    def attached(self) -> tuple[Drive, ...]:
        """All drives, read or not."""
        return (*self.drives, *self.unprobed)

    def program(self, name: str) -> Program | None:
        """Return a program's version and features, or None if not read."""
        return next((program for program in self.programs if program.name == name), None)

    def has_tool(self, name: str) -> bool:
        """Return True if the program is installed."""
        return any(found == name for found, _ in self.tools)

    def is_medium(self, drive: Drive) -> bool:
        """Return True if the running live system booted from this drive."""
        return self.live_medium and drive.runs_system

    def drive(self, path: str) -> Drive | None:
        """Return the drive with this node or by-id link, or None."""
        return next((drive for drive in self.drives if path == drive.path or path in drive.by_id), None)
