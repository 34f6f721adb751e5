"""Paired alignment benchmark: aligned and misaligned accesses in turn, at new places each time."""

from random import Random

from msgspec.structs import replace

from wizard.benchmark.access import (
    ENDED,
    IMPLAUSIBLE,
    LARGEST_BLOCK_BYTES,
    LOOP,
    READING,
    WRITING,
    Clock,
    OnProgress,
    Stopped,
    claimed,
    opened_to_read,
    those_that_apply,
)
from wizard.benchmark.measure import BAND, CACHE_CLAIM, Grid, PairedMeasurement, draw_places, judge
from wizard.benchmark.scratch import scratch_extents
from wizard.model.errors import BadInput, Failed
from wizard.model.geometry import Geometry
from wizard.model.machine import Drive, Extent, Partition
from wizard.model.said import Message, Sentence, join, t
from wizard.model.verdict import Outcome, Ratio, Verdict

INCONCLUSIVE = Sentence("{drive}, {doing}: inconclusive; {why}.")

READING_ONLY = t(
    "Reading alone cannot rule out a penalty. Misalignment slows writes, which were not measured."
)


def run_alignment_trial(
    drive: Drive,
    *,
    write: bool,
    seconds: float = 30.0,
    on_progress: OnProgress,
    stop: Stopped,
    assume_physical_bytes: int | None = None,
    part: Partition | None = None,
) -> Verdict:
    """Measure until the interval is narrow, `seconds` have passed, or `stop` returns True. With a partition,
    the second access of each pair has the partition's offset. Writes go only to free space of the confirmed
    drive, probed again. Raises Refused, Failed, or BadInput for an impossible physical size."""
    access = "write" if write else "read"
    if drive.geometry is None or not drive.size_bytes:
        why = drive.why_unread("drive", "geometry", "size_bytes")
        raise Failed(
            join(t("Cannot read the size and block sizes of {drive}.", drive=drive), *filter(None, [why]))
        )
    logical, assumed = drive.geometry.logical_block_bytes, assume_physical_bytes
    grid = Grid(drive.geometry.physical_block_bytes, logical, drive.geometry.first_block_bytes)
    if assumed is not None:
        if assumed & (assumed - 1) or not logical < assumed <= LARGEST_BLOCK_BYTES:
            raise BadInput(
                t(
                    "Cannot assume a physical block size of {size}. Use a power of two above the "
                    "logical block of {logical} bytes, at most {most}.",
                    size=assumed,
                    logical=logical,
                    most=LARGEST_BLOCK_BYTES,
                )
            )
        grid = Grid(assumed, logical, 0)
    if part:
        grid = replace(grid, shift_bytes=(part.start_bytes - grid.offset_bytes) % grid.block_bytes)
    if write:
        scratch_extents(drive)
    if reason := _impossible(drive, drive.geometry, grid):
        sentence = str(t("{drive}: misaligned access is impossible. {why}", drive=drive, why=reason))
        outcome = Outcome.NOT_POSSIBLE
        return Verdict(drive.path, access, outcome, None, sentence, (), grid.block_bytes, 0, 0.0, ())
    claim = CACHE_CLAIM if drive.bus == "loop" else BAND[1]
    clock = Clock(seconds, stop, on_progress)
    if write:
        # Writes are synchronous, as a write cache would shift the cost. Read a batch of places before writing
        # them back: otherwise the drive would not need the read that a misaligned write costs.
        with claimed(drive, grid.block_bytes, synchronous=True) as timed:
            result = PairedMeasurement(timed.hold, timed.write, timed.extents, grid).run(clock, claim)
    else:
        whole = (Extent(0, drive.size_bytes),)
        with opened_to_read(drive.path, grid.block_bytes) as timed:
            result = PairedMeasurement(lambda _: None, timed.read, whole, grid).run(clock, claim)
    outcome = judge(result.ratio, claim)
    return Verdict(
        drive=drive.path,
        access=access,
        outcome=outcome,
        ratio=result.ratio,
        sentence=sentence_for(
            part.path if part else drive.path, access, outcome, result.ratio, len(result.pairs), claim
        ),
        caveats=caveats_for(
            drive,
            access,
            outcome,
            assumed=assume_physical_bytes is not None,
            counted_pauses=result.counts_pauses,
            ended=clock.ended_by_person,
        ),
        block_bytes=grid.block_bytes,
        shift_bytes=grid.shift_bytes,
        seconds=round(clock.elapsed, 3),
        pairs=tuple(result.pairs),
    )


