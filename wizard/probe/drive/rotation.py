"""Whether a drive turns. The kernel has no value for "nobody said": what stands there then is its default,
and is no knowledge. Pure.

Sources: SBC-4, Block Device Characteristics VPD page; ACS-4, word 217; Linux drivers/scsi/sd.c (a drive is
rotational unless the page says 1), drivers/block/virtio_blk.c, nbd.c, rbd.c and xen-blkfront.c;
smartmontools' scsiprint.cpp, whose JSON has 0 for "solid state" and for "not reported".
"""

from wizard.model.drive_facts import LEAST_RATE, MOST_RATE, SOLID_STATE, Ata, Smart
from wizard.probe.drive.pages import vital_page
from wizard.probe.facts import RawDrive

PAGE = "b1"
RATE_BYTES = slice(4, 6)
STILL_BY_DEFAULT = ("nbd", "rbd", "xvd")
"""Devices that the kernel calls not rotational, whatever is at the other end."""


def rate_in_page(raw: RawDrive) -> int | None:
    """What page B1h says: 1 for solid state, else turns a minute. None where it says nothing: 0 is "not
    reported", and the rest is reserved."""
    page = vital_page(raw, PAGE)
    return (
        None if page is None or len(page) < RATE_BYTES.stop else told(int.from_bytes(page[RATE_BYTES], "big"))
    )


def told(rate: int) -> int | None:
    """A rate that means something, by word 217 and page B1h alike."""
    return rate if rate == SOLID_STATE or LEAST_RATE <= rate <= MOST_RATE else None


def own_rate(ata: Ata | None, page: int | None, smart: Smart) -> int | None:
    """What the drive itself says, by the nearest of those that heard it."""
    said = (ata.rotation_rate if ata else None, page, smart.rotation_rate)
    return next((rate for rate in said if rate is not None), None)


def turns(raw: RawDrive, rate: int | None, kernels: bool | None) -> bool | None:
    """Whether it has platters; None where nobody said. The drive is believed before the kernel, whose "yes"
    is its default."""
    if rate is not None:
        return rate != SOLID_STATE
    return False if kernels is False and not raw.name.startswith(STILL_BY_DEFAULT) else None
