"""Operations on whole drives and partition tables."""

from dataclasses import dataclass
from typing import Literal

from wizard.model.layout import TableEntry


@dataclass(frozen=True, slots=True)
class WipeSignatures:
    """Erase all signatures on `device` that libblkid knows, so no stale ones are detected later.

    `expected` are the kinds found when planning, usually none on a new device.
    """

    device: str
    expected: tuple[str, ...]
    kind: Literal["wipe-signatures"] = "wipe-signatures"


@dataclass(frozen=True, slots=True)
class WriteTable:
    """Write a table with exactly `entries`. `fresh` creates a new table; otherwise `kept` entries are
    preserved bit for bit."""

    device: str
    table: Literal["gpt", "mbr"]
    fresh: bool
    entries: tuple[TableEntry, ...]
    kind: Literal["write-table"] = "write-table"


@dataclass(frozen=True, slots=True)
class ResetZones:
    """Reset all zones of the zoned drive `device`, and erase signatures in conventional zones. All data
    becomes unreadable."""

    device: str
    kind: Literal["reset-zones"] = "reset-zones"
