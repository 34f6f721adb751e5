"""Resize an NTFS. ntfsclone --metadata copies all metadata with journal and folders (ntfsclone(8)).

The scratch copy contains the ranges that ntfsclone copies. Free clusters come from $Bitmap, record 6 of the
MFT. ntfsresize moves only data beyond the new end, and marks the volume for chkdsk.
"""

import re
from contextlib import suppress

from wizard.apply.block import extents
from wizard.apply.block.devices import forget_caches
from wizard.apply.engine.stores import Store
from wizard.apply.resize import metadata
from wizard.apply.steps.step_context import StepContext
from wizard.filesystems.ntfs import CHECK, INFO
from wizard.model.machine import Extent
from wizard.model.said import MIB, rounded_up, t
from wizard.operations.filesystem import Resize
from wizard.plan.partition.possible import UNCLEAN

PROBE = ("ntfs-3g.probe", "--readwrite")
PROBED_HIBERNATED, PROBED_UNCLEAN = 14, 15
"""Exit statuses of ntfs-3g.probe(8)."""

LEAST_SAID = re.compile(r"might resize at (\d+) bytes")
SCHEDULED = re.compile(r"scheduled\s+for\s+check")
CLUSTER = re.compile(r"(?m)^Cluster size\s*: (\d+) bytes$")
SIZE = re.compile(r"(?m)^Current volume size: (\d+) bytes")
NEW_SIZE = re.compile(r"(?m)^New volume size\s*: (\d+) bytes")
DATA = re.compile(r"\$DATA \(0x80\)(.*?)(?=\nDumping attribute|\Z)", re.DOTALL)
RUN = re.compile(r"(?m)^\s+0x([0-9a-f]+)\s+0x([0-9a-f]+)\s+0x([0-9a-f]+)$")
"""A run of clusters in ntfsinfo's output: offset in the attribute, offset in the volume, and length."""

UNIFORM = re.compile(rb"\x00+|\xff+|[^\x00\xff]")
"""A piece of a bitmap: bytes with all bits clear, bytes with all bits set, or one mixed byte."""

BACKUP_BYTES = 512
"""The backup boot sector, which ntfsresize includes in the volume's size (ntfsprogs/ntfsresize.c)."""


def show(showing: metadata.Showing) -> tuple[Extent, ...]:
    """Copy all metadata, and data beyond the new end. Return free places, and the rest of the partition after
    the volume. Raises Failed."""
    info = _info(showing)
    free = _free(showing.real, showing, info)
    moved = showing.moved(extents.merged(free, 1, showing.volume.end_bytes))
    showing.copy(_records(showing.real, showing))
    showing.copy(moved)
    _refuse_unclean(showing, _number(CLUSTER, info))
    return free


def writable_now(showing: metadata.Showing) -> tuple[Extent, ...]:
    """Return the places of metadata and free space on the scratch copy after ntfsresize. Raises Failed."""
    info = showing.asked(*INFO, "--force", showing.scratch)
    return extents.merged(
        (*_records(showing.scratch, showing), *_free(showing.scratch, showing, info)),
        1,
        showing.volume.end_bytes,
    )


def _info(showing: metadata.Showing) -> str:
    """Return ntfsresize's report after its check. Raises Failed for a volume that is unclean or too full."""
    result = showing.tried(*INFO, showing.real)
    output = result.output + result.errors
    if result.status and SCHEDULED.search(output):
        raise metadata.refused(UNCLEAN(device=showing.real))
    if result.status:
        raise metadata.not_clean(showing.real, *CHECK)
    least = LEAST_SAID.search(output)
    if showing.behind and least and int(least[1]) > showing.size_bytes:
        raise metadata.refused(
            t(
                "{device} cannot be that small: choose {least:exact} or slightly more.",
                device=showing.real,
                least=rounded_up(int(least[1]), MIB),
            )
        )
    return output


