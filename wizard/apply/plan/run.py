"""Run a plan directly in the detached process: check, execute the steps in order, verify. Prevent and undo
mounts by automounters meanwhile.

Journal entries are written before and after each step.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial

from msgspec.structs import replace

from wizard.apply.block import devices
from wizard.apply.block.scratch_device import ignore, stop_ignoring
from wizard.apply.plan import guard
from wizard.apply.plan.identity_check import probe_members
from wizard.apply.plan.run_summary import DIRECT, headline
from wizard.apply.resize import resized
from wizard.apply.run import job, process
from wizard.apply.run.backup_store import LOOK_SECONDS
from wizard.apply.run.journal import Journal, RunState, begun_steps, read_entries
from wizard.apply.run.progress_log import reached
from wizard.apply.run.runs import load_environment, load_plan
from wizard.apply.steps import arrays, containers, filesystem, layers, step_context, wipe
from wizard.apply.system import mounts
from wizard.apply.table import write
from wizard.model.errors import DiskwrightError, Failed, Refused, partition_path
from wizard.model.layout import NewFilesystem
from wizard.model.machine import Extent
from wizard.model.run import Event
from wizard.model.said import KIB, Message, joined, t, tn
from wizard.operations.filesystem import Inside
from wizard.operations.mounts import TurnOnSwap
from wizard.plan.plan import Plan
from wizard.probe.host.sysfs import name_of

NOTHING_MORE = t("Nothing more was written.")

STEPS: step_context.Steps = {
    operation: step
    for module in (wipe, write, containers, arrays, layers, filesystem, resized)
    for operation, step in module.STEPS.items()
}

MOMENT = "partitions"
"""The name of the udev rule that is active while a partition table changes."""

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
    planned = (*plan.mounts, *(one.mount for one in operations if isinstance(one, Inside)))
    mounted = {
        (device, one.mount_point) for one in planned if mounts.is_mounted(one) for device in one.devices
    }
    swaps = (one.device for one in operations if isinstance(one, TurnOnSwap))
    swapping = {(device, "swap") for device in swaps if mounts.is_swap(device)}
    below = {(part, node) for node, parts in layers.active_layers(plan).items() for part in parts}
    return frozenset(mounted | swapping | below)


def _execute_despite_mounts(context: step_context.StepContext) -> Message | str:
    """Execute a step. If another program has mounted the device, unmount it and try again, or accept the
    result."""
    operation = context.planned.operation
    is_mount = operation in context.plan.mounts
    made = next((one for one in context.plan.filesystems if one == operation), None)
    if is_mount:
        unmount_foreign(context)
    try:
        return execute(context)
    except Failed:
        if not (is_mount or made) or not unmount_foreign(context):
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


@contextmanager
def automount_ignored(plan: Plan) -> Iterator[None]:
    """Make udev tell automounters to ignore the partitions of the plan's drives.

    Afterwards, unlocked drives get a change event, so no property outlives the run.
    """
    nodes = [node for member in plan.members for node in member.nodes[1:]]
    names = sorted({name_of(node) for node in ([plan.part_path] if plan.part else nodes)})
    # Keep mdadm's rules from assembling the array: the run does this, under the planned number.
    alone = 'ENV{UDISKS_IGNORE}="1"' + (', ENV{SYSTEMD_READY}="0"' if plan.arrays else "")
    with suppress(Failed):
        ignore(MOMENT, [f'SUBSYSTEM=="block", KERNEL=="{name}", {alone}' for name in names])
    try:
        yield
    finally:
        stop_ignoring(MOMENT)
        for name in names:
            with suppress(OSError):
                (devices.SYS_BLOCK / name / "uevent").write_text("change")


def unmount_foreign(context: step_context.StepContext) -> bool:
    """Unmount filesystems of this run that other programs have mounted, last mount first, and return True if
    there were any. Raises Failed if one is in use."""
    planned = {mount.mount_point for mount in context.plan.mounts}
    found = [
        entry
        for entry in reversed(mounts.read_mounts())
        for make in context.plan.filesystems
        if entry.mount_point not in planned and entry.source in make.devices and _is_ours(make, context)
    ]
    for entry in found:
        device, place = entry.source, entry.mount_point
        # umount detaches the topmost mount, which may be another filesystem.
        if (top := mounts.mounted_at(place)) and top.source != device:
            raise Failed(
                t(
                    "Another program mounted {device} at {place}, hidden by {other}. Nothing was unmounted.",
                    device=device,
                    place=place,
                    other=top.source,
                )
            )
        said = t("Another program mounted {device} at {place} during the run.", device=device, place=place)
        try:
            context.command(["umount", place])
        except Failed as error:
            raise Failed(f"{said} {error}") from None
        context.work.journal.add(Event.COMMAND, said, step=context.step)
    return bool(found)


def _is_ours(make: NewFilesystem, context: step_context.StepContext) -> bool:
    """Return True if the device has the planned filesystem with the planned UUID. Anything else is somebody's
    data."""
    with suppress(DiskwrightError):
        seen = wipe.signatures_on(make.device, context)
        return not wipe.recognised_differences(seen, make.filesystem, make.uuid, make.label)
    return False


def ensure_mounted(plan: Plan, journal: Journal) -> Message | None:
    """Wait for udev after the drives are unlocked, and repeat mounts that others have unmounted. Return an
    error or None."""
    if not process.udev_runs():
        return None
    process.settle()
    for one in plan.mounts:
        if mounts.is_mounted(one):
            continue
        place = one.mount_point
        try:
            wipe.check_target(plan, one, LOOK_SECONDS)
            filesystem.mount_checked(one, step_context.told_in(journal))
        except Failed as error:
            again = t("Another program unmounted {place}, and remounting failed:", place=place)
            journal.add(Event.COMMAND, f"{again} {error}")
        else:
            again = t(
                "Another program unmounted {place} when the drive was free. Mounted again.", place=place
            )
            journal.add(Event.COMMAND, again)
    if lost := [one for one in plan.mounts if not mounts.is_mounted(one)]:
        return t(
            "All checks passed, but another program unmounted {places:list} when the drive was free.",
            places=tuple(one.mount_point for one in lost),
        )
    return None
