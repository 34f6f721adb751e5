"""Block geometry, alignment and identity of a drive. Always in bytes, never in sectors."""

from math import lcm

from wizard.model.errors import FrozenStruct
from wizard.model.said import KIB, MIB

FLOOR_BYTES = MIB
"""Minimum alignment of every partition start, because some drives hide their physical block size (WD10EARS,
HD204UI)."""

LARGEST_GRAIN_BYTES = 64 * MIB
"""Larger steps would waste more space than alignment can gain."""


class Geometry(FrozenStruct):
    """Block sizes as the kernel reports them. `alignment_offset_bytes` is -1 for stacked devices with
    inconsistent alignment. `minimum_io_bytes` and `optimal_io_bytes` may be wrong or 0: use
    `plausible_optimal_io_bytes`."""

    logical_block_bytes: int
    physical_block_bytes: int
    alignment_offset_bytes: int
    minimum_io_bytes: int
    optimal_io_bytes: int

    @property
    def first_block_bytes(self) -> int:
        """Start of the first physical block, 0 if the alignment is inconsistent."""
        return max(self.alignment_offset_bytes, 0)

    @property
    def whole_block_bytes(self) -> int:
        """Smallest unit that the drive reads and writes: a physical block, or a logical block if larger."""
        return max(self.physical_block_bytes, self.logical_block_bytes)

    @property
    def sector_format(self) -> str:
        """`512n`, `512e`, `4Kn`, or both sizes if no such name exists. Drives may report 512n falsely."""
        sizes = self.logical_block_bytes, self.physical_block_bytes
        names = {(512, 512): "512n", (512, 4096): "512e", (4096, 4096): "4Kn"}
        return names.get(sizes, "/".join(map(str, sizes)))

    @property
    def granularity_bytes(self) -> int:
        """Unit in which the kernel measures alignment (block/blk-settings.c,
        queue_limit_alignment_offset)."""
        return max(self.physical_block_bytes, self.minimum_io_bytes)

    def misalignment_bytes(self, start_bytes: int) -> int:
        """Return the distance in bytes from `start_bytes` to the next aligned start, 0 if aligned, by the
        kernel's formula (block/blk-settings.c)."""
        granularity = self.granularity_bytes
        offset = self.first_block_bytes
        return (granularity + offset - start_bytes % granularity) % granularity

    @property
    def plausible_optimal_io_bytes(self) -> int | None:
        """The optimal I/O size, or None for 0, sizes that are not a multiple of the granularity, and one
        block less than a large power of two: an overflowed counter, as USB bridges and some SAS adapters
        report (util-linux issue 1221)."""
        optimal = self.optimal_io_bytes
        if optimal <= 0 or optimal % self.granularity_bytes:
            return None
        for block in {512, self.logical_block_bytes, self.physical_block_bytes, 4096}:
            above = optimal + block
            if above >= 8 * MIB and above & (above - 1) == 0:
                return None
        return optimal

    @property
    def advised_striping(self) -> tuple[int, int] | None:
        """Stripe unit and width as an array behind a controller reports them, if plausible."""
        unit, width = self.minimum_io_bytes, self.plausible_optimal_io_bytes
        physical = self.whole_block_bytes
        if width is None or unit <= physical or unit % (4 * KIB) or width <= unit or width % unit:
            return None
        return unit, width

    @property
    def grain_bytes(self) -> int:
        """Distance between aligned starts: a multiple of 1 MiB, the granularity and a plausible
        optimal I/O size."""
        base = lcm(FLOOR_BYTES, self.granularity_bytes, self.logical_block_bytes)
        wide = lcm(base, self.plausible_optimal_io_bytes or 1)
        return wide if wide <= LARGEST_GRAIN_BYTES else base

    def align_up(self, position_bytes: int) -> int:
        """Return the first aligned start at or after `position_bytes`."""
        grain, offset = self.grain_bytes, self.first_block_bytes
        return offset + max(0, -(-(position_bytes - offset) // grain)) * grain

    def align_down(self, position_bytes: int) -> int:
        """Return the last aligned start at or before a position, at least the alignment offset."""
        grain, offset = self.grain_bytes, self.first_block_bytes
        return offset + max(0, (position_bytes - offset) // grain) * grain


class HeldDigest(FrozenStruct):
    """Digest of the superblocks on a partition. Number 0 is a whole drive without a table."""

    number: int
    superblock_digest: str


class Identity(FrozenStruct):
    """Identity of a drive. `diskseq`: the kernel's disk counter since the boot `boot_id`, which detects a
    different drive in the same dock; numbers can repeat after a reboot. `content_digest`: None if the planner
    could not read the drive. `held`: digests of partitions that were not in use. Neither digest detects
    writes that leave superblocks unchanged. `rotational` only affects estimates. `serial_shared` and
    `wwn_shared`: another attached drive reports the same number."""

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
        """What the user types to confirm: the serial number, or the device name if the serial number is
        missing or shared."""
        return self.serial if self.serial and not self.serial_shared else self.path.removeprefix("/dev/")
