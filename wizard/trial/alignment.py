"""The paired alignment probe: one aligned and one misaligned access right after the other, over and over, at
fresh places."""

import errno
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from random import Random

from wizard.model.errors import BadInput, Failed
from wizard.model.geometry import Geometry
from wizard.model.machine import Drive, Extent, Partition
from wizard.model.said import Said
from wizard.model.units import KIB
from wizard.model.verdict import Outcome, Verdict
from wizard.probe.machine import probe_drive
from wizard.trial.access import Accesses, Reads, WriteBacks
from wizard.trial.measure import Clock, Progress, measure
from wizard.trial.paired import BAND, CACHE_CLAIM, judge
from wizard.trial.places import Grid, draw_places
from wizard.trial.scratch import claimed, confirm_scratch, scratch_extents
from wizard.trial.sentences import caveats_for, sentence_for
from wizard.trial.words import alignment as words

LARGEST_BLOCK_BYTES = 64 * KIB

__all__ = ["Progress", "confirm_scratch", "run_alignment_trial"]


def run_alignment_trial(
    drive: Drive,
    *,
    write: bool,
    seconds: float = 30.0,
    on_progress: Callable[[Progress], None],
    stop: Callable[[], bool],
    assume_physical_bytes: int | None = None,
    part: Partition | None = None,
    probe: Callable[[str], Drive] = probe_drive,
) -> Verdict:
    """Measure until the interval is narrow, `seconds` are over, or `stop` says so.

    With a partition, the other access of each pair lies in the drive's blocks as that one's blocks do.
    Writing happens only in free space of a drive that is probed again here; the face has had its token typed
    (`confirm_scratch`). Raises Refused where writing is not safe, Failed where the drive cannot be read,
    BadInput for an impossible physical size.
    """
    access = "write" if write else "read"
    if drive.geometry is None or not drive.size_bytes:
        raise Failed(str(_unread(drive)))
    grid = _grid(drive.geometry, assume_physical_bytes)
    if part:
        grid = replace(grid, shift_bytes=(part.start_bytes - grid.offset_bytes) % grid.block_bytes)
    if write:
        scratch_extents(drive)
    if reason := _impossible(drive, drive.geometry, grid):
        sentence = str(words.IMPOSSIBLE(drive=drive.path, why=reason))
        outcome = Outcome.NOT_POSSIBLE
        return Verdict(drive.path, access, outcome, None, sentence, (), grid.block_bytes, 0, 0.0, ())
    claim = CACHE_CLAIM if drive.bus == "loop" else BAND[1]
    clock = Clock(seconds, stop)
    opened = _write_backs(drive, grid, probe) if write else _reads(drive.path, drive.size_bytes, grid)
    with opened as (accesses, extents):
        result = measure(accesses, extents, grid, clock, on_progress, claim_above=claim)
    outcome = judge(result.ratio, claim)
    return Verdict(
        drive=drive.path,
        access=access,
        outcome=outcome,
        ratio=result.ratio,
        sentence=sentence_for(
            part.path if part else drive.path,
            access,
            outcome,
            result.ratio,
            len(result.pairs),
            claim,
            as_in_part=part is not None,
        ),
        caveats=caveats_for(
            drive,
            access,
            outcome,
            assumed=assume_physical_bytes is not None,
            counted_pauses=result.counted_pauses,
            ended=clock.ended_by_person,
        ),
        block_bytes=grid.block_bytes,
        shift_bytes=grid.shift_bytes,
        seconds=round(clock.elapsed, 3),
        pairs=result.pairs,
    )


def _unread(drive: Drive) -> Said:
    """What is said of a drive that did not answer, with what the probe says of it."""
    said = next(
        (unread.why for unread in drive.unread if unread.what in ("drive", "geometry", "size_bytes")), None
    )
    if not said:
        return words.UNREAD(drive=drive.path)
    return words.UNREAD_WHY(drive=drive.path, why=said)


def _grid(geometry: Geometry, assumed: int | None) -> Grid:
    """What is taken for aligned."""
    logical = geometry.logical_block_bytes
    if assumed is None:
        return Grid(geometry.physical_block_bytes, logical, max(geometry.alignment_offset_bytes, 0))
    if assumed & (assumed - 1) or not logical < assumed <= LARGEST_BLOCK_BYTES:
        raise BadInput(str(words.NO_SIZE(size=assumed, logical=logical, most=LARGEST_BLOCK_BYTES)))
    return Grid(assumed, logical, 0)


def _impossible(drive: Drive, geometry: Geometry, grid: Grid) -> Said | None:
    """Why there is no misaligned access to measure, in a sentence or two."""
    logical = geometry.logical_block_bytes
    if drive.zoned == "host-managed":
        return words.HOST_MANAGED()
    if grid.block_bytes <= logical:
        if logical >= 4096:
            return words.WHOLE_BLOCKS(size=logical)
        return words.SAME_BLOCKS(size=grid.block_bytes, drive=drive.path)
    if geometry.alignment_offset_bytes < 0:
        return words.OFF_EACH_OTHER()
    if grid.block_bytes > LARGEST_BLOCK_BYTES or grid.block_bytes % logical:
        return words.NOT_MEANT(size=grid.block_bytes)
    if next(draw_places((Extent(0, drive.size_bytes or 0),), grid, Random(0)), None) is None:
        return words.TOO_SMALL()
    return None


@contextmanager
def _reads(path: str, size_bytes: int, grid: Grid) -> Iterator[tuple[Accesses, Sequence[Extent]]]:
    """Reads of the whole drive. Raises Failed where it cannot be opened."""
    descriptor = _open_to_read(path)
    try:
        yield Reads(path, descriptor, grid.block_bytes), (Extent(0, size_bytes),)
    finally:
        os.close(descriptor)


@contextmanager
def _write_backs(
    drive: Drive, grid: Grid, probe: Callable[[str], Drive]
) -> Iterator[tuple[Accesses, Sequence[Extent]]]:
    """Writes to free space of the drive, which nobody else has meanwhile. Raises Refused as `claimed`
    does."""
    with claimed(drive, probe, synchronous=True) as held:
        writes = WriteBacks(drive.path, held.descriptor, grid.block_bytes, held.extents, held.watch)
        yield writes, held.extents


def _open_to_read(path: str) -> int:
    try:
        return os.open(path, os.O_RDONLY | os.O_DIRECT)
    except PermissionError:
        raise Failed(str(words.NOT_ROOT(drive=path))) from None
    except OSError as error:
        if error.errno == errno.EINVAL:
            raise Failed(str(words.NO_DIRECT(drive=path))) from None
        raise Failed(str(words.NOT_OPENED(drive=path, why=str(error.strerror)))) from None
