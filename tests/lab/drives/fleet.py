"""Kinds of emulated drives. members.py has the drives, attach.py creates them with QEMU. Pure."""

from dataclasses import dataclass
from enum import StrEnum

from msgspec import Struct

from wizard.model.verdict import Outcome

KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB
TIB = 1024 * GIB
GB = 1000**3
TB = 1000 * GB
QEMU_SERIAL_CHARACTERS = 20

EVERYWHERE = -1
"""Instead of a sector: all of them."""


class Bus(StrEnum):
    """Bus of a drive. In QEMU, SATA drives have no logical blocks of 4096 bytes, VIRTIO drives have no
    model and no SMART, and NVME drives have QEMU's model. USB drives use the old protocol of sticks, UAS
    drives that of newer enclosures."""

    SATA = "sata"
    SCSI = "scsi"
    VIRTIO = "virtio"
    NVME = "nvme"
    USB = "usb"
    UAS = "uas"


DRIVERS = {
    Bus.SATA: ("ahci", "sd_mod"),
    Bus.SCSI: ("virtio_scsi", "sd_mod"),
    Bus.VIRTIO: ("virtio_blk",),
    Bus.NVME: ("nvme",),
    Bus.USB: ("xhci_pci", "usb_storage", "sd_mod"),
    Bus.UAS: ("xhci_pci", "uas", "sd_mod"),
}
"""The guest's kernel modules."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Speed of a drive: every request takes 1/`requests_per_second`.

    `charges_rewrites`: a partial write of a physical block first reads it, at the same cost, as in a 512e
    drive.
    """

    requests_per_second: int
    charges_rewrites: bool


@dataclass(frozen=True, slots=True)
class TimingModel:
    """A drive with the timing of rotating platters, served by nbdkit (timing.py).

    `shingled`: out-of-order writes go to a media cache of `cache_bytes`. When it is full, each write rewrites
    a band of `band_bytes`.
    """

    shingled: bool
    cache_bytes: int = 64 * MIB
    band_bytes: int = 16 * MIB


@dataclass(frozen=True, slots=True)
class Zones:
    """Zones of an NVMe namespace. `open_at_once`: limit of open or active zones, 0 for none."""

    zone_bytes: int
    capacity_bytes: int
    open_at_once: int = 0


@dataclass(frozen=True, slots=True)
class Expected:
    """Expected report about an empty drive.

    `recording`: the verdict (yes, likely, unknown, not-applicable). `management`: kind of shingled drive.
    `findings`: codes of all findings, each once, in any order. `bench`: result of a write benchmark, None if
    refused.
    """

    recording: str
    management: str | None = None
    findings: tuple[str, ...] = ()
    bench: Outcome | None = None


