"""The paired alignment probe: one aligned and one misaligned access right after the other, over and over, at
fresh places."""

import errno
import os
from collections.abc import Callable
from random import Random

from wizard.model.errors import BadInput, Failed
from wizard.model.geometry import Geometry
from wizard.model.machine import Drive, Extent
from wizard.model.names import printable
from wizard.model.units import KIB
from wizard.model.verdict import Outcome, Verdict
from wizard.probe.machine import probe_drive
from wizard.trial.access import Reads, WriteBacks
from wizard.trial.measure import Clock, Progress, measure
from wizard.trial.paired import BAND, CACHE_CLAIM, judge
from wizard.trial.places import Grid, draw_places
from wizard.trial.scratch import claimed, confirm_scratch, scratch_extents
from wizard.trial.sentences import caveats_for, sentence_for

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
    probe: Callable[[str], Drive] = probe_drive,
) -> Verdict:
    """Measure until the interval is narrow, `seconds` are over, or `stop` says so.

    Writing happens only in free space of a drive that is probed again here; the face has had its token typed
    (`confirm_scratch`). Raises Refused where writing is not safe, Failed where the drive cannot be read,
    BadInput for an impossible physical size.
    """
    access = "write" if write else "read"
    if drive.geometry is None or not drive.size_bytes:
        raise Failed(
            f"{drive.path}: its size and block sizes could not be read{_why(drive)}. Without them nothing "
            "can be measured."
        )
    grid = _grid(drive.geometry, assume_physical_bytes)
    if write:
        scratch_extents(drive)
    if reason := _impossible(drive, drive.geometry, grid):
        sentence = f"{drive.path}: no misaligned access is possible. {reason}"
        return Verdict(
            drive.path, access, Outcome.NOT_POSSIBLE, None, sentence, (), grid.block_bytes, 0, 0.0, ()
        )
    claim = CACHE_CLAIM if drive.bus == "loop" else BAND[1]
    clock = Clock(seconds, stop)
    if write:
        with claimed(drive, probe, synchronous=True) as held:
            writes = WriteBacks(drive.path, held.descriptor, grid.block_bytes, held.extents, held.watch)
            result = measure(writes, held.extents, grid, clock, on_progress, claim_above=claim)
    else:
        descriptor = _open_to_read(drive.path)
        try:
            whole = (Extent(0, drive.size_bytes),)
            result = measure(
                Reads(drive.path, descriptor, grid.block_bytes),
                whole,
                grid,
                clock,
                on_progress,
                claim_above=claim,
            )
        finally:
            os.close(descriptor)
    outcome = judge(result.ratio, claim)
    return Verdict(
        drive=drive.path,
        access=access,
        outcome=outcome,
        ratio=result.ratio,
        sentence=sentence_for(drive.path, access, outcome, result.ratio, len(result.pairs), claim),
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


def _why(drive: Drive) -> str:
    """What the probe says of a drive that did not answer, in brackets; nothing where it says nothing."""
    said = next(
        (unread.why for unread in drive.unread if unread.what in ("drive", "geometry", "size_bytes")), None
    )
    return f" ({printable(said, 300).strip().rstrip('.')})" if said else ""


def _grid(geometry: Geometry, assumed: int | None) -> Grid:
    """What is taken for aligned."""
    logical = geometry.logical_block_bytes
    if assumed is None:
        return Grid(geometry.physical_block_bytes, logical, max(geometry.alignment_offset_bytes, 0))
    if assumed & (assumed - 1) or not logical < assumed <= LARGEST_BLOCK_BYTES:
        raise BadInput(
            f"{assumed} is no physical block size to assume: it must be a power of two above the logical "
            f"block of {logical} bytes and at most {LARGEST_BLOCK_BYTES}."
        )
    return Grid(assumed, logical, 0)


def _impossible(drive: Drive, geometry: Geometry, grid: Grid) -> str | None:
    """Why there is no misaligned access to measure, in a sentence or two."""
    logical = geometry.logical_block_bytes
    if drive.zoned == "host-managed":
        return (
            "It is host-managed: a write can only begin where the zone's last one ended, so that none is "
            "ever misaligned, and what was never written need not be readable."
        )
    if grid.block_bytes <= logical:
        if logical >= 4096:
            return (
                f"It takes only blocks of {logical} bytes, which are its physical blocks: nothing smaller "
                "can be asked for."
            )
        return (
            f"By its own word its physical blocks are {grid.block_bytes} bytes, like the logical ones. Since "
            f"drives that hide larger blocks exist, `diskwright bench {drive.path} --assume-physical 4096` "
            "measures."
        )
    if geometry.alignment_offset_bytes < 0:
        return (
            "The kernel calls the devices beneath it misaligned to each other: no access is aligned for all "
            "of them."
        )
    if grid.block_bytes > LARGEST_BLOCK_BYTES or grid.block_bytes % logical:
        return f"It reports physical blocks of {grid.block_bytes} bytes, which cannot be meant."
    if next(draw_places((Extent(0, drive.size_bytes or 0),), grid, Random(0)), None) is None:
        return "It is too small."
    return None


def _open_to_read(path: str) -> int:
    try:
        return os.open(path, os.O_RDONLY | os.O_DIRECT)
    except PermissionError:
        raise Failed(f"{path} may only be read by root: run `sudo diskwright bench {path}`.") from None
    except OSError as error:
        if error.errno == errno.EINVAL:
            raise Failed(
                f"{path} cannot be read past the page cache (O_DIRECT), so that nothing can be measured."
            ) from None
        raise Failed(f"{path} cannot be opened: {error.strerror}.") from None
