"""Block geometry, alignment and identity of a drive. Always in bytes, never in sectors."""

from dataclasses import dataclass
from math import lcm

from wizard.model.said import KIB, MIB

FLOOR_BYTES = MIB
"""Every partition starts on a multiple of this: drives that hide their physical block size exist (WD10EARS,
HD204UI)."""

LARGEST_GRAIN_BYTES = 64 * MIB
"""A grain beyond this would waste more than alignment to it can bring."""


@dataclass(frozen=True, slots=True)
class Geometry:
    """Block sizes as the kernel reports them in /sys/block/D/queue and /sys/block/D/alignment_offset.

    `alignment_offset_bytes` is -1 where the kernel found a stack of devices misaligned in itself;
    `minimum_io_bytes` and `optimal_io_bytes` may be bogus or 0: ask `plausible_optimal_io_bytes`.
    """

    logical_block_bytes: int
    physical_block_bytes: int
    alignment_offset_bytes: int
    minimum_io_bytes: int
    optimal_io_bytes: int

    @property
    def whole_block_bytes(self) -> int:
        """What the drive reads and writes as one: a physical block, or a logical one that is larger."""
        return max(self.physical_block_bytes, self.logical_block_bytes)

    @property
    def sector_format(self) -> str:
        """`512n`, `512e`, `4Kn`, or the two sizes where no such name exists. 512n may be a lie."""
        match (self.logical_block_bytes, self.physical_block_bytes):
            case (512, 512):
                return "512n"
            case (512, 4096):
                return "512e"
            case (4096, 4096):
                return "4Kn"
            case (logical, physical):
                return f"{logical}/{physical}"

    @property
    def granularity_bytes(self) -> int:
        """The unit the kernel measures alignment in (block/blk-settings.c, queue_limit_alignment_offset)."""
        return max(self.physical_block_bytes, self.minimum_io_bytes)


def misalignment_bytes(geometry: Geometry, start_bytes: int) -> int:
    """How far `start_bytes` is from an aligned start, 0 when aligned; the kernel's formula
    (block/blk-settings.c)."""
    granularity = geometry.granularity_bytes
    offset = max(geometry.alignment_offset_bytes, 0)
    return (granularity + offset - start_bytes % granularity) % granularity


def plausible_optimal_io_bytes(geometry: Geometry) -> int | None:
    """The optimal I/O size if it can be meant, else None.

    Refused are 0, what is no multiple of the granularity, and one block short of a large power of two: that
    is a counter at its end (0xFFFF blocks), as USB bridges and some SAS adapters report it (util-linux issue
    1221).
    """
    optimal = geometry.optimal_io_bytes
    if optimal <= 0 or optimal % geometry.granularity_bytes:
        return None
    for block in {512, geometry.logical_block_bytes, geometry.physical_block_bytes, 4096}:
        above = optimal + block
        if above >= 8 * MIB and above & (above - 1) == 0:
            return None
    return optimal


def advised_striping(geometry: Geometry) -> tuple[int, int] | None:
    """Unit and width in bytes of a drive that is an array behind a controller, as it reports them; None for
    any other, and where they cannot be meant.
    """
    unit, width = geometry.minimum_io_bytes, plausible_optimal_io_bytes(geometry)
    physical = geometry.whole_block_bytes
    if width is None or unit <= physical or unit % (4 * KIB) or width <= unit or width % unit:
        return None
    return unit, width


def grain_bytes(geometry: Geometry) -> int:
    """The step between aligned starts: a multiple of 1 MiB, of the granularity and of a plausible optimal I/O
    size."""
    base = lcm(FLOOR_BYTES, geometry.granularity_bytes, geometry.logical_block_bytes)
    wide = lcm(base, plausible_optimal_io_bytes(geometry) or 1)
    return wide if wide <= LARGEST_GRAIN_BYTES else base


def align_up(geometry: Geometry, position_bytes: int) -> int:
    """The first aligned start at or after `position_bytes`."""
    grain, offset = grain_bytes(geometry), max(geometry.alignment_offset_bytes, 0)
    return offset + max(0, -(-(position_bytes - offset) // grain)) * grain


def align_down(geometry: Geometry, position_bytes: int) -> int:
    """The last aligned start at or before `position_bytes`; never below the drive's own offset."""
    grain, offset = grain_bytes(geometry), max(geometry.alignment_offset_bytes, 0)
    return offset + max(0, (position_bytes - offset) // grain) * grain


@dataclass(frozen=True, slots=True)
class HeldDigest:
    """What the superblocks on a partition were, by its number; 0 is the drive itself, without a table."""

    number: int
    superblock_digest: str


@dataclass(frozen=True, slots=True)
class Identity:
    """Who the drive is. `diskseq` is the kernel's count of disks since the start that `boot_id` names:
    whatever is attached gets a new number, so that nobody takes another drive in the same dock for it. After
    a restart another drive can have the same number.

    `content_digest` is None where the planner was not allowed to read the drive. `held` tells what nothing
    used then: it changes when that is mounted and written to. What is written to files without a change of a
    superblock, inside an encrypted container or a logical volume, or past every filesystem, shows in neither.
    `rotational` only serves estimates. `serial_shared` and `wwn_shared`: another attached drive told the
    same number, so that it does not tell who this one is.
    """

    path: str
    by_id: tuple[str, ...]
    model: str | None
    serial: str | None
    wwn: str | None
    size_bytes: int
    geometry: Geometry
    diskseq: int | None
    content_digest: str | None
    rotational: bool | None = None
    boot_id: str | None = None
    held: tuple[HeldDigest, ...] = ()
    serial_shared: bool = False
    wwn_shared: bool = False

    @property
    def token(self) -> str:
        """What a person types to confirm: the serial, or the device's name where there is none, or another
        drive tells the same."""
        return self.serial if self.serial and not self.serial_shared else self.path.removeprefix("/dev/")
