"""Run a plan directly in the detached process: check, execute the steps in order, verify.

Journal entries are written before and after each step.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from wizard.apply.block import devices
from wizard.apply.engine.record import Phase, load_record
from wizard.apply.plan import guard
from wizard.apply.plan.automount import automount_ignored, unmount_foreign
from wizard.apply.plan.identity_check import probe_members
from wizard.apply.plan.run_summary import DIRECT, headline
from wizard.apply.run import job, process
from wizard.apply.run.backup_store import LOOK_SECONDS, Environment
from wizard.apply.run.journal import Journal, RunState, begun_steps, read_entries
from wizard.apply.run.progress_log import reached
from wizard.apply.run.runs import load_environment, load_plan
from wizard.apply.steps import execution, step_context
from wizard.apply.steps.containers import check_opened, own_containers
from wizard.apply.steps.filesystem import (
    made_as_planned,
)
from wizard.apply.steps.layers import activate, layer_nodes, own_layer_node, own_uses
from wizard.apply.steps.step_context import Finished
from wizard.apply.steps.wipe import check_no_clone, check_target
from wizard.apply.system.mounts import is_mounted, is_swap
from wizard.model.errors import BadInput, DiskwrightError, Failed, Refused, partition_path
from wizard.model.machine import Extent
from wizard.model.run import Event
from wizard.model.said import KIB, Message, Sentence, joined, t, tn
from wizard.operations.filesystem import Inside, MakeFilesystem
from wizard.operations.mounts import Mount, TurnOnSwap
from wizard.operations.operation import Operation
from wizard.plan.plan import Plan, PlanOperation, Step
from wizard.process.program import Result
from wizard.process.program import run as run_command

NOT_TOGETHER = t("Cannot activate the new volumes:")
NOTHING_MORE = t("Nothing more was written.")
PULLED = Sentence("{drive} was disconnected: plug the drive in again.")
NOT_CHECKED = t("All steps finished, but the checks could not run.")

CATCH_UP_SECONDS = 60
"""Time limit for udev to process delayed events."""


def finish(work: job.RunWork) -> job.Outcome:
    """Mount the volumes of a rehearsed run, check everything, and return how the run ended. Raises
    DiskwrightError.

    Executes every step regardless of the journal, which may be lost, since a reboot ends mounts, swap and
    open containers. Finished steps change nothing.
    """
    run, journal, drive_locks = work.run, work.journal, work.drive_locks
    plan, environment = load_plan(run), load_environment(run)
    maybe_begun = frozenset(range(1, len(plan.steps) + 1))
    failure = (
        _let_udev_look(plan, drive_locks, maybe_begun)
        or _start_array(plan, journal, drive_locks)
        or _clone_error(plan)
    )
    if failure:
        return Event.FAILED, failure
    steps = (_step(work, plan, number, again=True) for number, _ in plan.use_steps())
    describe = partial(with_unplugged_reason, plan)
    ended = job.carry_steps(run, journal, len(plan.steps), steps, lambda: "", describe, may_stop=False)
    return ended or _verified(run, plan, environment, journal)


def _step(work: job.RunWork, plan: Plan, number: int, *, again: bool) -> job.TodoStep:
    """Return a step to execute, `again` if an earlier process may have done so."""
    context = step_context.StepContext(
        plan,
        number,
        again,
        work.run.name,
        load_environment(work.run),
        work.journal,
        work.drive_locks,
        work.secret,
    )
    return number, plan.steps[number - 1].sentence, partial(_execute_despite_mounts, context)


def _clone_error(plan: Plan) -> str | None:
    """Return an error if another device has a UUID that the plan created, or None."""
    try:
        check_no_clone(plan)
    except Failed as error:
        return error.ending_in(NOTHING_MORE)
    return None


def _start_array(plan: Plan, journal: Journal, drive_locks: tuple[int, ...]) -> str | None:
    """Start the array. Return an error or None."""
    try:
        activate(plan, step_context.told_in(journal, drive_locks))
    except DiskwrightError as error:
        return f"{NOT_TOGETHER} {with_unplugged_reason(plan, error)}"
    return None


def carry_out_directly(work: job.RunWork) -> job.Outcome:
    """Execute a plan directly on the drives, and return how the run ended. Such a run can be neither resumed
    nor undone. Raises DiskwrightError."""
    run, journal, drive_locks = work.run, work.journal, work.drive_locks
    plan, environment = load_plan(run), load_environment(run)
    if begun_steps(read_entries(run)):
        raise Refused(DIRECT(name=run.name))
    guard.check_rehearsable(plan, None)
    guard.check_operations(plan, environment)
    try:
        guard.check_start(plan)
        guard.check_surroundings(plan, environment)
    except (BadInput, Failed) as error:
        raise Refused(str(error)) from None

    def steps() -> Iterator[job.TodoStep]:
        tables_written = False
        for number, step in enumerate(plan.steps, 1):
            if tables_written and step.operation.made:
                if failure := _catch_up(plan, number, drive_locks):
                    raise Failed(f"{failure} {reached(run, len(plan.steps))}")
                tables_written = False
            tables_written = tables_written or step.operation in plan.tables
            yield _step(work, plan, number, again=False)

    total, describe = len(plan.steps), partial(with_unplugged_reason, plan)
    ended = job.carry_steps(run, journal, total, steps(), lambda: reached(run, total), describe)
    return ended or _verified(run, plan, environment, journal)


def _catch_up(plan: Plan, number: int, drive_locks: tuple[int, ...]) -> Message | str | None:
    """Let udev process delayed events before the step `number`, from 1. Return an error if anything else
    changed on the drives, or None.

    After the run, udev would see old partitions removed under the names of new ones. It would unmount
    volumes, and mdadm's rules would fail members of a running array (`mdadm --incremental --fail`), which
    breaks a RAID0.
    """
    if not process.udev_runs():
        return None
    places = tuple(_unused_ends(plan, number))
    before = [devices.read_bytes(device, place.start_bytes, place.size_bytes) for device, place in places]
    if failure := _let_udev_look(plan, drive_locks):
        return failure
    for (device, place), data in zip(places, before, strict=True):
        if devices.read_bytes(device, place.start_bytes, place.size_bytes) != data:
            return t(
                "Another program changed {device} at byte {byte} while udev caught up.",
                device=device,
                byte=place.start_bytes,
            )
    return None


END_BYTES = 128 * KIB
"""Size of each end to compare, which covers the signatures of filesystems, tables and containers."""


def _unused_ends(plan: Plan, number: int) -> Iterator[tuple[str, Extent]]:
    """Yield both ends of each drive and new partition, except those that steps before `number` have put to
    use."""
    made = (step.operation for step in plan.steps[: number - 1] if step.operation.made)
    used = {device for operation in made for device in operation.devices}
    for member in plan.members:
        path = member.drive.path
        parts = [(partition_path(path, slot.number), slot.extent) for slot in member.after.partitions]
        for device, place in ((path, Extent(0, member.drive.size_bytes)), *parts):
            if device not in used:
                size = min(END_BYTES, place.size_bytes)
                yield path, Extent(place.start_bytes, size)
                yield path, Extent(place.end_bytes - size, size)


def _let_udev_look(
    plan: Plan, drive_locks: tuple[int, ...], begun: frozenset[int] = frozenset()
) -> str | None:
    """Unlock the drives for a moment, so udev can process events, with automounters disabled. Return an error
    if a drive is in use afterwards, or None.

    Uses by the steps `begun` are accepted, since udev has LVM activate volume groups.
    """
    if not process.udev_runs():
        return None
    try:
        with automount_ignored(plan), process.unlocked(drive_locks):
            process.settle(CATCH_UP_SECONDS)
        ours = _own_mounts(plan, begun) | own_uses(plan, begun, quietly) | own_containers(plan)
        for drive in probe_members(plan):
            guard.check_unused(drive, ours, part=plan.part_path)
    except DiskwrightError as error:
        return error.ending_in(NOTHING_MORE)
    return None


def quietly(argv: Sequence[str]) -> Result:
    """Run a command that only reads, or that assembles the run's own array."""
    return run_command(argv, seconds=LOOK_SECONDS)


