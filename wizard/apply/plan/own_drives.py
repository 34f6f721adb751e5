"""The drives and mounts of a run, and later runs on the same drives."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from wizard.apply.engine.record import UNTOUCHED, Phase, load_record
from wizard.apply.plan.guard import (
    first_three,
)
from wizard.apply.plan.identity_check import (
    made_differences,
    probe_members,
    tells_who_it_is,
)
from wizard.apply.plan.recover import KnownDrives
from wizard.apply.run.backup_store import LOOK_SECONDS
from wizard.apply.run.journal import begun_steps, read_entries
from wizard.apply.run.runs import PLAN, kind_of, list_runs, load_plan
from wizard.apply.system.mounts import is_mounted, is_swap
from wizard.model.errors import BadInput, Refused
from wizard.model.geometry import Identity
from wizard.model.said import Message, t
from wizard.operations.filesystem import Inside
from wizard.operations.mounts import Mount, TurnOnSwap
from wizard.plan.plan import Plan
from wizard.process.program import Result
from wizard.process.program import run as run_command


def own_drives(run: Path, plan: Plan) -> KnownDrives:
    """Return the drives of a run as it left them."""
    return KnownDrives(run, plan)


def own_mounts(plan: Plan, begun: frozenset[int]) -> frozenset[tuple[str, str]]:
    """Return the devices and mount points of the run's own existing mounts. The mount point of swap is
    `swap`."""
    operations = [plan.steps[number - 1].operation for number in begun]
    mounts = [one for one in operations if isinstance(one, Mount) and is_mounted(one)]
    mounts += [mount for one in operations if isinstance(one, Inside) and is_mounted(mount := one.mount)]
    swaps = frozenset(
        (one.device, "swap") for one in operations if isinstance(one, TurnOnSwap) and is_swap(one.device)
    )
    return swaps | {(device, one.mount_point) for one in mounts for device in one.devices}


def quietly(argv: Sequence[str]) -> Result:
    """Run a command that only reads, or that assembles the run's own array."""
    return run_command(argv, seconds=LOOK_SECONDS)


def check_holds_plan(run: Path, plan: Plan) -> None:
    """Raises Refused unless the drives of a kept run are the same and contain what it created."""
    for drive in probe_members(plan, own_drives(run, plan).where):
        if found := tuple(made_differences(plan, drive)):
            raise Refused(
                t(
                    "{drive} changed after the run ended: {differences}. Nothing was written.",
                    drive=drive.path,
                    differences=first_three(found),
                )
            )


UNDONE_PHASES = UNTOUCHED | {Phase.UNDONE, Phase.LEFT}


def later_runs(run: Path) -> tuple[Path, ...]:
    """Return the later plans of the same folder that wrote to a drive of this run and were not undone."""
    runs = tuple(list_runs(run.parent))
    return tuple(_later_writers(run, runs[runs.index(run) + 1 :])) if run in runs else ()


def over_later(run: Path) -> Message | None:
    """Return why undo must not overwrite later changes, or None if no later run made them."""
    later = next(iter(later_runs(run)), None)
    return (
        t(
            "The run {later} set up the drive after {run}. Undoing {run} would destroy "
            "the result of {later}. The saved bytes remain in {folder}.",
            run=run.name,
            later=later.name,
            folder=str(run),
        )
        if later
        else None
    )


def _later_writers(run: Path, later: tuple[Path, ...]) -> Iterator[Path]:
    drives = _drives(run)
    for one in later:
        if _has_written(one) and any(_is_same(known, other) for known in drives for other in _drives(one)):
            yield one


def _drives(run: Path) -> tuple[Identity, ...]:
    """Return the drives of a plan's run; empty for other kinds or if unreadable."""
    with suppress(BadInput):
        if kind_of(run) == PLAN:
            return tuple(member.drive for member in load_plan(run).members)
    return ()


def _has_written(run: Path) -> bool:
    with suppress(BadInput):
        record = load_record(run)
        return record.phase not in UNDONE_PHASES if record else bool(begun_steps(read_entries(run)))
    return False


def _is_same(one: Identity, other: Identity) -> bool:
    """Return True if two runs name the same drive. Without identifiers this may be wrong for drives in a
    dock, and then too much is refused."""
    if tells_who_it_is(one) and tells_who_it_is(other):
        return (one.serial, one.wwn, one.size_bytes) == (other.serial, other.wwn, other.size_bytes)
    return (one.boot_id, one.diskseq, one.path) == (other.boot_id, other.diskseq, other.path)