def _refuse_unclean(showing: metadata.Showing, cluster: int) -> None:
    """Check with ntfs-3g's own rules on the scratch copy, which contains the journal and the start of
    hiberfil.sys. Raises Failed for an unclean volume or a hibernated Windows."""
    result = showing.tried("ntfsinfo", "--force", "--verbose", "--file", "hiberfil.sys", showing.real)
    places = runs_in(result.output, cluster) if result.status == 0 else ()
    showing.copy(showing.within(one.start_bytes, cluster) for one in places[:1])
    forget_caches(showing.scratch)
    status = showing.tried(*PROBE, showing.scratch).status
    if status == PROBED_HIBERNATED:
        raise metadata.refused(
            t(
                "Windows is hibernated on {device}. Start Windows, turn off fast startup and "
                "shut down: `shutdown /s /t 0`.",
                device=showing.real,
            )
        )
    if status == PROBED_UNCLEAN:
        raise metadata.refused(
            t(
                "The journal of {device} has unfinished changes by Windows. Start Windows, then shut down.",
                device=showing.real,
            )
        )
    if status:
        raise metadata.not_clean(showing.real, *PROBE)


def _records(device: str, showing: metadata.Showing) -> tuple[Extent, ...]:
    file = showing.run / "records"
    try:
        with suppress(OSError):
            file.unlink()
        copying = ("ntfsclone", "--metadata", "--full-logfile", "--force", "--quiet", "--output", str(file))
        showing.do((*copying, device))
        with Store(file) as copied:
            held = extents.merged(extents.held(copied.fd), 1, showing.volume.size_bytes)
        return tuple(showing.within(one.start_bytes, one.size_bytes) for one in held)
    finally:
        with suppress(OSError):
            file.unlink()


def _free(device: str, showing: metadata.Showing, info: str) -> tuple[Extent, ...]:
    """Return places on the drive that are free in the bitmap, or after the volume in the partition."""
    cluster, size = _number(CLUSTER, info), _number(SIZE, info)
    output = showing.asked("ntfsinfo", "--force", "--verbose", "--inode", "6", device)
    count = (size - BACKUP_BYTES) // cluster
    with extents.DeviceMedium(device) as volume:
        bitmap = extents.read_all(runs_in(output, cluster), volume.read)
    end = count * cluster
    rest = (end, showing.volume.size_bytes - end)
    free = free_in(bitmap, count)
    places = (*((one.start_bytes * cluster, one.size_bytes * cluster) for one in free), rest)
    return tuple(showing.within(start, length) for start, length in places if length > 0)


def runs_in(text: str, cluster_bytes: int) -> tuple[Extent, ...]:
    """Parse ntfsinfo, and return the data runs of a record, in bytes from the volume's start. Empty for
    resident data. Pure."""
    runs = [RUN.findall(one) for one in DATA.findall(text)]
    found = sorted((int(at, 16), int(start, 16), int(count, 16)) for one in runs for at, start, count in one)
    return tuple(Extent(start * cluster_bytes, count * cluster_bytes) for _at, start, count in found)


def free_in(bitmap: bytes, count: int) -> tuple[Extent, ...]:
    """Return the free clusters among `count`. Set bits are used clusters, lowest bit first. Raises Failed if
    the bitmap is too short. Pure."""
    if len(bitmap) * 8 < count:
        raise metadata.not_told("ntfsinfo", "$Bitmap")
    found: list[Extent] = []
    for piece in UNIFORM.finditer(bitmap[: -(-count // 8)]):
        start, byte = piece.start() * 8, piece[0][0]
        if not byte:
            found.append(Extent(start, len(piece[0]) * 8))
        elif byte != 0xFF:
            found += (Extent(start + bit, 1) for bit in range(8) if not byte >> bit & 1)
    return extents.merged(found, 1, count)


def _number(pattern: re.Pattern[str], text: str) -> int:
    found = pattern.search(text)
    if found is None:
        raise metadata.not_told("ntfsresize", "clusters", "size")
    return int(found[1])


def held_bytes(_operation: Resize, said: str, _context: StepContext) -> int:
    """Return the current size in bytes from ntfsresize's output."""
    found = NEW_SIZE.search(said)
    return int(found[1]) if found else 0