def _own_mounts(plan: Plan, begun: frozenset[int]) -> frozenset[tuple[str, str]]:
    """Return the devices and mount points of the run's own existing mounts. The mount point of swap is
    `swap`."""
    operations = [plan.steps[number - 1].operation for number in begun]
    mounts = [one for one in operations if isinstance(one, Mount) and is_mounted(one)]
    mounts += [mount for one in operations if isinstance(one, Inside) and is_mounted(mount := one.mount)]
    swaps = frozenset(
        (one.device, "swap") for one in operations if isinstance(one, TurnOnSwap) and is_swap(one.device)
    )
    return swaps | {(device, one.mount_point) for one in mounts for device in one.devices}


def _execute_despite_mounts(context: step_context.StepContext) -> Message | str:
    """Execute a step. If another program has mounted the device, unmount it and try again, or accept the
    result."""
    operation = context.plan.steps[context.step - 1].operation
    if isinstance(operation, Mount):
        unmount_foreign(context)
    try:
        return execute(context)
    except Failed:
        if not isinstance(operation, Mount | MakeFilesystem) or not unmount_foreign(context):
            raise
    return execute(context) if isinstance(operation, Mount) else made_as_planned(operation, context)


def execute(context: step_context.StepContext) -> Message | str:
    """Execute a step's operation and return a summary. Raises Failed."""
    operation = context.plan.steps[context.step - 1].operation
    _check_nodes(operation, context)
    return execution.execute(operation, context)


