"""Facts that a drive reports about itself."""

from wizard.model.errors import FrozenStruct

HOST_MANAGED = "host-managed"
"""The kernel's name for drives whose zones must be written sequentially."""

SOLID_STATE, LEAST_RATE, MOST_RATE = 1, 0x0401, 0xFFFE
"""Valid rotation rates (ACS-4, word 217; SBC-4, page B1h): solid state, and a range of revolutions per
minute."""


class Discard(FrozenStruct):
    """Discard (TRIM, UNMAP) as the drive reports it. `maximum_bytes` is 0 if unsupported."""

    granularity_bytes: int
    maximum_bytes: int


class Health(FrozenStruct):
    """Health counters from smartctl, None if not reported. `reallocated`: ATA attribute 5, SCSI grown
    defects. `pending`: unreadable sectors waiting to be rewritten (197). `lost`: uncorrectable sectors (198).
    `media_errors`: failed reads (NVMe, ATA attribute 187, SCSI). `cable_errors`: transfers damaged on the
    cable (199). `used_percent`: rated endurance used, may exceed 100. `least_spare_percent`: the maker's
    threshold. `alarms`: bits of NVMe's critical warning. `failing`: ATA attributes at or below the maker's
    threshold. `test_passed`: last completed self-test, at `test_hours` power-on hours; ATA counts those in 16
    bits."""

    hours: int | None = None
    celsius: int | None = None
    reallocated: int | None = None
    pending: int | None = None
    lost: int | None = None
    media_errors: int | None = None
    cable_errors: int | None = None
    used_percent: int | None = None
    spare_percent: int | None = None
    least_spare_percent: int | None = None
    alarms: int | None = None
    failing: tuple[str, ...] = ()
    test_passed: bool | None = None
    test_hours: int | None = None


class Smart(FrozenStruct):
    """Data from `smartctl --json`. `zoned_capability`: ATA `device_managed` or `host_aware`. `model_family`:
    name in smartctl's database, may contain `(SMR)`. `model_name`: as the drive itself reports it, even
    through a USB bridge. `rotation_rate`: as in drives."""

    passed: bool | None = None
    model_family: str | None = None
    zoned_capability: str | None = None
    trim_supported: bool | None = None
    rotation_rate: int | None = None
    model_name: str | None = None
    health: Health = Health()


class Ata(FrozenStruct):
    """IDENTIFY DEVICE data (ACS-4), as libata provides them in SCSI VPD page 89h; None for invalid words.
    `zoned`: word 69 bits 1:0 (1 host-aware, 2 device-managed). `trims`: word 169 bit 0. `rotation_rate`: word
    217. `physical_block_bytes`: word 106. `alignment_offset_bytes`: word 209 in the kernel's definition: from
    the start of the drive to the first logical block at the start of a physical one. `model`: words 27 to 46.
    `security`: word 128 bits 3:0 (1 supported, 2 password set, 4 locked, 8 frozen)."""

    model: str | None = None
    zoned: int | None = None
    trims: bool | None = None
    rotation_rate: int | None = None
    physical_block_bytes: int | None = None
    alignment_offset_bytes: int | None = None
    security: int | None = None


class NvmeFormat(FrozenStruct):
    """An LBA format of an NVMe namespace (NVM Command Set, Identify Namespace). `performance`: 0 best, 1
    better, 2 good, 3 degraded."""

    number: int
    data_bytes: int
    metadata_bytes: int
    performance: int
    in_use: bool = False


class Zones(FrozenStruct):
    """Zones of a zoned drive, as far as readable (only by root). `size_bytes`: zone size. `capacity_bytes`:
    smallest usable capacity of a zone. `conventional` zones accept random writes; `written` of the others are
    not empty. `most_open` and `most_active`: limits of the drive, 0 for none. `takes_partitions`: the kernel
    supports partitions on this drive."""

    size_bytes: int | None = None
    count: int | None = None
    conventional: int | None = None
    capacity_bytes: int | None = None
    most_open: int | None = None
    most_active: int | None = None
    takes_partitions: bool | None = None
    written: int | None = None


PLATTER_BYTES_PER_SECOND, SOLID_BYTES_PER_SECOND = 100e6, 350e6


def usual_bytes_per_second(rotational: bool | None) -> float:
    """Return a rough sequential speed. Unknown drives count as hard disks."""
    return SOLID_BYTES_PER_SECOND if rotational is False else PLATTER_BYTES_PER_SECOND


class Loader(FrozenStruct):
    """GRUB's first sector, for BIOS boot, and the drive position where it continues."""

    start_bytes: int
    next_bytes: int
