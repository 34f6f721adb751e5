"""Raw facts before interpretation: recorded by `inspect --save`, replayed by `--machine`. Also reads devices,
with the reasons for unread facts: a message and an obstacle. Recordings contain bytes in base64."""

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import Struct

from wizard.model.machine import Obstacle
from wizard.model.said import Message, Sentence, t

SCHEMA = "diskwright.facts/1"


class RawError(Struct, frozen=True):
    """An unread fact: the field's name in the JSON document, reason, and obstacle. Old recordings have a text
    and no obstacle."""

    what: str
    why: Message | str
    obstacle: Obstacle | None = None


class RawChunk(Struct, frozen=True):
    """Bytes of a device, in base64."""

    offset_bytes: int
    data: bytes


class RawSignature(Struct, frozen=True):
    """A superblock as libblkid or udev describes it. `member`: UUID_SUB. The rest as in Signature."""

    kind: str
    usage: str
    label: str | None = None
    uuid: str | None = None
    version: str | None = None
    offset_bytes: int | None = None
    member: str | None = None
    damaged_copy: bool = False
    data_profile: str | None = None
    metadata_profile: str | None = None


class RawContent(Struct, frozen=True):
    """The signatures on a device. `ambivalent`: libblkid refuses to choose. `superblock_digest`: of all
    recognised superblocks; missing in older recordings."""

    signatures: tuple[RawSignature, ...] = ()
    ambivalent: bool = False
    superblock_digest: str | None = None


NO_CONTENT = RawContent()


class RawEntry(Struct, frozen=True):
    """A partition in libblkid's list. `type` is 0 for a partition whose table is lost."""

    number: int
    start_bytes: int
    size_bytes: int
    type: int = 0


class RawData(Struct, frozen=True):
    """The first sampled place with data, without a signature, and the SHA-256 of the piece."""

    offset_bytes: int
    sha256: str


class RawPartition(Struct, frozen=True):
    """A partition in the kernel: sysfs texts and udev's properties."""

    sysfs: dict[str, str]
    udev: dict[str, str] = {}


class RawLayer(Struct, frozen=True):
    """A device built on a drive. `content` is None if unread. `superblocks` count from the start of the
    layer."""

    sysfs: dict[str, str] = {}
    udev: dict[str, str] = {}
    content: RawContent | None = None
    superblocks: tuple[RawChunk, ...] = ()


class RawZones(Struct, frozen=True):
    """A run of adjacent equal zones. `type` as in linux/blkzoned.h. `written`: full zones and those with the
    write pointer past the start."""

    count: int
    type: int
    size_bytes: int
    capacity_bytes: int
    written: int = 0


class RawNotice(RawChunk, frozen=True):
    """The notice that a waiting run left on the drive. `bare`: all bytes that the run withheld are still
    missing."""

    bare: bool


class RawDrive(Struct, frozen=True):
    """A drive. In dictionaries keyed by node name (`sda1`), the drive itself has its own name.

    - `vpd`: SCSI vital product data pages by number, in base64.
    - `table_kind`: libblkid's PTTYPE. Empty without a table, None if libblkid did not run.
    - `contents`: None if the drive could not be read.
    - `superblocks`: bytes of the superblocks in `contents`. Offsets count from the start of their device.
    - `layers`: devices built on the drive, by name.
    - `claimable`: True if an exclusive open of the node succeeded.
    - `smart`: output of smartctl.
    - `nvme`: Identify data of the namespace and the controller, in base64.
    - `zones`: zones in order, empty if unread.
    - `notice`: of a waiting run. Also None if the drive was not searched.
    - `moving`: numbers of the entries with the journal of an unfinished move.
    - `data`: data without a signature, by node name.
    - `lost`: filesystems in partitions whose table is lost. `contents` and `superblocks` have them by the
      node that the partition would get.
    - `starters`: boot sectors with GRUB, of the drive and the partitions.
    """

    name: str
    path: str
    sysfs_path: str = ""
    sysfs: dict[str, str] = {}
    vpd: dict[str, bytes] = {}
    udev: dict[str, str] = {}
    partitions: dict[str, RawPartition] = {}
    table_kind: str | None = None
    table_entries: tuple[RawEntry, ...] = ()
    chunks: tuple[RawChunk, ...] = ()
    contents: dict[str, RawContent] | None = None
    superblocks: dict[str, tuple[RawChunk, ...]] = {}
    layers: dict[str, RawLayer] = {}
    claimable: dict[str, bool] = {}
    smart: str | None = None
    nvme: dict[str, bytes] = {}
    zones: tuple[RawZones, ...] = ()
    notice: RawNotice | None = None
    moving: tuple[int, ...] = ()
    data: dict[str, RawData] = {}
    lost: tuple[RawEntry, ...] = ()
    starters: tuple[RawChunk, ...] = ()
    medium: bool = True
    errors: tuple[RawError, ...] = ()

    def content_on(self, name: str) -> RawContent | None:
        """Return the content of a node, None if the drive could not be read."""
        return None if self.contents is None else self.contents.get(name, NO_CONTENT)


class RawBlock(Struct, frozen=True):
    """A node in the kernel's graph of block devices. `disk`: whole disk of a partition. A loop device
    has the `backing_number` of a device, or the `backing_inode` (device:inode) of a file."""

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


