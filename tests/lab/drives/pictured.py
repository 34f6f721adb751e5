"""The drives in the published pictures with their old content, of typical but fictional kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.lab.drives.fleet import MIB, Bus, EmulatedDrive, Fleet, Pace
from wizard.demo.image import OldVolume, lay_out

if TYPE_CHECKING:
    from tests.lab.guest.machine import Laboratory

SECTOR = 512

SHINGLED = EmulatedDrive(
    "shingled",
    Bus.SATA,
    serial="WDE4XYZ0",
    model="ST1000LM048-2E7172",
    wwn=0x5000C500B17E4A21,
    rotation_rate=5400,
    logical_block_bytes=512,
    physical_block_bytes=4096,
    size_bytes=1_000_204_886_016,
    media=Pace(50, charges_rewrites=True),
)
"""The one that is set up: a laptop drive of a shingled family, which charges for misaligned writes."""

NATIVE = EmulatedDrive(
    "native",
    Bus.SCSI,
    serial="K7HZ81PL",
    vendor="HGST",
    model="HUS726T4TAL4204",
    wwn=0x5000CCA0B2C4D6E8,
    rotation_rate=7200,
    logical_block_bytes=4096,
    physical_block_bytes=4096,
    size_bytes=4_000_787_030_016,
)
"""4Kn and empty."""

BUSY = EmulatedDrive(
    "busy",
    Bus.NVME,
    serial="NV8K2P41",
    logical_block_bytes=512,
    physical_block_bytes=512,
    size_bytes=500_107_862_016,
)
"""Holds the one filesystem of the guest that is mounted, and on it the journal of the run."""

STICK = EmulatedDrive(
    "stick",
    Bus.USB,
    serial="20043512A0",
    vendor="SanDisk",
    model="Cruzer Blade",
    removable=True,
    logical_block_bytes=512,
    physical_block_bytes=512,
    size_bytes=16_008_609_792,
)

PICTURED_FLEET = Fleet("pictured", (SHINGLED, NATIVE, BUSY, STICK))

FILMS = OldVolume("films", 34 * SECTOR, 1024 * MIB)
"""At sector 34, right behind the table's entries, where early GPT tools began."""

BACKUP = OldVolume("backup", 2048 * MIB + 63 * SECTOR, 1024 * MIB)
"""63 modulo 64, as where a track was thought to have 63 sectors."""


def lay_out_past(lab: Laboratory) -> None:
    """Write the old content to the new drives. Nothing stays mounted."""
    lay_out(lab.image(SHINGLED.name), "gpt", (FILMS, BACKUP))
    lay_out(lab.image(BUSY.name), "gpt", (_whole(BUSY, "data"),))
    lay_out(lab.image(STICK.name), "dos", (_whole(STICK, "Müsik"),))


def _whole(drive: EmulatedDrive, label: str) -> OldVolume:
    """Return one ext4 over the drive except the first and last MiB."""
    return OldVolume(label, MIB, (drive.size_bytes // MIB - 2) * MIB, "ext4")


assert BACKUP.start_bytes // SECTOR % 64 == 63