def _impossible(drive: Drive, geometry: Geometry, grid: Grid) -> Message | None:
    logical = geometry.logical_block_bytes
    if drive.zoned == "host-managed":
        return t(
            "The drive is host-managed: each write must start where the zone's last "
            "write ended, so no write is misaligned. Unwritten blocks may be unreadable."
        )
    if grid.block_bytes <= logical:
        if logical >= 4096:
            return t(
                "The drive accepts only whole physical blocks of {size} bytes, so smaller "
                "requests are impossible.",
                size=logical,
            )
        return t(
            "The drive reports physical blocks of {size} bytes, equal to the logical "
            "blocks. Some drives hide larger blocks. Measure with `diskwright bench "
            "{drive} --assume-physical 4096`.",
            size=grid.block_bytes,
            drive=drive,
        )
    if geometry.alignment_offset_bytes < 0:
        return t(
            "According to the kernel, the underlying devices are misaligned to each "
            "other. No access is aligned for all."
        )
    if grid.block_bytes > LARGEST_BLOCK_BYTES or grid.block_bytes % logical:
        return IMPLAUSIBLE(drive=drive, size=grid.block_bytes)
    if next(draw_places((Extent(0, drive.size_bytes or 0),), grid, Random(0)), None) is None:
        return t("Drive too small.")
    return None


def sentence_for(
    path: str, access: str, outcome: Outcome, ratio: Ratio | None, pairs: int, claim_above: float = BAND[1]
) -> str:
    """Describe what was measured. `path`: the drive or partition."""
    verb = READING if access == "read" else WRITING
    if ratio is None:
        few = t("{pairs} pairs are too few. Allow more time", pairs=pairs)
        return str(INCONCLUSIVE(drive=path, doing=verb, why=few))
    factor = _number(ratio.estimate, ratio)
    interval = t(
        "({low}-{high}, {confidence} %)",
        low=_number(ratio.low, ratio),
        high=_number(ratio.high, ratio),
        confidence=f"{ratio.confidence * 100:.0f}",
    )
    if outcome is Outcome.ALIGNED_FASTER:
        return str(
            t(
                "{drive}, {doing}: aligned is {factor}x faster {interval}.",
                drive=path,
                doing=verb,
                factor=factor,
                interval=interval,
            )
        )
    if outcome is Outcome.NO_DIFFERENCE:
        said = t(
            "{drive}, {doing}: no measurable difference from aligned access {interval}.",
            drive=path,
            doing=verb,
            interval=interval,
        )
        return str(join(said, READING_ONLY) if access == "read" else said)
    unclear = t(
        "{factor} times as long as aligned {interval}. Only a factor above {above} counts as a difference, "
        "only {low}-{high} as none",
        factor=factor,
        interval=interval,
        above=claim_above,
        low=BAND[0],
        high=BAND[1],
    )
    return str(INCONCLUSIVE(drive=path, doing=verb, why=unclear))


def caveats_for(
    drive: Drive, access: str, outcome: Outcome, *, assumed: bool, counted_pauses: bool, ended: bool
) -> tuple[str, ...]:
    """Return the caveats."""
    is_loop = drive.bus == "loop"
    return those_that_apply(
        (access == "read" and outcome is not Outcome.ALIGNED_FASTER, READING_ONLY),
        (is_loop, LOOP),
        (assumed, t("The physical block size was set by you, not reported by the drive.")),
        (
            drive.rotational is False and not is_loop,
            t("On solid-state drives misalignment also causes wear, which timing cannot show."),
        ),
        (
            access == "write",
            t(
                "Each write was timed until the drive reported durability. With a write "
                "cache, the cost comes later, but still comes."
            ),
        ),
        (
            counted_pauses,
            t(
                "The drive finishes earlier requests during idle time, so pauses between "
                "accesses were counted."
            ),
        ),
        (bool(drive.uses), t("The drive is in use. Other requests widen the interval.")),
        (ended, ENDED),
    )


def _number(value: float, ratio: Ratio) -> str:
    return f"{value:.1f}" if ratio.low >= 1.2 else f"{value:.2f}"