class EmulatedDrive(Struct, frozen=True):
    """A drive created by QEMU. `name` is the lab's and QEMU's node name; the guest finds the drive by
    `serial`.

    `hidden_block_bytes`: real block size if the drive reports a smaller one. `alignment_offset_bytes`: start
    of the first physical block. `discards`: supports TRIM or UNMAP. `identify`: words of a SATA drive's
    IDENTIFY data to set before the guest's driver reads them. `unreadable`, `unwritable`: sectors (of 512
    bytes) with read or write errors, EVERYWHERE for all. `spoiled`: sectors readable until the first write to
    the drive. `failing`: reported by SMART (NVMe only). `metadata_bytes`: per block (NVMe only).
    `shares_serial`: another drive of the fleet may have its serial number and WWN. `logged`: all writes are
    recorded in order (see blocklog.py).
    """

    name: str
    bus: Bus
    serial: str
    logical_block_bytes: int
    physical_block_bytes: int
    size_bytes: int
    model: str | None = None
    vendor: str | None = None
    wwn: int | None = None
    rotation_rate: int | None = None
    media: Pace | TimingModel | None = None
    discards: bool = False
    minimum_io_bytes: int | None = None
    optimal_io_bytes: int | None = None
    alignment_offset_bytes: int = 0
    identify: tuple[tuple[int, int], ...] = ()
    zones: Zones | None = None
    unreadable: tuple[int, ...] = ()
    unwritable: tuple[int, ...] = ()
    spoiled: tuple[int, ...] = ()
    failing: bool = False
    removable: bool = False
    logged: bool = False
    hidden_block_bytes: int | None = None
    metadata_bytes: int = 0
    shares_serial: bool = False
    expected: Expected | None = None

    def __post_init__(self) -> None:
        if self.bus is Bus.SATA and self.logical_block_bytes != 512:
            raise ValueError(f"{self.name}: SATA drives have logical blocks of 512 bytes in QEMU.")
        if len(self.serial) > QEMU_SERIAL_CHARACTERS:
            raise ValueError(f"{self.name}: QEMU cuts serials at {QEMU_SERIAL_CHARACTERS} characters.")
        if self.identify and (self.bus is not Bus.SATA or self.model is None):
            raise ValueError(
                f"{self.name}: only SATA drives with a model have IDENTIFY data that can be found."
            )
        if (self.zones or self.failing) and self.bus is not Bus.NVME:
            raise ValueError(f"{self.name}: QEMU has zones, and health that fails, on NVMe only.")
        if self.bus in (Bus.VIRTIO, Bus.NVME) and (self.model or self.wwn is not None or self.rotation_rate):
            raise ValueError(f"{self.name}: QEMU's {self.bus} drives take no model, WWN or rotation rate.")

    @property
    def charges(self) -> bool:
        """True if misaligned writes cost more."""
        match self.media:
            case Pace(charges_rewrites=charges):
                return charges
            case TimingModel():
                return True
        return False


def virtio_drive(name: str, size_bytes: int, logical_block_bytes: int = 512) -> EmulatedDrive:
    """Return a drive with physical blocks of 4096 bytes and its name in the serial number."""
    return EmulatedDrive(name, Bus.VIRTIO, f"LAB-{name.upper()}", logical_block_bytes, 4096, size_bytes)


@dataclass(frozen=True, slots=True)
class ModuleDrive:
    """A drive of a kernel module (scsi_debug or null_blk) in the guest, loaded and unloaded by inside.loaded.

    `parameters`: of the module. Each module has one drive at a time.
    """

    name: str
    module: str
    parameters: tuple[str, ...]
    logical_block_bytes: int
    physical_block_bytes: int
    size_bytes: int
    alignment_offset_bytes: int = 0
    zoned: str = "none"
    expected: Expected | None = None


@dataclass(frozen=True, slots=True)
class Fleet:
    """The drives of one guest in the order of attachment, and those that a job loads there in succession."""

    name: str
    drives: tuple[EmulatedDrive, ...] = ()
    loadable: tuple[ModuleDrive, ...] = ()

    def __post_init__(self) -> None:
        for what, values in (
            ("names", [drive.name for drive in self.members]),
            ("serials", [drive.serial for drive in self.drives if not drive.shares_serial]),
        ):
            if len(set(values)) != len(values):
                raise ValueError(f"Two drives share their {what}.")
        for drive in self.drives:
            if drive.identify and sum(other.model == drive.model for other in self.drives) > 1:
                raise ValueError(
                    f"{drive.name}: IDENTIFY data are found by their model, which another drive has too."
                )

    def __getitem__(self, name: str) -> EmulatedDrive:
        """Return a drive by the lab's name."""
        return next(drive for drive in self.drives if drive.name == name)

    @property
    def members(self) -> tuple[EmulatedDrive | ModuleDrive, ...]:
        """All drives."""
        return (*self.drives, *self.loadable)

    @property
    def drivers(self) -> tuple[str, ...]:
        """Kernel modules that the guest needs for the drives."""
        return tuple(dict.fromkeys(module for drive in self.drives for module in DRIVERS[drive.bus]))
