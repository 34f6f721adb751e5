"""Where GRUB goes on from its first sector, which a BIOS starts. Pure.

Source: GRUB, grub-core/boot/i386/pc/boot.S and include/grub/i386/pc/boot.h
(GRUB_BOOT_MACHINE_KERNEL_SECTOR): the sector that is loaded next stands in it by its place on the drive.
"""

import struct

from wizard.model.units import KERNEL_SECTOR_BYTES

SECTOR_BYTES = 512
NEXT_AT = 0x5C
MARK = b"GRUB \0Geom\0"
SIGNATURE = b"\x55\xaa"


def next_of(sector: bytes) -> int | None:
    """Where on the drive, in bytes, GRUB goes on from a sector; None where it is none of GRUB's."""
    if len(sector) < SECTOR_BYTES or MARK not in sector or sector[510:512] != SIGNATURE:
        return None
    return int(struct.unpack_from("<Q", sector, NEXT_AT)[0]) * KERNEL_SECTOR_BYTES
