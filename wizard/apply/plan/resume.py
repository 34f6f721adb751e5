"""Check that an interrupted run can resume on drives that it has already changed."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from wizard.apply.conversion.messages import UNDOING as BEING_UNDONE
from wizard.apply.engine.record import UNTOUCHED, Phase, load_record
from wizard.apply.plan import drive_digests
from wizard.apply.plan.guard import (
    adds_to_table,
    check_content,
    check_surroundings,
    check_unused,
    first_three,
)
from wizard.apply.plan.identity_check import (
    check_same_start,
    is_half_made,
    made_differences,
    probe_members,
    tells_who_it_is,
)
from wizard.apply.plan.recover import KnownDrives
from wizard.apply.run.backup_store import LOOK_SECONDS, Environment
from wizard.apply.run.journal import begun_steps, done_steps, read_entries
from wizard.apply.run.process import UNDOING
from wizard.apply.run.runs import RunKind, kind_of, list_runs, load_plan, run_argument
from wizard.apply.steps.containers import own_containers
from wizard.apply.steps.layers import (
    bring_back,
    check_apart,
    check_free_array,
    is_swap,
    own_uses,
    running_layers,
)
from wizard.apply.steps.wipe import signatures_on
from wizard.apply.system.mounts import is_mounted
from wizard.apply.table.proof import disk_differences, strangers
from wizard.model.errors import BadInput, Refused, printable
from wizard.model.ext import Event, JournalEntry
from wizard.model.geometry import Identity
from wizard.model.machine import Drive
from wizard.model.operations import MakeFilesystem, SetOwner
from wizard.model.plan import MakeSubvolumes, Member, Mount, Plan, TurnOnSwap, WriteTable
from wizard.model.said import Message, t
from wizard.plan.rehearsed import ON_DRIVE
from wizard.plan.steps.commands import private_mount
from wizard.process.program import Result
from wizard.process.program import run as run_command


def _making_steps(entries: tuple[JournalEntry, ...]) -> frozenset[int]:
    """Return the steps, by number from 1, that were interrupted while their tool could have set a UUID of its
    own."""
    making: set[int] = set()
    for entry in entries:
        if entry.event is Event.MAKING:
            making.add(entry.step)
        elif entry.event in (Event.STEP_FAILED, Event.STEP_DONE):
            # A failed step erased what it had made. Anything there since is from others.
            making.discard(entry.step)
    return frozenset(making)


def own_drives(run: Path, plan: Plan) -> KnownDrives:
    """Return the drives of a run as it left them."""
    return KnownDrives(run, plan, begun_steps(read_entries(run)), undoing=(run / UNDOING).exists())


def own_mounts(plan: Plan, begun: frozenset[int]) -> frozenset[tuple[str, str]]:
    """Return the devices and mount points of the run's own existing mounts. The mount point of swap is
    `swap`."""
    operations = [plan.steps[number - 1].operation for number in begun]
    mounts = [one for one in operations if isinstance(one, Mount) and is_mounted(one)]
    mounts += [
        mount
        for one in operations
        if isinstance(one, MakeSubvolumes | SetOwner) and is_mounted(mount := private_mount(one))
    ]
    swaps = frozenset(
        (one.device, "swap") for one in operations if isinstance(one, TurnOnSwap) and is_swap(one)
    )
    return swaps | {(device, one.mount_point) for one in mounts for device in (one.device, *one.others)}


def quietly(argv: Sequence[str]) -> Result:
    """Run a command that only reads, or that assembles the run's own array."""
    return run_command(argv, seconds=LOOK_SECONDS)


def check_resumable(run: Path, plan: Plan, environment: Environment) -> None:
    """Raises Refused unless the drives are the same, contain what the run left, and are used only by its own
    array and mounts. Requires the drives' locks."""
    if (run / UNDOING).exists():
        raise Refused(BEING_UNDONE(name=run.name, run=run_argument(run)))
    entries = read_entries(run)
    begun, done = begun_steps(entries), done_steps(entries)
    ours = own_mounts(plan, begun)
    used = ours | own_uses(plan, begun, quietly) | own_containers(plan)
    drives = own_drives(run, plan).probe() if begun else probe_members(plan)
    for drive in drives:
        check_unused(drive, used)
    check_surroundings(plan, environment, ours)
    if not begun:
        for member, drive in zip(plan.members, drives, strict=True):
            check_same_start(member.drive, drive)
            check_content(member, drive, adds=adds_to_table(plan))
        check_free_array(plan)
        return
    for member, drive in zip(plan.members, drives, strict=True):
        _check_table(plan, member, drive, done)
    making = _making_steps(entries)
    check_made(plan, drives, begun, done, making)
    bring_back(plan, begun, done, quietly)
    if not ours:
        check_apart(plan, quietly)
    check_on_array(run, plan, begun, done, making)
    if place := drive_digests.changed(run, plan, begun):
        device, where = place
        raise Refused(
            t(
                "{device} changed at byte {byte} after the run {run} ended, so resuming is "
                "not safe. Make a new plan. Nothing was written.",
                device=device,
                byte=where.start_bytes,
                run=run.name,
            )
        )


