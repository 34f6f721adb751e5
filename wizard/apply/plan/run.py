"""Run a plan directly in the detached process: check, execute the steps in order, verify.

Journal entries are written before and after each step.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from msgspec.structs import replace

from wizard.apply.block import devices
from wizard.apply.plan import guard
from wizard.apply.plan.automount import automount_ignored, unmount_foreign
from wizard.apply.plan.identity_check import probe_members
from wizard.apply.plan.run_summary import DIRECT, headline
from wizard.apply.resize import resized
from wizard.apply.run import job, process
from wizard.apply.run.journal import RunState, begun_steps, read_entries
from wizard.apply.run.progress_log import reached
from wizard.apply.run.runs import load_environment, load_plan
from wizard.apply.steps import arrays, containers, filesystem, layers, step_context, wipe
from wizard.apply.system.mounts import is_mounted, is_swap
from wizard.apply.table import write
from wizard.model.errors import DiskwrightError, Failed, Refused, partition_path
from wizard.model.machine import Extent
from wizard.model.run import Event
from wizard.model.said import KIB, Message, joined, t, tn
from wizard.operations.filesystem import Inside
from wizard.operations.mounts import TurnOnSwap
from wizard.plan.plan import Plan

NOTHING_MORE = t("Nothing more was written.")

STEPS: step_context.Steps = {
    operation: step
    for module in (wipe, write, containers, arrays, layers, filesystem, resized)
    for operation, step in module.STEPS.items()
}

CATCH_UP_SECONDS = 60
"""Time limit for udev to process delayed events."""


def finish(work: job.RunWork, *, compared: bool = False) -> job.Outcome:
    """Mount the volumes of a rehearsed run, check everything, and return how the run ended. `compared`: see
    StepContext. Raises DiskwrightError.

    Executes every step regardless of the journal, which may be lost, since a reboot ends mounts, swap and
    open containers. Finished steps change nothing.
    """
    plan = load_plan(work.run)
    try:
        _let_udev_look(plan, work.drive_locks, _own_uses)
        try:
            layers.activate(plan, step_context.told_in(work.journal, work.drive_locks))
        except DiskwrightError as error:
            inactive = t("Cannot activate the new volumes:")
            return Event.FAILED, f"{inactive} {error}"
        wipe.check_no_clone(plan)
    except DiskwrightError as error:
        return Event.FAILED, error.ending_in(NOTHING_MORE)
    return _carry_out(work, plan, (number for number, _ in plan.use_steps()), direct=False, compared=compared)


def _carry_out(
    work: job.RunWork, plan: Plan, numbers: Iterable[int], *, direct: bool, compared: bool = False
) -> job.Outcome:
    """Execute these steps of a plan, check everything, and return how the run ended."""
    run, environment, total = work.run, load_environment(work.run), len(plan.steps)
    # An earlier process may have executed the steps of a rehearsed run.
    contexts = [
        step_context.StepContext(plan, number, work, environment, again=not direct)
        for number in range(1, total + 1)
    ]
    todo = (contexts[number - 1] for number in numbers)

    ended = job.carry_steps(
        work,
        total,
        ((one.step, one.planned.sentence, partial(_execute_despite_mounts, one)) for one in todo),
        lambda: reached(run, total) if direct else "",
        may_stop=direct,
    )
    if ended:
        return ended
    try:
        drives = step_context.look_at_all(plan.devices)
    except DiskwrightError as error:
        unchecked = t("All steps finished, but the checks could not run.")
        raise Failed(f"{unchecked} {error}") from None
    finished = (replace(context, drives=drives, compared=compared) for context in contexts)
    checks = (
        check
        for one in finished
        for check in one.described(STEPS[type(one.planned.operation)][1](one.planned.operation, one))
    )
    if failed := work.journal.verify(checks):
        return Event.FAILED, failed
    planned = tn(
        "{drives:list} is set up exactly as planned; all checks passed.",
        "{drives:list} are set up exactly as planned; all checks passed.",
        drives=plan.devices,
        count=len(plan.members),
    )
    return Event.DONE, joined((*headline(plan, RunState.DONE), planned))


def carry_out_directly(work: job.RunWork) -> job.Outcome:
    """Execute a plan directly on the drives, and return how the run ended. Such a run can be neither resumed
    nor undone. Raises DiskwrightError."""
    run = work.run
    plan, environment = load_plan(run), load_environment(run)
    if begun_steps(read_entries(run)):
        raise Refused(DIRECT(name=run.name))
    guard.check_rehearsable(plan, None)
    guard.check_operations(plan, environment)
    with process.refusing():
        guard.check_start(plan)
        guard.check_surroundings(plan, environment)

    def numbers() -> Iterator[int]:
        tables_written = False
        for number, step in enumerate(plan.steps, 1):
            if tables_written and step.operation.made:
                try:
                    _catch_up(plan, number, work.drive_locks)
                except DiskwrightError as error:
                    said = error.ending_in(NOTHING_MORE)
                    raise Failed(f"{said} {reached(run, len(plan.steps))}") from None
                tables_written = False
            tables_written = tables_written or step.operation in plan.tables
            yield number

    return _carry_out(work, plan, numbers(), direct=True)


def _catch_up(plan: Plan, number: int, drive_locks: tuple[int, ...]) -> None:
    """Let udev process delayed events before the step `number`, from 1. Raises DiskwrightError if anything
    else changed on the drives.

    After the run, udev would see old partitions removed under the names of new ones. It would unmount
    volumes, and mdadm's rules would fail members of a running array (`mdadm --incremental --fail`), which
    breaks a RAID0.
    """
    if not process.udev_runs():
        return
    # Compare both ends of each drive and new partition that no earlier step has put to use.
    made = (step.operation for step in plan.steps[: number - 1] if step.operation.made)
    used = {device for operation in made for device in operation.devices}
    before = {}
    for member in plan.members:
        path = member.drive.path
        parts = [(partition_path(path, slot.number), slot.extent) for slot in member.after.partitions]
        for device, place in ((path, Extent(0, member.drive.size_bytes)), *parts):
            size = min(END_BYTES, place.size_bytes)
            for start in (place.start_bytes, place.end_bytes - size) if device not in used else ():
                before[path, start] = devices.read_bytes(path, start, size)
    _let_udev_look(plan, drive_locks)
    for (path, start), data in before.items():
        if devices.read_bytes(path, start, len(data)) != data:
            raise Failed(
                t(
                    "Another program changed {device} at byte {byte} while udev caught up.",
                    device=path,
                    byte=start,
                )
            )


END_BYTES = 128 * KIB
"""Size of each end to compare, which covers the signatures of filesystems, tables and containers."""


def _let_udev_look(
    plan: Plan,
    drive_locks: tuple[int, ...],
    uses: Callable[[Plan], frozenset[tuple[str, str]]] = lambda _: frozenset(),
) -> None:
    """Unlock the drives for a moment, so udev can process events, with automounters disabled. Raises
    DiskwrightError if a drive is in use afterwards, except by the `uses`."""
    if not process.udev_runs():
        return
    with automount_ignored(plan), process.unlocked(drive_locks):
        process.settle(CATCH_UP_SECONDS)
    ours = uses(plan)
    for drive in probe_members(plan):
        guard.check_unused(drive, ours, part=plan.part_path)


def _own_uses(plan: Plan) -> frozenset[tuple[str, str]]:
    """Return the pairs of device and user by which a rehearsed run itself uses its drives. udev has LVM
    activate volume groups. Raises Failed for a foreign layer."""
    operations = [step.operation for step in plan.steps]
    mounts = (*plan.mounts, *(one.mount for one in operations if isinstance(one, Inside)))
    mounted = {(device, one.mount_point) for one in mounts if is_mounted(one) for device in one.devices}
    swaps = (one.device for one in operations if isinstance(one, TurnOnSwap))
    swapping = {(device, "swap") for device in swaps if is_swap(device)}
    below = {(part, node) for node, parts in layers.active_layers(plan).items() for part in parts}
    return frozenset(mounted | swapping | below)


def _execute_despite_mounts(context: step_context.StepContext) -> Message | str:
    """Execute a step. If another program has mounted the device, unmount it and try again, or accept the
    result."""
    operation = context.planned.operation
    mounts = operation in context.plan.mounts
    made = next((one for one in context.plan.filesystems if one == operation), None)
    if mounts:
        unmount_foreign(context)
    try:
        return execute(context)
    except Failed:
        if not (mounts or made) or not unmount_foreign(context):
            raise
    return filesystem.made_as_planned(made, context) if made else execute(context)


def execute(context: step_context.StepContext) -> Message | str:
    """Execute a step's operation and return a summary. Raises Failed, also unless every node is the plan's
    drive or partition, or made by this run."""
    operation = context.planned.operation
    above = layers.layer_nodes(context.plan)
    for device in operation.devices:
        member = context.plan.member(device)
        if member and (reason := devices.node_fault(device, member.drive.path)):
            raise Failed(step_context.NOT_TOUCHED(node=device, why=reason))
        if device in operation.created:
            continue
        if device in above:
            layers.check_active(device, context)
    wipe.check_target(context.plan, operation, context.seconds)
    work, checks = STEPS[type(operation)]
    return work(operation, context) or context.confirm(checks(operation, context))
