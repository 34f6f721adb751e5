"""Grow an XFS.

xfs_metadump copies all metadata with the log (xfs_metadump(8)); xfs_db lists free space. Growing moves no
data: it extends the last allocation group and adds new ones (Linux fs/xfs/xfs_fsops.c).
"""

import re
from contextlib import suppress

from wizard.apply.block.extents import GRAIN_BYTES
from wizard.apply.resize import metadata
from wizard.apply.steps.step_context import StepContext
from wizard.model.machine import Extent
from wizard.model.said import t
from wizard.operations.filesystem import Resize

FIELDS = ("blocksize", "agblocks", "logstart", "rblocks", "dblocks")
SUPERBLOCK = ("xfs_db", "-r", "-c", "sb 0", "-c", f"p {' '.join(FIELDS)}")
FREE = re.compile(r"(?m)^\s*(\d+)\s+(\d+)\s+(\d+)\s*$")
"""A free extent in the output of xfs_db's freesp -d: allocation group, first block, and number of blocks."""
UNMOUNTED_BADLY = re.compile("(?i)valuable metadata changes in a log")
"""Output of xfs_repair if the log is not empty (repair/phase2.c)."""


def show(showing: metadata.Showing) -> tuple[Extent, ...]:
    """Copy all metadata, and return free places, also after the filesystem. Raises Failed."""
    found = superblock_in(showing.asked(*SUPERBLOCK, showing.real))
    if found["blocksize"] % GRAIN_BYTES or showing.volume.start_bytes % GRAIN_BYTES:
        start = showing.volume.start_bytes
        raise metadata.refused(metadata.SMALL_BLOCKS(block=found["blocksize"], start=start, page=GRAIN_BYTES))
    if found["rblocks"] or not found["logstart"]:
        raise metadata.refused(t("The filesystem's log or some files are on another device."))
    check = ("xfs_repair", "-n")
    checked = showing.tried(*check, showing.real)
    if UNMOUNTED_BADLY.search(checked.output + checked.errors):
        raise metadata.refused(metadata.CUT_OFF)
    if checked.status:
        raise metadata.not_clean(showing.real, *check)
    records = showing.run / "records"
    try:
        showing.do(("xfs_metadump", "-o", "-a", showing.real, str(records)))
        showing.do(("xfs_mdrestore", str(records), showing.scratch))
    finally:
        with suppress(OSError):
            records.unlink()
    output = showing.asked("xfs_db", "-r", "-c", "freesp -d", showing.real)
    size = found["dblocks"] * found["blocksize"]
    free = (*free_in(output, found), Extent(size, max(0, showing.volume.size_bytes - size)))
    return tuple(showing.within(place.start_bytes, place.size_bytes) for place in free)


def superblock_in(text: str) -> dict[str, int]:
    """Parse the superblock fields from xfs_db. Raises Failed if one is missing. Pure."""
    found = {name: int(value) for name, value in re.findall(r"(?m)^(\w+) = (\d+)$", text)}
    if absent := [name for name in FIELDS if name not in found]:
        raise metadata.not_told("xfs_db", *absent)
    return found


def free_in(text: str, superblock: dict[str, int]) -> tuple[Extent, ...]:
    """Parse the free extents from xfs_db, with offsets from the filesystem's start. Pure."""
    block, length = superblock["blocksize"], superblock["agblocks"]
    runs = (tuple(map(int, one)) for one in FREE.findall(text))
    return tuple(Extent((group * length + first) * block, count * block) for group, first, count in runs)


def held_bytes(operation: Resize, _said: str, context: StepContext) -> int:
    """Return the current size in bytes. Raises Failed."""
    found = superblock_in(context.command((*SUPERBLOCK, operation.device)).output)
    return found["dblocks"] * found["blocksize"]
