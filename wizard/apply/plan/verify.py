"""After the last step: everything the plan promised, held against the disk, the kernel and the tools."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from wizard.apply.block.devices import kernel_name
from wizard.apply.steps.containers import container_checks
from wizard.apply.steps.layers import array_checks
from wizard.apply.steps.readback import recognised_differences, signatures_on, spread_differences
from wizard.apply.steps.subvolumes import planned_differences
from wizard.apply.steps.swap import swap_differences
from wizard.apply.steps.writable import writer_checks
from wizard.apply.system.mounts import mount_differences, read_mounts
from wizard.apply.table.compare import disk_differences, kernel_differences
from wizard.filesystems.registry import MADE
from wizard.layout.steps.commands import fstab_line
from wizard.model.errors import Failed
from wizard.model.geometry import Geometry, grain_bytes, misalignment_bytes
from wizard.model.journal import Check
from wizard.model.machine import Drive
from wizard.model.make_filesystem import MakeFilesystem
from wizard.model.names import partition_path, printable
from wizard.model.plan import NO_PLACE, AddFstabLine, GrowFilesystem, MakeSubvolumes, Mount, Plan, TurnOnSwap
from wizard.tools.program import find, run


def verify(
    plan: Plan, drives: Sequence[Drive], fstab: str, seconds: float, crypttab: str = ""
) -> Iterator[Check]:
    """Every check of a finished run, one after the other. `drives` are the plan's, probed afresh, `fstab` and
    `crypttab` the files' texts; `seconds` for each tool.
    """
    for member, drive in zip(plan.members, drives, strict=True):
        what = "has no table, as planned" if member.after.whole else "has the planned table"
        yield _check(f"{drive.path} {what}", disk_differences(member.after, drive))
        yield _check("The kernel sees the same partitions", kernel_differences(member.after, drive))
        for slot in member.after.partitions:
            # A partition that was there before stays as aligned as it was.
            if not slot.kept and not plan.part:
                yield from alignment_checks(drive, slot.number, seconds)
    yield from array_checks(plan, lambda argv: run(argv, seconds=seconds))
    yield from container_checks(plan, drives, crypttab, seconds)
    for step in plan.steps:
        match step.operation:
            case MakeFilesystem() | GrowFilesystem():
                yield from _filesystem_checks(step.operation, plan, drives, seconds)
            case AddFstabLine(mount_point=place):
                times = fstab.splitlines().count(fstab_line(step.operation))
                what = step.operation.uuid if place == NO_PLACE else printable(place, 200)
                yield Check(f"fstab has exactly one line for {what}", times == 1, f"{times} found")
            case MakeSubvolumes(device=device):
                yield _check(
                    f"{device} has its planned subvolumes", planned_differences(step.operation, seconds)
                )
            case Mount(device=device, mount_point=place):
                yield _check(
                    f"{device} is mounted at {printable(place, 200)} as advised",
                    mount_differences(step.operation),
                )
                yield from writer_checks(plan, step.operation)
            case TurnOnSwap(device=device):
                yield _check(f"{device} is in use as swap", swap_differences(step.operation))
            case _:
                pass


def _filesystem_checks(
    operation: MakeFilesystem | GrowFilesystem, plan: Plan, drives: Sequence[Drive], seconds: float
) -> Iterator[Check]:
    kind = operation.filesystem
    if isinstance(operation, GrowFilesystem):
        yield clean_check(operation.device, "ext4", plan, seconds)
        return
    for device in (operation.device, *operation.others):
        try:
            found = recognised_differences(
                signatures_on(device, plan, seconds, drives), kind, operation.uuid, operation.label
            )
        except Failed as error:
            found = (str(error),)
        yield _check(f"{device} is {kind} with its planned UUID and label", found)
    if MADE[kind].clean_check:
        yield clean_check(operation.device, kind, plan, seconds)
    if operation.striping or operation.others:
        try:
            found = spread_differences(operation, seconds)
        except Failed as error:
            found = (str(error),)
        yield _check(f"{operation.device} is spread over the drives as planned, by its own superblock", found)


def _check(what: str, differences: Sequence[str]) -> Check:
    return Check(what, not differences, "; ".join(differences) or "no difference")


def alignment_checks(drive: Drive, number: int, seconds: float) -> Iterator[Check]:
    """The kernel's own rule, and parted's opinion."""
    node = partition_path(drive.path, number)
    part, geometry = drive.partition(node), drive.geometry
    if part is None or geometry is None:
        yield Check(f"{node} is aligned", False, "it could not be read")
        return
    off = misalignment_bytes(geometry, part.start_bytes)
    yield Check(
        f"{node} is aligned by the kernel's rule",
        off == 0,
        f"{off} bytes off" if off else f"byte {part.start_bytes}",
    )
    kind, why = parted_kind(geometry)
    what = f"{node} is aligned by parted ({kind}{why})"
    if find("parted") is None:
        yield Check(what, True, "parted is not installed, so only the kernel's rule was asked")
        return
    try:
        result = run(
            ["parted", "--machine", "--script", drive.path, "align-check", kind, str(number)],
            seconds=seconds,
            accept=(0, 1),
        )
    except Failed as error:
        yield Check(what, False, str(error))
        return
    # With --script it says so by its status alone.
    yield Check(what, result.status == 0, "aligned" if result.status == 0 else "not aligned")


def parted_kind(geometry: Geometry) -> tuple[str, str]:
    """Which of parted's two checks means something here, and why if it is not `opt`.

    parted believes any optimal I/O size (libparted/arch/linux.c); one that cannot be meant, or that would
    make the grain absurd, is not what the plan is aligned to.
    """
    optimal = geometry.optimal_io_bytes
    if optimal <= 0 or grain_bytes(geometry) % optimal == 0:
        return "opt", ""
    return "min", f", since the drive's optimal I/O size of {optimal} bytes cannot be meant"


def clean_check(device: str, filesystem: str, plan: Plan, seconds: float) -> Check:
    """Whether the filesystem is clean: by its own check, or, where it is mounted and that cannot run, by the
    kernel's count of errors."""
    what = f"{device} is clean"
    made = (step.operation for step in plan.steps if isinstance(step.operation, MakeFilesystem))
    devices = next(((one.device, *one.others) for one in made if one.device == device), (device,))
    # Where the plan does not mount it, another program may have.
    if mounted := next((entry for entry in read_mounts() if entry.source in devices), None):
        return _mounted_check(what, device, filesystem, mounted.mount_point, seconds)
    check = MADE[filesystem].clean_check
    try:
        run([*check, device], seconds=seconds)
    except Failed as error:
        return Check(what, False, str(error))
    return Check(what, True, f"{check[0]} found nothing wrong")


def _mounted_check(what: str, device: str, filesystem: str, place: str, seconds: float) -> Check:
    if check := MADE[filesystem].mounted_check:
        try:
            run([*check, place], seconds=seconds)
        except Failed as error:
            return Check(what, False, str(error))
        return Check(what, True, "checked before it was mounted, and no device error since")
    errors = Path("/sys/fs") / filesystem / kernel_name(device) / "errors_count"
    if errors.exists():
        count = int(errors.read_text())
        return Check(what, count == 0, f"checked before it was mounted, and {count} errors since")
    return Check(what, True, "checked before it was mounted, and mounted without complaint")
