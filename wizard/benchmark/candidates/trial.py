"""Prepare a filesystem comparison from a plan, or explain why it is impossible, and run it."""

import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Pipe

from msgspec.structs import replace

from wizard.advice.catalogue import NONE_OF
from wizard.advice.missing import for_files
from wizard.benchmark import scratch
from wizard.benchmark.access import MeasureProgress, OnProgress, Stopped
from wizard.benchmark.candidates.compare import MOST, Bounds, Candidate, Order, TrialVerdict
from wizard.benchmark.candidates.partition import sweep
from wizard.benchmark.loads.load_table import LOADS, PROGRAMS
from wizard.filesystems.registry import MADE
from wizard.model.advice import Advice, Rank
from wizard.model.errors import DiskwrightError, Failed, Refused, why_not
from wizard.model.machine import Drive, Extent
from wizard.model.said import GIB, KIB, Message, t
from wizard.plan.plan import Plan
from wizard.process.module import module_argv
from wizard.process.program import COMMAND, find, note

ONE_PARTITION = t("Trials use one partition, not several drives, a volume group or a whole drive.")

MOST_CANDIDATES = 4
SECONDS_A_CANDIDATE = 90.0
MOST_WRITTEN_BYTES = 32 * GIB
SHIFT_BYTES = KIB
"""Offset of sector 34 in a 4 KiB block, where the 2010 study placed its partitions."""


def usual_bounds(candidates: int) -> Bounds:
    """Return the default limits."""
    return Bounds(SECONDS_A_CANDIDATE * candidates, MOST_WRITTEN_BYTES, MOST)


def others_of(advice: Advice, planned: str) -> tuple[str, ...]:
    """Return the recommended and good filesystems, else the next in the ranking."""
    able = [
        choice
        for choice in for_files(advice.choices)
        if choice.ranked and not choice.obstacles and choice.filesystem != planned
    ]
    good = [choice for choice in able if choice.place is not Rank.NOT_RECOMMENDED]
    return tuple(choice.filesystem for choice in (good or able[:1])[: MOST_CANDIDATES - 1])


def blocker(drive: Drive, plan: Plan, index: int, loads: Sequence[str]) -> Message | str:
    """Return why a comparison is impossible."""
    volume = plan.volumes[index]
    if plan.stripe or plan.group:
        return ONE_PARTITION
    if volume.encryption:
        return t("Trials do not support encrypted containers. Try without encryption.")
    if not MADE[volume.filesystem].mounts:
        return t("{filesystem} stores no files, so a trial is impossible.", filesystem=volume.filesystem)
    if not loads:
        return t("No load is defined for this purpose, so a trial is impossible.")
    for name in loads:
        if name not in LOADS:
            return NONE_OF(name=name, known=tuple(LOADS))
        if (program := PROGRAMS.get(name)) and find(program) is None:
            return t("The load {load} needs {program}, which is not installed.", load=name, program=program)
    extent = extent_of(plan, index)
    if extent is None:
        return why_not(scratch.free_extents, drive, 0) or ONE_PARTITION
    return why_not(refuse_extent, drive, extent)


def extent_of(plan: Plan, index: int) -> Extent | None:
    """Return the planned extent, or None for the whole drive."""
    slot = plan.after.partition(plan.volumes[index].partition)
    return slot.extent if slot else None


def refuse_extent(drive: Drive, extent: Extent) -> None:
    """Raise Refused unless the extent is free space."""
    block = drive.geometry.physical_block_bytes if drive.geometry else 0
    aligned = block > 0 and extent.start_bytes % block == 0 and extent.size_bytes % block == 0
    free = scratch.free_extents(drive, 0 if aligned else scratch.MARGIN_BYTES)
    if not any(extent.is_within(one) for one in free):
        raise scratch.refused(
            t(
                "The planned volume is not in free space on {drive}. Trials use free space only.",
                drive=drive,
            )
        )


def order_of(
    drive: Drive,
    plans: Sequence[Plan],
    index: int,
    loads: Sequence[str],
    bounds: Bounds | None = None,
    *,
    aged: bool = False,
    advised: bool = True,
    misaligned: bool = False,
) -> Order:
    """Return the trial of one volume of several plans; the first is the baseline. `misaligned` adds its
    filesystem at the offset of sector 34. Raises Refused."""
    if why := blocker(drive, plans[0], index, loads):
        raise Refused(str(why))
    extent = extent_of(plans[0], index)
    assert extent is not None
    candidates: list[Candidate] = []
    for plan in plans:
        volume = plan.volumes[index]
        make = next(one for one in plan.filesystems if one.device == volume.path)
        is_again = volume.filesystem in {other.id for other in candidates}
        name = f"{volume.filesystem}-again" if is_again else volume.filesystem
        candidates.append(Candidate(name, make, volume.mount_options))
    if misaligned:
        if drive.geometry is None or SHIFT_BYTES % drive.geometry.logical_block_bytes:
            raise Refused(t("Cannot misalign a partition of {drive} by 1 KiB.", drive=drive))
        name = f"{candidates[0].id}-misaligned"
        candidates.append(replace(candidates[0], id=name, shift_bytes=SHIFT_BYTES))
    if len(candidates) < 2:
        raise Refused(t("No other filesystem can be created here for comparison."))
    return Order(
        drive,
        plans[0].volumes[index].workload,
        extent,
        tuple(candidates),
        tuple(loads),
        bounds or usual_bounds(len(candidates)),
        aged=aged,
        advised=advised,
    )


LOOK_SECONDS = 0.2


def run_trial(order: Order, on_progress: OnProgress, stop: Stopped) -> TrialVerdict:
    """Run the confirmed trial. If stopped, the verdict covers the rounds so far. Raises Refused before the
    first write, else Failed after cleaning up."""
    pipe, other = Pipe()
    with tempfile.TemporaryFile() as errors, pipe:
        with other:
            process = subprocess.Popen(
                module_argv("wizard.benchmark.candidates", str(other.fileno())),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                start_new_session=True,
                pass_fds=(other.fileno(),),
            )
        answer: MeasureProgress | TrialVerdict | DiskwrightError | None = None
        is_asked = False
        try:
            # The process may end without an answer. It is asked once to stop.
            with suppress(EOFError, ConnectionError):
                pipe.send(order)
                while answer is None or isinstance(answer, MeasureProgress):
                    if answer:
                        on_progress(answer)
                        answer = None
                    if not is_asked and stop():
                        is_asked = True
                        pipe.send(None)
                    if pipe.poll(LOOK_SECONDS):
                        answer = pipe.recv()
        finally:
            # Stops a trial that is still running.
            pipe.close()
            process.wait()
        errors.seek(0)
        if said := errors.read():
            note(COMMAND, said.decode(errors="replace"))
    if answer is None or isinstance(answer, MeasureProgress):
        sweep(order.drive.path)
        raise Failed(
            t(
                "The trial ended without a result. Leftovers on {drive} were removed. No "
                "conclusion is drawn.",
                drive=order.drive,
            )
        )
    if isinstance(answer, DiskwrightError):
        raise answer
    return answer