def _check_table(plan: Plan, member: Member, drive: Drive, done: frozenset[int]) -> None:
    """Raises Refused unless the drive has the new table, if that step is done, or a mix of the old and new
    one."""
    numbers = [
        number for number, step in enumerate(plan.steps, 1) if step.operation == _table_of(plan, drive.path)
    ]
    differences: tuple[Message | str, ...] = ()
    if numbers and numbers[0] in done:
        differences = disk_differences(member.after, drive)
    elif numbers and (found := strangers(drive, member.before, member.after)):
        differences = tuple(
            t("{part} is in neither the old nor the new table", part=part.path) for part in found
        )
    if differences:
        raise Refused(
            t(
                "{drive} changed after the run ended: {differences}. Make a new plan. Nothing was written.",
                drive=drive.path,
                differences=first_three(differences),
            )
        )


def check_made(
    plan: Plan,
    drives: Sequence[Drive],
    begun: frozenset[int],
    done: frozenset[int],
    making: frozenset[int] = frozenset(),
) -> None:
    """Raises Refused if a drive contains anything that the run did not create. `making` lists steps
    interrupted in their tool."""
    for member, drive in zip(plan.members, drives, strict=True):
        found = [
            difference
            for number in sorted(begun)
            for difference in made_differences(
                plan, number, drive, whole=number in done, making=number in making
            )
        ]
        if plan.after.whole and not _is_making(plan, begun):
            found += _emptied_differences(member, drive, whole=begun == done)
        if found:
            raise Refused(
                t(
                    "{drive} changed after the run ended: {differences}. Nothing was written.",
                    drive=drive.path,
                    differences=first_three(found),
                )
            )


def check_holds_plan(run: Path, plan: Plan) -> None:
    """Raises Refused unless the drives of a kept run are the same and contain what it created."""
    made = frozenset(
        number for number, step in enumerate(plan.steps, 1) if isinstance(step.operation, ON_DRIVE)
    )
    check_made(plan, probe_members(plan, own_drives(run, plan).where), made, made)


def _is_making(plan: Plan, begun: frozenset[int]) -> bool:
    """Return True if a filesystem was started."""
    return any(isinstance(plan.steps[number - 1].operation, MakeFilesystem) for number in begun)


def _emptied_differences(member: Member, drive: Drive, *, whole: bool) -> Iterator[Message]:
    """Describe contents of a zoned drive that resetting its zones cannot have left. `whole` is True if that
    step is done."""
    if whole and drive.is_empty is not True:
        yield t("{drive} is no longer empty", drive=drive.path)
    elif not whole and (
        new := {signature.kind for signature in drive.signatures} - {*member.before.signatures}
    ):
        yield t(
            "{drive} now contains {kind}, unlike before",
            drive=drive.path,
            kind=printable(min(new), 40),
        )


def check_on_array(
    run: Path, plan: Plan, begun: frozenset[int], done: frozenset[int], making: frozenset[int] = frozenset()
) -> None:
    """Raises Refused if the run's array or logical volumes contain anything that the run did not create.

    Old data of their members may show through, so unchanged contents since creation are accepted.
    """
    for device, node in running_layers(plan, quietly):
        if not drive_digests.is_array_untouched(run, device, node):
            _check_on(run, plan, device, node, begun, done, making)


def _check_on(
    run: Path,
    plan: Plan,
    device: str,
    node: str,
    begun: frozenset[int],
    done: frozenset[int],
    making: frozenset[int],
) -> None:
    makers = {
        step.operation: number
        for number, step in enumerate(plan.steps, 1)
        if isinstance(step.operation, MakeFilesystem)
    }
    ((made, number),) = [
        (operation, number) for operation, number in makers.items() if operation.device == device
    ]
    found = signatures_on(node, plan, LOOK_SECONDS) or ()
    uuids = [signature.uuid for signature in found]
    if number in making and is_half_made(made, found):
        return
    if uuids != [made.uuid] if number in done else uuids and (uuids != [made.uuid] or number not in begun):
        kinds = tuple(sorted({printable(signature.kind, 40) for signature in found}))
        if not kinds:
            raise Refused(
                t(
                    "{node} no longer contains the data from the run {run} and was not touched. "
                    "Nothing was written.",
                    node=node,
                    run=run.name,
                )
            )
        raise Refused(
            t(
                "{node} contains {kinds:list}, which the run {run} did not make, and was not "
                "touched. If you do not need the old data, erase {node} with `wipefs --all "
                "{node}`. Nothing was written.",
                node=node,
                kinds=kinds,
                run=run.name,
            )
        )


def _table_of(plan: Plan, path: str) -> WriteTable | None:
    """Return the partition table that the plan writes to a drive, or None."""
    tables = [step.operation for step in plan.steps if isinstance(step.operation, WriteTable)]
    return next((table for table in tables if table.device == path), None)


TAKEN_BACK = UNTOUCHED | {Phase.UNDONE, Phase.LEFT}


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
        if kind_of(run) is RunKind.PLAN:
            return tuple(member.drive for member in load_plan(run).members)
    return ()


def _has_written(run: Path) -> bool:
    with suppress(BadInput):
        record = load_record(run)
        return record.phase not in TAKEN_BACK if record else bool(begun_steps(read_entries(run)))
    return False


def _is_same(one: Identity, other: Identity) -> bool:
    """Return True if two runs name the same drive. Without identifiers this may be wrong for drives in a
    dock, and then too much is refused."""
    if tells_who_it_is(one) and tells_who_it_is(other):
        return (one.serial, one.wwn, one.size_bytes) == (other.serial, other.wwn, other.size_bytes)
    return (one.boot_id, one.diskseq, one.path) == (other.boot_id, other.diskseq, other.path)
