"""Facts that a drive reports about itself."""

from dataclasses import dataclass

HOST_MANAGED = "host-managed"
"""The kernel's word for a drive whose zones are written in order or not at all."""

SOLID_STATE, LEAST_RATE, MOST_RATE = 1, 0x0401, 0xFFFE
"""Rotation rates that mean something (ACS-4, word 217; SBC-4, page B1h): solid state, and turns a minute."""


@dataclass(frozen=True, slots=True)
class Discard:
    """What the drive says about discard (TRIM, UNMAP). `maximum_bytes` 0: the drive has none."""

    granularity_bytes: int
    maximum_bytes: int


@dataclass(frozen=True, slots=True)
class Health:
    """What a drive counts of itself, as smartctl reads it; None where the drive, or a bridge before it, does
    not tell.

    `hours` of power; `celsius` now; `reallocated` sectors (ATA attribute 5, SCSI's grown defects); `pending`
    ones, which could not be read and wait to be written (197); `lost` ones, which no try could read (198);
    `media_errors`, times that it could not give back data (NVMe's count; ATA attribute 187; SCSI's
    uncorrected read errors); `cable_errors`, transfers that came over the cable damaged (199); `used_percent`
    of the writing it was made for, which can pass 100; `spare_percent` that is left to replace bad blocks,
    and `least_spare_percent` by the maker; `alarms` are the bits of NVMe's critical warning. `failing` are
    ATA attributes at or below the maker's threshold now. `test_passed`: the last self-test that came to an
    end, at `test_hours` of power; an ATA drive counts those in 16 bits.
    """

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


NO_HEALTH = Health()
"""Where nothing is told."""


@dataclass(frozen=True, slots=True)
class Smart:
    """From `smartctl --json`: what it knows of the drive. All None where smartctl or the permission is
    missing.

    `zoned_capability` is ATA's `device_managed` or `host_aware`; `model_family` the database's name, which
    may hold `(SMR)`; `model_name` the model as the drive itself tells smartctl, also behind a USB bridge that
    calls itself something else; `rotation_rate` 1 for solid state, else turns a minute.
    """

    passed: bool | None = None
    model_family: str | None = None
    zoned_capability: str | None = None
    trim_supported: bool | None = None
    rotation_rate: int | None = None
    model_name: str | None = None
    health: Health = NO_HEALTH


NO_SMART = Smart()
"""Where smartctl told nothing."""


@dataclass(frozen=True, slots=True)
class Ata:
    """What a drive's own IDENTIFY DEVICE data say (ACS-4), as libata hands them on in SCSI VPD page 89h.

    `zoned`: word 69 bits 1:0 (0 not reported, 1 host-aware, 2 device-managed); `trims`: word 169 bit 0;
    `rotation_rate`: word 217 (1 for solid state, else turns a minute); `physical_block_bytes`: word 106;
    `alignment_offset_bytes`: word 209, as the kernel counts it, from the drive's start to the first logical
    block that begins a physical one; `model`: words 27 to 46. None where the words are not valid.
    """

    model: str | None = None
    zoned: int | None = None
    trims: bool | None = None
    rotation_rate: int | None = None
    physical_block_bytes: int | None = None
    alignment_offset_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class NvmeFormat:
    """One LBA format of an NVMe namespace (NVM Command Set, Identify Namespace). `performance`: 0 best, 1
    better, 2 good, 3 degraded."""

    number: int
    data_bytes: int
    metadata_bytes: int
    performance: int
    in_use: bool = False


@dataclass(frozen=True, slots=True)
class Zones:
    """How a zoned drive is divided, as far as it could be read (the zones themselves as root only).

    `size_bytes` is what a zone spans, `capacity_bytes` what the least of them holds. `conventional` of the
    `count` zones take writes in any order, and of the others `written` are not empty. `most_open` and
    `most_active` are the drive's limits, 0 for none. `takes_partitions`: whether the kernel lets partitions
    be made on it.
    """

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
    """How fast a drive is read or written in one go, roughly: what nobody knows is taken as a hard disk."""
    return SOLID_BYTES_PER_SECOND if rotational is False else PLATTER_BYTES_PER_SECOND


@dataclass(frozen=True, slots=True)
class Loader:
    """GRUB's first sector, as a BIOS starts it, and where on the drive it goes on from there."""

    start_bytes: int
    next_bytes: int