class RawMounts(Struct, frozen=True):
    """A mount namespace: the mountinfo lines of block devices and of the root."""

    own: bool
    first: bool
    text: str


class RawGraph(Struct, frozen=True):
    """Uses of block devices: mounts in all visible namespaces, swaps, and mounted filesystems.

    - `blocks`: block devices by name.
    - `numbers`: major:minor by device path, for paths in mounts and swaps.
    - `btrfs`: devices by the UUID of a mounted Btrfs.
    - `active`: mounted devices by kind of filesystem, in any namespace.
    """

    blocks: dict[str, RawBlock]
    mounts: tuple[RawMounts, ...]
    swaps: str
    numbers: dict[str, str] = {}
    btrfs: dict[str, tuple[str, ...]] = {}
    active: dict[str, tuple[str, ...]] = {}
    errors: tuple[RawError, ...] = ()


class RawMachine(Struct, frozen=True):
    """The recorded machine. Fields are empty or None in recordings from before they existed.

    - `filesystems`: /proc/filesystems. `modules`: filesystem modules, loadable or built in.
    - `config`: lines of the kernel's configuration, only read if a host-managed zoned drive is present.
    - `said`: output of mkfs tools by command, and mke2fs.conf.
    - `missing_files`: missing files that mkfs tools require.
    - `shown_modules`: modules of the device mapper and md in /sys/module. `listed_modules`: those that
      /lib/modules lists as loadable or built in, None without lists. `loads_modules`: the kernel can load
      modules.
    - `has_loop`: the kernel has loop devices or can load them. None if unknown.
    - `os_release`: the os-release(5) lines that identify the distribution.
    - `container`: signs of a container, by the path of each.
    - `attached`: all attached drives with only their serial numbers and WWNs, including drives that were not
      probed.
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
    said: dict[str, str] = {}
    architecture: str = ""
    missing_files: tuple[str, ...] = ()
    shown_modules: tuple[str, ...] | None = None
    listed_modules: tuple[str, ...] | None = None
    loads_modules: bool | None = None
    has_loop: bool | None = None
    os_release: str = ""
    container: dict[str, str] = {}
    attached: tuple[RawDrive, ...] = ()


AS_RECORDED = Sentence("{text}")
"""A reason in a recording from before reasons had codes."""

ROOT_READS = t("Reading this needs root.")

REFUSED = Sentence("The kernel refuses to open {device}: {why}.")
FAILED = Sentence("Cannot read {device}: {why}.")

MANY_SUPERBLOCKS = t("The superblocks on the drive are larger than any in use. The rest was not read.")
MANY_LAYERS = Sentence("Reading stops after the first {most} layers.")

TABLE_LOST = t("Neither copy of the drive's GPT is intact, so the drive's contents are unknown.")
OTHER_BLOCKS = Sentence(
    "The table was created for {other}-byte logical blocks, but the drive has {size}-byte blocks here."
)


BY_NUMBER = {errno.EACCES: Obstacle.DENIED, errno.EPERM: Obstacle.FORBIDDEN}

BY_WORDS = (
    ("(?i)denied", Obstacle.DENIED),
    ("(?i)not permitted", Obstacle.FORBIDDEN),
    ("(?i)is not installed", Obstacle.NOT_INSTALLED),
    ("(?i)unknown usb bridge", Obstacle.UNKNOWN_BRIDGE),
    (r"raid controller|-d (megaraid|cciss|3ware|areca|hpt|aacraid|sssraid)", Obstacle.CONTROLLER),
)


class Unreadable(OSError):
    """A read error without an errno, such as an error from libblkid."""

    def __init__(self, said: Message) -> None:
        super().__init__(str(said))
        self.said = said


def not_read(what: str, device: str, error: OSError) -> RawError:
    """Return the RawError of a device that raised `error`."""
    why = FAILED(device=device, why=system_says(error))
    if isinstance(error, Unreadable):
        why = error.said
    elif error.errno in BY_NUMBER:
        why = REFUSED(device=device, why=system_says(error)) if os.geteuid() == 0 else ROOT_READS
    elif error.errno == errno.ENOMEDIUM:
        why = t("No medium is inserted.")
    return RawError(what, why, obstacle_of(error))


@contextmanager
def opened(path: str, flags: int = 0) -> Iterator[int]:
    """Open a device for reading, without waiting for a medium. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | flags)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def reported(errors: list[RawError], what: str, device: str) -> Iterator[None]:
    """Append an OSError to `errors` as a RawError."""
    try:
        yield
    except OSError as error:
        errors.append(not_read(what, device, error))


def system_says(error: OSError | OverflowError) -> str:
    """Return the error text of the C library, or Python's if there is none."""
    return (getattr(error, "strerror", None) or str(error)).rstrip(".")


def obstacle_of(error: OSError | OverflowError) -> Obstacle:
    """Return the obstacle for the errno of an error."""
    return BY_NUMBER.get(getattr(error, "errno", None) or 0, Obstacle.FAILED)


def obstacle_in(text: str) -> Obstacle:
    """Return the obstacle in a text without a code: of smartctl, or in old recordings."""
    return next((found for pattern, found in BY_WORDS if re.search(pattern, text)), Obstacle.FAILED)
