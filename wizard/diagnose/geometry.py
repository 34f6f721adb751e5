"""What the drive's block sizes mean for the person, and which of them cannot be believed."""

from collections.abc import Iterator

from wizard.diagnose.words import geometry as words
from wizard.model.finding import Finding, Severity
from wizard.model.geometry import Geometry, misalignment_bytes, plausible_optimal_io_bytes
from wizard.model.machine import Drive
from wizard.model.said import Said, in_a_row
from wizard.model.units import MIB

SECTOR_BYTES = 512
USUAL_PHYSICAL_BYTES = 4096
PARTED_SHARE = 200
IGNORED_BYTES = 33553920
"""Of the bogus numbers the one that libfdisk knows by name; others it ignores where they are no multiple of
the physical block."""


def find_geometry(drive: Drive) -> Iterator[Finding]:
    """The sector format, and an optimal I/O size that cannot be meant."""
    geometry = drive.geometry
    if geometry is None:
        return
    if geometry.logical_block_bytes == 4096:
        yield _usb_4096(drive) if drive.bus == "usb" else _4kn(drive)
    elif geometry.sector_format == "512e":
        yield _512e(drive, geometry.alignment_offset_bytes)
    if geometry.physical_block_bytes > USUAL_PHYSICAL_BYTES:
        yield _large(drive, geometry)
    if geometry.optimal_io_bytes and plausible_optimal_io_bytes(geometry) is None:
        yield _bogus(drive, geometry)


def _512e(drive: Drive, offset_bytes: int) -> Finding:
    if offset_bytes < 0:
        remedy = words.E512_STACK_REMEDY()
    else:
        remedy = words.E512_OFFSET_REMEDY(offset=offset_bytes) if offset_bytes else words.E512_REMEDY()
    return Finding(
        "geometry-512e",
        Severity.INFO,
        drive.path,
        words.E512(drive=drive.path),
        words.E512_WHY(),
        words.E512_SOURCE(),
        remedy,
    )


def _large(drive: Drive, geometry: Geometry) -> Finding:
    """Blocks that no filesystem of today's usual ones fills: 8 KiB and more."""
    block = geometry.physical_block_bytes
    return Finding(
        "geometry-large-blocks",
        Severity.INFO,
        drive.path,
        words.LARGE(drive=drive.path, block=block, logical=geometry.logical_block_bytes),
        words.LARGE_WHY(block=block),
        words.LARGE_SOURCE(),
        words.LARGE_REMEDY(),
    )


def _4kn(drive: Drive) -> Finding:
    return Finding(
        "geometry-4kn",
        Severity.INFO,
        drive.path,
        words.KN4(drive=drive.path),
        words.KN4_WHY(),
        words.KN4_SOURCE(),
        words.KN4_REMEDY(),
    )


def _usb_4096(drive: Drive) -> Finding:
    return Finding(
        "geometry-usb-4096",
        Severity.WARNING,
        drive.path,
        words.USB(drive=drive.path),
        words.USB_WHY(),
        words.USB_SOURCE(),
        words.USB_REMEDY(),
    )


def _bogus(drive: Drive, geometry: Geometry) -> Finding:
    return Finding(
        "geometry-optimal-io-bogus",
        Severity.WARNING,
        drive.path,
        words.BOGUS(drive=drive.path, optimal=geometry.optimal_io_bytes, block=geometry.granularity_bytes),
        in_a_row(*_believers(drive, geometry)),
        words.BOGUS_SOURCE(),
        words.BOGUS_REMEDY(),
    )


def _believers(drive: Drive, geometry: Geometry) -> Iterator[Said]:
    """Which tools believe it, what they would do on this very drive, and who is right."""
    optimal, logical = geometry.optimal_io_bytes, geometry.logical_block_bytes
    counted = optimal // SECTOR_BYTES + 1
    times = words.TIMES if counted & (counted - 1) else words.TIMES_AT_END
    yield times(optimal=optimal, times=optimal // SECTOR_BYTES)
    if (first := optimal // logical) and MIB % optimal:
        # Of a start in percent parted takes what lies within the percent; where nothing fits it gives up
        # aligning.
        far = (drive.size_bytes or 0) < PARTED_SHARE * first * logical
        yield words.PARTED_FAR() if far else words.PARTED(first=first, lies=_lies(geometry, first * logical))
    if (area := optimal // SECTOR_BYTES * SECTOR_BYTES) and MIB % area:
        yield words.LVM(area=area)
    if optimal == IGNORED_BYTES or optimal % geometry.physical_block_bytes:
        yield words.FDISK()


def _lies(geometry: Geometry, start_bytes: int) -> Said:
    """How a start lies on the drive's blocks, or on 1 MiB where those are small."""
    if missing := misalignment_bytes(geometry, start_bytes):
        return words.BEFORE(missing=missing, block=geometry.granularity_bytes)
    return words.OFF_GRAIN() if start_bytes % MIB else words.ALIGNED()
