"""The lab's drives, with the expected report about each. To add a kind, add a member and include it in a
fleet."""

from typing import Any

from msgspec.structs import replace

from tests.lab.drives.fleet import (
    GB,
    GIB,
    MIB,
    TB,
    Bus,
    EmulatedDrive,
    Expected,
    Fleet,
    ModuleDrive,
    Pace,
    Zones,
)
from wizard.model.verdict import Outcome

CHARGING = EmulatedDrive(
    "charging",
    Bus.SATA,
    serial="LAB-512E-CHARGING",
    model="LAB Rotating 512e",
    wwn=0x5000C500AAAA0001,
    rotation_rate=5400,
    logical_block_bytes=512,
    physical_block_bytes=4096,
    size_bytes=1024 * MIB,
    media=Pace(50, charges_rewrites=True),
    expected=Expected(
        "unknown", findings=("geometry-512e", "recording-unknown"), bench=Outcome.ALIGNED_FASTER
    ),
)
"""A 512e drive on which a misaligned write costs twice an aligned one: one read and one write of the two
blocks it touches."""

CONTROL = replace(
    CHARGING,
    name="control",
    serial="LAB-512E-CONTROL",
    wwn=0x5000C500AAAA0002,
    size_bytes=512 * MIB,
    media=Pace(50, charges_rewrites=False),
    expected=Expected(
        "unknown", findings=("geometry-512e", "recording-unknown"), bench=Outcome.NO_DIFFERENCE
    ),
)
"""The same drive without the price: what is measured on `CHARGING` must vanish here."""

NATIVE = EmulatedDrive(
    "native",
    Bus.SCSI,
    serial="LAB-4KN",
    vendor="LAB",
    model="Native 4Kn",
    wwn=0x5000C500AAAA0003,
    rotation_rate=7200,
    logical_block_bytes=4096,
    physical_block_bytes=4096,
    size_bytes=1024 * MIB,
    expected=Expected("unknown", findings=("geometry-4kn",), bench=Outcome.NOT_POSSIBLE),
)
"""A 4Kn drive: no access can be misaligned, and a partition table counts in sectors of 4096 bytes."""

FIRST_FLEET = Fleet("first", (CHARGING, CONTROL, NATIVE))
"""Those on which everything is done; filled with noise before."""


SLOW_AND_DEAR, SLOW = Pace(250, charges_rewrites=True), Pace(50, charges_rewrites=False)
"""Slow enough for what this machine itself takes not to count: a misaligned write to an image costs it some
0.15 ms more, which would be seen at 250 requests a second."""


def _disk(
    name: str,
    number: int,
    model: str,
    size_bytes: int = TB,
    **changes: Any,  # noqa: ANN401
) -> EmulatedDrive:
    """Return an empty rotating 512e SATA drive that charges for rewrites. Keywords change properties.
    `number` is unique."""
    plain = EmulatedDrive(
        name,
        Bus.SATA,
        serial=f"LAB-{name.upper()}",
        model=model,
        wwn=0x5000C500AAAA0100 + number,
        rotation_rate=5400,
        logical_block_bytes=512,
        physical_block_bytes=4096,
        size_bytes=size_bytes // MIB * MIB,
        media=SLOW_AND_DEAR,
    )
    return replace(plain, **changes)


