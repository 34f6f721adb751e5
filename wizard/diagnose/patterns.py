"""Models known to be shingled, or conventional in spite of their family: `profiles/drives/*.toml`, which
users extend without code."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from wizard.documents.profiles import fault_at, profile_files, read_profile
from wizard.model.machine import Drive
from wizard.model.said import NO_TEXT, ProfileText, Said, t


class Kind(StrEnum):
    """How a model records: the first three are shingled. MEDIA_CACHE says nothing of that: its small writes
    go to a log on the platters, as those of shingled drives do."""

    DRIVE_MANAGED = "drive-managed"
    HOST_AWARE = "host-aware"
    HOST_MANAGED = "host-managed"
    CONVENTIONAL = "conventional"
    MEDIA_CACHE = "media-cache"


class Confidence(StrEnum):
    """high: the maker or smartmontools' database; medium: press or a maker's list of families; low: reported
    by users.

    A conventional one of high confidence outweighs even what a smartctl of another age says, so that the
    drive counts as unknown.
    """

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


MOST_BYTES_IN_A_TB = 1.05e12
"""Drives hold a little more than the capacity they are sold by."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """One line of the list. `model` is a regular expression that must fit the model number as a whole, up to
    a `-` or a blank.

    Makers' names before it (`WDC`, `TOSHIBA`) need not be written. `capacity` is a note on which sizes are
    meant; `largest_tb` (in 10^12 bytes) leaves out larger drives. Smaller ones are never left out: a
    host-protected area makes any drive smaller.
    """

    model: str
    kind: Kind = Kind.DRIVE_MANAGED
    confidence: Confidence = Confidence.LOW
    family: ProfileText = NO_TEXT
    capacity: str = ""
    largest_tb: float | None = None
    source: ProfileText = NO_TEXT
    """Without one it is the user's own."""


@dataclass(frozen=True, slots=True)
class PatternFile:
    """A file of the list: an array of tables named `drives`."""

    drives: tuple[Pattern, ...]


_MAKER = re.compile(r"^(?:WDC|WD|Western Digital|TOSHIBA|SEAGATE|HGST|HITACHI|SAMSUNG|ATA)\s+", re.IGNORECASE)


def model_numbers(drive: Drive) -> tuple[str, ...]:
    """The ways in which a drive's model may be written, without its maker's name: as the kernel has it; whole
    again where a USB bridge has cut it in two (8 characters of vendor, 16 of product); and as the drive
    itself says behind a bridge with a name of its own."""
    model = (drive.model or "").replace("_", " ").strip()
    joined = (drive.vendor or "").strip() + model if model else ""
    own = drive.ata.model if drive.ata else None
    known = [name for name in (model, joined, own, drive.smart.model_name) if name]
    return tuple(dict.fromkeys(_MAKER.sub("", name, count=1) for name in known))


def fitting(drive: Drive, patterns: Iterable[Pattern]) -> Iterator[Pattern]:
    """Those that are the drive's model number, and meant for drives no smaller than it is."""
    numbers = model_numbers(drive)
    for pattern in patterns:
        meant = (
            pattern.largest_tb is None or (drive.size_bytes or 0) <= pattern.largest_tb * MOST_BYTES_IN_A_TB
        )
        if meant and any(
            re.fullmatch(rf"(?:{pattern.model})(?:[-\s].*)?", number, re.IGNORECASE) for number in numbers
        ):
            yield pattern


def load_patterns() -> tuple[Pattern, ...]:
    """Every pattern of every file, the user's last; raises BadInput naming file, line and key."""
    return tuple(pattern for path in profile_files("drives") for pattern in read_patterns(path))


def read_patterns(path: Path) -> tuple[Pattern, ...]:
    """The patterns of one file; raises BadInput naming file, line and key."""
    found = read_profile(path, PatternFile).drives
    for index, pattern in enumerate(found):
        if trouble := _trouble(pattern):
            name, said = trouble
            raise fault_at(path, f"drives[{index}].{name}", said)
    return found


def _trouble(pattern: Pattern) -> tuple[str, Said] | None:
    """What makes a pattern useless: the key, and the reason."""
    try:
        empty = re.compile(pattern.model).fullmatch("") is not None
    except re.error as error:
        return "model", t(
            "'{pattern}' is no usable pattern: {fault}.", pattern=pattern.model, fault=str(error)
        )
    if empty:
        return "model", t("'{pattern}' is no usable pattern: it fits every drive.", pattern=pattern.model)
    if pattern.largest_tb is not None and not pattern.largest_tb > 0:
        return "largest_tb", t("{largest:g} leaves no drive that could fit.", largest=pattern.largest_tb)
    return None