def _check_nodes(operation: Operation, context: step_context.StepContext) -> None:
    """Raises Failed unless every node is the plan's drive or partition, or made by this run."""
    layers = layer_nodes(context.plan)
    for device in operation.devices:
        member = context.plan.member(device)
        if member and (reason := devices.node_fault(device, member.drive.path)):
            raise Failed(step_context.NOT_TOUCHED(node=device, why=reason))
        if device in operation.created:
            continue
        check_opened(context.plan, device)
        if device in layers:
            own_layer_node(device, context)
    check_target(context.plan, operation, context.seconds)


def with_unplugged_reason(plan: Plan, said: object) -> str:
    """Prefix a message with the reason if a drive was disconnected."""
    gone = next((path for path in plan.devices if devices.is_unplugged(path)), None)
    return f"{PULLED(drive=gone)} {said}" if gone else str(said)


def _verified(run: Path, plan: Plan, environment: Environment, journal: Journal) -> job.Outcome:
    try:
        drives = step_context.look_at_all(plan.devices)
    except DiskwrightError as error:
        raise Failed(f"{NOT_CHECKED} {error}") from None
    seconds = environment.patience_seconds
    finished = Finished(plan, drives, environment, seconds, partial(run_command, seconds=seconds))
    if failed := journal.verify(one for step in plan.steps for one in execution.verify(step, finished)):
        return Event.FAILED, with_unplugged_reason(plan, failed)
    planned = tn(
        "{drives:list} is set up exactly as planned; all checks passed.",
        "{drives:list} are set up exactly as planned; all checks passed.",
        drives=plan.devices,
        count=len(plan.members),
    )
    return Event.DONE, joined((*headline(plan, RunState.DONE), planned))


NOT_WRITTEN_YET = frozenset({Phase.REHEARSING, Phase.SAVED, Phase.CLEARING, Phase.REPLACING, Phase.UNKNOWN})
"""Phases in which a resumed run still writes to the drives, whatever was rehearsed."""


def still_writes_over(run: Path, plan: Plan) -> tuple[tuple[int, Step[PlanOperation]], ...]:
    """Return the destructive steps whose result is not on the drives yet, by number from 1. Includes blank
    places, which may contain data by now. Raises BadInput."""
    record = load_record(run)
    if record is None or record.phase not in NOT_WRITTEN_YET:
        return ()
    return tuple(
        (number, step)
        for number, step in enumerate(plan.steps, 1)
        if step.destroys or step.operation.overwrites
    )
