"""What the drive's block sizes mean for the person, and which of them cannot be believed."""

from collections.abc import Iterator

from wizard.model.finding import Finding, Severity
from wizard.model.geometry import Geometry, misalignment_bytes, plausible_optimal_io_bytes
from wizard.model.machine import Drive
from wizard.model.units import MIB

SECTOR_BYTES = 512
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
    if geometry.optimal_io_bytes and plausible_optimal_io_bytes(geometry) is None:
        yield _bogus(drive, geometry)


def _512e(drive: Drive, offset_bytes: int) -> Finding:
    behind = f" and {offset_bytes} bytes, as this drive's own offset asks for" if offset_bytes > 0 else ""
    return Finding(
        "geometry-512e",
        Severity.INFO,
        drive.path,
        f"{drive.path} takes blocks of 512 bytes and stores blocks of 4096.",
        "Whatever starts or ends within a physical block makes the drive read, change and write it again.",
        "physical_block_size and logical_block_size of the kernel's block queue",
        f"Nothing needs to be done: every layout made here starts on a whole MiB{behind}.",
    )


def _4kn(drive: Drive) -> Finding:
    return Finding(
        "geometry-4kn",
        Severity.INFO,
        drive.path,
        f"{drive.path} takes only blocks of 4096 bytes.",
        "Nothing smaller can be addressed, so that no partition can be misaligned; old BIOS firmware cannot "
        "boot from it, and images of drives with 512-byte blocks do not fit.",
        "logical_block_size of the kernel's block queue",
        "Boot from it by UEFI, and copy files to it, not images of partitions.",
    )


def _usb_4096(drive: Drive) -> Finding:
    return Finding(
        "geometry-usb-4096",
        Severity.WARNING,
        drive.path,
        f"{drive.path} is attached by USB and presents blocks of 4096 bytes.",
        "Some USB bridges do so for drives whose own blocks are 512 bytes: a partition table made here "
        "cannot be read once the drive is taken out of this enclosure.",
        "known behaviour of USB bridges for drives over 2 TiB",
        "Keep drive and enclosure together, or set the drive up where it will stay. Software cannot change "
        "what the bridge presents.",
    )


def _bogus(drive: Drive, geometry: Geometry) -> Finding:
    return Finding(
        "geometry-optimal-io-bogus",
        Severity.WARNING,
        drive.path,
        f"{drive.path} reports an optimal I/O size of {geometry.optimal_io_bytes} bytes, which cannot be "
        f"meant: it is no multiple of its {geometry.granularity_bytes}-byte blocks, or a counter at its end.",
        _believers(drive, geometry),
        "libparted/arch/linux.c, linux_get_optimum_alignment; lvm2 lib/metadata/metadata.c, set_pe_align; "
        "util-linux issue 1221; truenas/middleware issue 16663 (kernels from 6.12 round it to 16776704)",
        "Nothing needs to be done here: diskwright ignores it. Give parted starts in MiB and no percentages, "
        "and LVM `pvcreate --config devices/data_alignment_detection=0`.",
    )


def _believers(drive: Drive, geometry: Geometry) -> str:
    """Which tools believe it, what they would do on this very drive, and who is right."""
    optimal, logical = geometry.optimal_io_bytes, geometry.logical_block_bytes
    counted = optimal // SECTOR_BYTES + 1
    ending = ", a counter at its end" if counted & (counted - 1) == 0 else ""
    said = [f"{optimal} is {optimal // SECTOR_BYTES} times 512{ending}."]
    if (first := optimal // logical) and MIB % optimal:
        # Of a start in percent parted takes what lies within the percent; where nothing fits it gives up
        # aligning.
        far = (drive.size_bytes or 0) < PARTED_SHARE * first * logical
        starts = (
            ""
            if far
            else (
                f"`mkpart 0%` starts at block {first}, {_lies(geometry, first * logical)}, which it calls "
                "optimal, and "
            )
        )
        said.append(
            f"parted believes it and is wrong: {starts}{'it calls ' if far else ''}1 MiB not aligned."
        )
    if (area := optimal // SECTOR_BYTES * SECTOR_BYTES) and MIB % area:
        said.append(f"LVM believes it too and begins its data on a multiple of {area}.")
    if optimal == IGNORED_BYTES or optimal % geometry.physical_block_bytes:
        said.append("fdisk and sfdisk ignore it and are right with 1 MiB.")
    return " ".join(said)


def _lies(geometry: Geometry, start_bytes: int) -> str:
    """How a start lies on the drive's blocks, or on 1 MiB where those are small."""
    if missing := misalignment_bytes(geometry, start_bytes):
        return f"{missing} bytes before a boundary of the drive's {geometry.granularity_bytes}-byte blocks"
    return "off 1 MiB" if start_bytes % MIB else "aligned"
