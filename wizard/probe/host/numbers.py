"""Numbers out of sysfs texts, of drives and of the layers on them. Pure; a text that is none gives None."""

import re
from collections.abc import Mapping

from wizard.model.geometry import Geometry

UNIT_BYTES = 512
"""What sysfs counts sizes and starts in, whatever the drive's blocks are."""


def whole_number(text: str | None) -> int | None:
    """A whole number; None where the text is none."""
    return int(text.strip()) if text is not None and re.fullmatch(r"-?[0-9]{1,20}", text.strip()) else None


def bytes_at(sysfs: Mapping[str, str], name: str) -> int | None:
    """A sysfs count of 512-byte units, in bytes."""
    units = whole_number(sysfs.get(name))
    return None if units is None else units * UNIT_BYTES


def geometry_of(sysfs: Mapping[str, str]) -> Geometry | None:
    """The block sizes; None where the kernel does not tell them."""
    logical = whole_number(sysfs.get("queue/logical_block_size"))
    physical = whole_number(sysfs.get("queue/physical_block_size")) or logical
    if not logical or not physical:
        return None
    return Geometry(
        logical_block_bytes=logical,
        physical_block_bytes=physical,
        alignment_offset_bytes=whole_number(sysfs.get("alignment_offset")) or 0,
        minimum_io_bytes=whole_number(sysfs.get("queue/minimum_io_size")) or 0,
        optimal_io_bytes=whole_number(sysfs.get("queue/optimal_io_size")) or 0,
    )
