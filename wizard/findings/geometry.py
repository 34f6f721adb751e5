"""Explain a drive's block sizes and reject implausible ones. Also matches models with known SMR."""

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import Path

from msgspec import Struct

from wizard.documents import profiles
from wizard.model.finding import NO_ACTION, Finding, Severity
from wizard.model.machine import Drive
from wizard.model.said import MIB, NO_TEXT, ProfileText, join, t

SECTOR_BYTES = 512
USUAL_PHYSICAL_BYTES = 4096
BLOCKS = t("the kernel's view in sysfs")
IGNORED_BYTES = 33553920
"""The bogus value that libfdisk ignores. It also ignores values that are not multiples of the physical
block."""


def find_geometry(drive: Drive) -> Iterator[Finding]:
    """Yield findings about the sector format and an impossible optimal I/O size."""
    geometry = drive.geometry
    if geometry is None:
        return
    block, logical = geometry.physical_block_bytes, geometry.logical_block_bytes
    if logical == 4096 and drive.bus == "usb":
        yield Finding(
            "geometry-usb-4096",
            Severity.WARNING,
            drive.path,
            t("{drive} is attached by USB and presents 4096-byte blocks.", drive=drive),
            t(
                "Some USB bridges do this for drives with 512-byte blocks. Outside the "
                "enclosure, the partition table is unreadable."
            ),
            BLOCKS,
            t(
                "Use the drive only in this enclosure, or set up the drive in its final "
                "location. Software cannot change the presented block size."
            ),
        )
    elif logical == 4096:
        yield Finding(
            "geometry-4kn",
            Severity.INFO,
            drive.path,
            t("{drive} accepts only 4096-byte blocks (4Kn).", drive=drive),
            t(
                "Partitions cannot be misaligned: smaller units are not addressable. Old "
                "BIOS firmware cannot boot from this drive. Images of drives with 512-byte "
                "blocks do not fit."
            ),
            BLOCKS,
            t("Boot by UEFI. Copy files, not partition images."),
        )
    elif geometry.sector_format == "512e":
        yield Finding(
            "geometry-512e",
            Severity.INFO,
            drive.path,
            t("{drive} has 512-byte logical and 4096-byte physical blocks (512e).", drive=drive),
            t("Writes that start or end within a physical block cause a read-modify-write."),
            BLOCKS,
            t("No start fits all underlying devices (see the other finding). Fix those devices first.")
            if geometry.alignment_offset_bytes < 0
            else NO_ACTION,
        )
    if block > USUAL_PHYSICAL_BYTES:
        yield Finding(
            "geometry-large-blocks",
            Severity.INFO,
            drive.path,
            t(
                "{drive} has {block}-byte physical and {logical}-byte logical blocks.",
                drive=drive,
                block=block,
                logical=logical,
            ),
            t(
                "Filesystems mostly write 4096 bytes at a time. For each write, the drive "
                "reads and writes {block} bytes.",
                block=block,
            ),
            BLOCKS,
            t("Avoid workloads with many small writes."),
        )
    optimal = geometry.optimal_io_bytes
    if optimal and geometry.plausible_optimal_io_bytes is None:
        effects = []
        if optimal >= logical and MIB % optimal:
            effects.append(t("parted wrongly uses this value and reports 1 MiB as not aligned."))
        if (area := optimal // SECTOR_BYTES * SECTOR_BYTES) and MIB % area:
            effects.append(t("LVM also uses this value and starts data on a multiple of {area}.", area=area))
        if optimal == IGNORED_BYTES or optimal % block:
            effects.append(t("fdisk and sfdisk ignore this value and correctly use 1 MiB."))
        yield Finding(
            "geometry-optimal-io-bogus",
            Severity.WARNING,
            drive.path,
            t(
                "{drive} reports an impossible optimal I/O size: {optimal} bytes. This is "
                "not a multiple of {block}-byte blocks, or is a counter's maximum.",
                drive=drive,
                optimal=optimal,
                block=geometry.granularity_bytes,
            ),
            join(*effects),
            t(
                "libparted/arch/linux.c, linux_get_optimum_alignment; lvm2 "
                "lib/metadata/metadata.c, set_pe_align; util-linux issue 1221; "
                "truenas/middleware issue 16663 (kernels from 6.12 round it to 16776704)"
            ),
            t(
                "No action needed: diskwright ignores this value. In parted, specify starts "
                "in MiB, not percentages. For LVM, set devices/data_alignment_detection=0."
            ),
        )


class RecordingKind(StrEnum):
    """Recording method of a model. LISTED_CONVENTIONAL: by the maker. MEDIA_CACHE leaves the method open:
    small writes go to a log on the platters."""

    DRIVE_MANAGED = "drive-managed"
    HOST_AWARE = "host-aware"
    HOST_MANAGED = "host-managed"
    CONVENTIONAL = "conventional"
    LISTED_CONVENTIONAL = "listed-conventional"
    MEDIA_CACHE = "media-cache"


class Confidence(StrEnum):
    """high: manufacturer or smartmontools; medium: press or manufacturers' family lists; low: users.

    A conventional entry of high confidence outweighs even smartctl of another version: the drive then counts
    as unknown.
    """

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


MOST_BYTES_IN_A_TB = 1.05e12
"""Drives have slightly more bytes than their nominal capacity."""


class Pattern(Struct, frozen=True):
    """One entry of the model list.

    `model` is a regular expression for the whole model number, up to a `-` or space, without a vendor name
    (`WDC`, `TOSHIBA`). `capacity` is a note. `largest_tb` (in 10^12 bytes) excludes larger drives, but no
    smaller ones: a host-protected area makes any drive smaller.
    """

    model: str
    kind: RecordingKind = RecordingKind.DRIVE_MANAGED
    confidence: Confidence = Confidence.LOW
    family: ProfileText = NO_TEXT
    capacity: str = ""
    largest_tb: float | None = None
    source: ProfileText = NO_TEXT
    """Empty in the user's own list."""


class PatternFile(Struct, frozen=True):
    """A file of the model list."""

    drives: tuple[Pattern, ...]


_VENDOR = re.compile(
    r"^(?:WDC|WD|Western Digital|TOSHIBA|SEAGATE|HGST|HITACHI|SAMSUNG|ATA)\s+", re.IGNORECASE
)


def fitting(drive: Drive, patterns: Iterable[Pattern]) -> Iterator[Pattern]:
    """Yield the patterns that match the model number and capacity. USB bridges split the model between two
    fields, or report another; vendor names are dropped."""
    model = (drive.model or "").replace("_", " ").strip()
    joined = (drive.vendor or "").strip() + model if model else ""
    own = drive.ata.model if drive.ata else None
    names = dict.fromkeys((model, joined, own, drive.smart.model_name))
    numbers = [_VENDOR.sub("", name, count=1) for name in names if name]
    for pattern in patterns:
        expression = rf"(?:{pattern.model})(?:[-\s].*)?"
        largest = None if pattern.largest_tb is None else pattern.largest_tb * MOST_BYTES_IN_A_TB
        if (largest is None or (drive.size_bytes or 0) <= largest) and any(
            re.fullmatch(expression, number, re.IGNORECASE) for number in numbers
        ):
            yield pattern


def load_patterns() -> tuple[Pattern, ...]:
    """Load the patterns of all files, the user's last. Raises BadInput with file, line and key."""
    return tuple(pattern for path in profiles.profile_files("drives") for pattern in read_patterns(path))


def read_patterns(path: Path) -> tuple[Pattern, ...]:
    """Load one file. Raises BadInput with file, line and key."""
    found = profiles.read_profile(path, PatternFile).drives
    if path.is_relative_to(profiles.BUNDLED):
        # Tests check these.
        return found
    for index, pattern in enumerate(found):
        where, fault = f"drives[{index}].model", ""
        try:
            if re.compile(pattern.model).fullmatch(""):
                fault = str(t("it matches every drive"))
        except re.error as error:
            fault = str(error)
        if fault:
            reason = t("Unusable pattern '{pattern}': {fault}.", pattern=pattern.model, fault=fault)
            raise profiles.fault_at(path, where, reason)
        if pattern.largest_tb is not None and not pattern.largest_tb > 0:
            reason = t("{largest:g} excludes every drive.", largest=pattern.largest_tb)
            raise profiles.fault_at(path, f"drives[{index}].largest_tb", reason)
    return found