SATA_FLEET = Fleet(
    "sata",
    (
        # Sector formats.
        _disk(
            "old",
            1,
            "WDC WD10EALX-009BA0",
            physical_block_bytes=512,
            rotation_rate=7200,
            media=None,
            expected=Expected("unknown", findings=("recording-unknown",), bench=Outcome.NOT_POSSIBLE),
        ),
        # Says 512 and stores 4096, as this family did.
        _disk(
            "claims-512",
            2,
            "WDC WD10EARS-00Y5B1",
            physical_block_bytes=512,
            hidden_block_bytes=4096,
            expected=Expected("unknown", findings=("recording-unknown",), bench=Outcome.NOT_POSSIBLE),
        ),
        # Word 209: its first whole physical block begins at sector 7, as with a jumper for partitions at
        # sector 63.
        _disk(
            "jumpered",
            3,
            "LAB Jumpered 512e",
            alignment_offset_bytes=3584,
            identify=((209, 0x4001),),
            expected=Expected(
                "unknown", findings=("geometry-512e", "recording-unknown"), bench=Outcome.ALIGNED_FASTER
            ),
        ),
        # Shingled, each by one rung of the ladder alone.
        _disk(
            "by-word-69",
            4,
            "LAB Shingled By Word 69",
            identify=((69, 2),),
            expected=Expected(
                "yes", "drive", ("recording-shingled", "geometry-512e"), Outcome.ALIGNED_FASTER
            ),
        ),
        _disk(
            "by-trim",
            5,
            "LAB Rotating With TRIM",
            discards=True,
            expected=Expected(
                "likely", "drive", ("recording-shingled-likely", "geometry-512e"), Outcome.ALIGNED_FASTER
            ),
        ),
        # Shingled by smartctl 7.3's database, conventional by that of 2026. What the database says alone is
        # asked in ladder.py.
        _disk(
            "by-database",
            6,
            "ST4000DM005-2DP166",
            4 * TB,
            expected=Expected(
                "unknown", None, ("recording-contradiction", "geometry-512e"), Outcome.ALIGNED_FASTER
            ),
        ),
        _disk(
            "by-list",
            7,
            "TOSHIBA MQ04ABF100",
            expected=Expected(
                "likely", "drive", ("recording-shingled-likely", "geometry-512e"), Outcome.ALIGNED_FASTER
            ),
        ),
        # A whole one, by the database and by the list.
        _disk(
            "archive",
            8,
            "ST8000AS0002-1NA17Z",
            8 * TB,
            rotation_rate=5980,
            expected=Expected(
                "yes", "drive", ("recording-shingled", "geometry-512e"), Outcome.ALIGNED_FASTER
            ),
        ),
        # Conventional drives of families that have shingled ones.
        _disk(
            "red",
            9,
            "WDC WD80EFAX-68KNBN0",
            8 * TB,
            expected=Expected(
                "unknown",
                findings=("geometry-512e", "recording-listed-conventional"),
                bench=Outcome.ALIGNED_FASTER,
            ),
        ),
        _disk(
            "p300",
            10,
            "TOSHIBA HDWD130",
            3 * TB,
            media=SLOW,
            expected=Expected(
                "unknown", findings=("geometry-512e", "recording-unknown"), bench=Outcome.NO_DIFFERENCE
            ),
        ),
        _disk(
            "huge",
            11,
            "ST20000NM007D-3DJ103",
            20 * TB,
            rotation_rate=7200,
            expected=Expected(
                "unknown",
                findings=("geometry-512e", "recording-listed-conventional"),
                bench=Outcome.ALIGNED_FASTER,
            ),
        ),
        _disk(
            "ssd",
            12,
            "Samsung SSD 860 EVO 500GB",
            500 * GB,
            media=None,
            physical_block_bytes=512,
            rotation_rate=1,
            discards=True,
            expected=Expected("not-applicable", bench=Outcome.NOT_POSSIBLE),
        ),
        _disk(
            "unreadable",
            13,
            "LAB Failing To Read",
            unreadable=(0, 1),
            expected=Expected("unknown", findings=("geometry-512e", "recording-unknown", "drive-unread")),
        ),
    ),
)
"""SATA drives, told apart by their models and by what they say of themselves."""


def _nvme(
    name: str,
    block_bytes: int,
    size_bytes: int = 8 * GIB,
    **changes: Any,  # noqa: ANN401
) -> EmulatedDrive:
    plain = EmulatedDrive(name, Bus.NVME, f"LAB-{name.upper()}", block_bytes, block_bytes, size_bytes)
    return replace(plain, **changes)


BUS_FLEET = Fleet(
    "buses",
    (
        # On SCSI the kernel passes over an optimal size that is no multiple of the physical block
        # (sd_validate_opt_xfer_size).
        EmulatedDrive(
            "bogus-optimal",
            Bus.VIRTIO,
            serial="LAB-BOGUS-OPTIMAL",
            logical_block_bytes=512,
            physical_block_bytes=4096,
            size_bytes=2 * TB // MIB * MIB,
            minimum_io_bytes=4096,
            optimal_io_bytes=33553920,
            media=SLOW_AND_DEAR,
            expected=Expected(
                "unknown",
                findings=("geometry-512e", "geometry-optimal-io-bogus"),
                bench=Outcome.ALIGNED_FASTER,
            ),
        ),
        EmulatedDrive(
            "virtio-4kn",
            Bus.VIRTIO,
            serial="LAB-VIRTIO-4KN",
            logical_block_bytes=4096,
            physical_block_bytes=4096,
            size_bytes=GIB,
            expected=Expected("unknown", findings=("geometry-4kn",), bench=Outcome.NOT_POSSIBLE),
        ),
        EmulatedDrive(
            "virtio-512e",
            Bus.VIRTIO,
            serial="LAB-VIRTIO-512E",
            logical_block_bytes=512,
            physical_block_bytes=4096,
            size_bytes=GIB,
            media=SLOW,
            expected=Expected("unknown", findings=("geometry-512e",), bench=Outcome.NO_DIFFERENCE),
        ),
        _nvme(
            "nvme-512",
            512,
            expected=Expected(
                "not-applicable", findings=("geometry-nvme-formats",), bench=Outcome.NOT_POSSIBLE
            ),
        ),
        _nvme(
            "nvme-4kn",
            4096,
            expected=Expected("not-applicable", findings=("geometry-4kn",), bench=Outcome.NOT_POSSIBLE),
        ),
        _nvme(
            "nvme-zoned",
            4096,
            zones=Zones(64 * MIB, 62 * MIB, open_at_once=16),
            expected=Expected(
                "not-applicable", "host-managed", ("recording-zoned-host-managed", "geometry-4kn")
            ),
        ),
        _nvme(
            "nvme-failing",
            512,
            failing=True,
            expected=Expected(
                "not-applicable",
                findings=("health-failing", "geometry-nvme-formats"),
                bench=Outcome.NOT_POSSIBLE,
            ),
        ),
        EmulatedDrive(
            "stick",
            Bus.USB,
            serial="LAB-STICK",
            vendor="LAB",
            model="USB Stick",
            logical_block_bytes=512,
            physical_block_bytes=512,
            size_bytes=16 * GIB,
            removable=True,
            expected=Expected("unknown", findings=("drive-unread",), bench=Outcome.NOT_POSSIBLE),
        ),
        EmulatedDrive(
            "bridge-4096",
            Bus.USB,
            serial="LAB-BRIDGE-4096",
            vendor="LAB",
            model="Bridge 4096",
            logical_block_bytes=4096,
            physical_block_bytes=4096,
            size_bytes=4 * TB // MIB * MIB,
            expected=Expected(
                "unknown",
                findings=("geometry-usb-4096", "recording-unknown", "drive-unread"),
                bench=Outcome.NOT_POSSIBLE,
            ),
        ),
        EmulatedDrive(
            "enclosure",
            Bus.UAS,
            serial="LAB-ENCLOSURE",
            vendor="WD",
            model="My Passport 25E2",
            logical_block_bytes=512,
            physical_block_bytes=4096,
            size_bytes=2 * TB // MIB * MIB,
            media=SLOW_AND_DEAR,
            expected=Expected(
                "unknown",
                findings=("geometry-512e", "recording-unknown", "drive-unread"),
                bench=Outcome.ALIGNED_FASTER,
            ),
        ),
    ),
    (
        ModuleDrive(
            "scsi-offset",
            "scsi_debug",
            ("physblk_exp=3", "lowest_aligned=7", "dev_size_mb=64", "ndelay=20000000"),
            logical_block_bytes=512,
            physical_block_bytes=4096,
            size_bytes=64 * MIB,
            alignment_offset_bytes=3584,
            expected=Expected("not-applicable", findings=("geometry-512e",), bench=Outcome.NO_DIFFERENCE),
        ),
        ModuleDrive(
            "host-aware",
            "scsi_debug",
            ("zbc=aware", "zone_size_mb=16", "zone_nr_conv=2", "dev_size_mb=256"),
            logical_block_bytes=512,
            physical_block_bytes=512,
            size_bytes=256 * MIB,
            zoned="host-aware",
            expected=Expected("yes", "host-aware", ("recording-zoned-host-aware",), Outcome.NOT_POSSIBLE),
        ),
        ModuleDrive(
            "host-managed",
            "scsi_debug",
            ("zbc=managed", "zone_size_mb=16", "zone_nr_conv=2", "dev_size_mb=256"),
            logical_block_bytes=512,
            physical_block_bytes=512,
            size_bytes=256 * MIB,
            zoned="host-managed",
            expected=Expected("yes", "host-managed", ("recording-zoned-host-managed",)),
        ),
    ),
)
"""Every other way to be attached, health that fails, and what only the kernel's own modules can be."""

FLEETS = (FIRST_FLEET, SATA_FLEET, BUS_FLEET)
"""All whose members are recorded in tests/machines."""
