"""After the last step: everything the plan promised, held against the disk, the kernel and the tools."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from wizard.apply.block.devices import kernel_name
from wizard.apply.steps.containers import container_checks
from wizard.apply.steps.layers import array_checks
from wizard.apply.steps.readback import recognised_differences, signatures_on, spread_differences
from wizard.apply.steps.subvolumes import planned_differences
from wizard.apply.steps.swap import swap_differences
from wizard.apply.steps.words.containers import FOUND
from wizard.apply.steps.words.groups import SAME
from wizard.apply.steps.writable import writer_checks
from wizard.apply.system.mounts import mount_differences, read_mounts
from wizard.apply.table.compare import disk_differences, kernel_differences
from wizard.filesystems.registry import MADE
from wizard.layout.steps.commands import fstab_line
from wizard.model.errors import Failed
from wizard.model.geometry import Geometry, grain_bytes, misalignment_bytes
from wizard.model.journal import Check
from wizard.model.machine import Drive
from wizard.model.names import partition_path, printable
from wizard.model.operations.make_filesystem import MakeFilesystem
from wizard.model.plan import (
    NO_PLACE,
    AddFstabLine,
    GrowFilesystem,
    MakeSubvolumes,
    Mount,
    Plan,
    Resizing,
    ShrinkFilesystem,
    TurnOnSwap,
)
from wizard.model.said import Said, Sentence, t, tn
from wizard.tools.program import find, run


def verify(
    plan: Plan, drives: Sequence[Drive], fstab: str, seconds: float, crypttab: str = ""
) -> Iterator[Check]:
    """Every check of a finished run, one after the other. `drives` are the plan's, probed afresh, `fstab` and
    `crypttab` the files' texts; `seconds` for each tool.
    """
    for member, drive in zip(plan.members, drives, strict=True):
        what = (
            Sentence("{drive} has no table, as planned")
            if member.after.whole
            else Sentence("{drive} has the planned table")
        )
        yield _check(what(drive=drive.path), disk_differences(member.after, drive))
        yield _check(t("The kernel sees the same partitions"), kernel_differences(member.after, drive))
        for slot in member.after.partitions:
            # A partition that was there before stays as aligned as it was.
            if not slot.kept and not plan.part:
                yield from alignment_checks(drive, slot.number, seconds)
    yield from array_checks(plan, lambda argv: run(argv, seconds=seconds))
    yield from container_checks(plan, drives, crypttab, seconds)
    for step in plan.steps:
        match step.operation:
            case MakeFilesystem() | GrowFilesystem() | ShrinkFilesystem():
                yield from _filesystem_checks(step.operation, plan, drives, seconds)
            case AddFstabLine(mount_point=place):
                times = fstab.splitlines().count(fstab_line(step.operation))
                line = step.operation.uuid if place == NO_PLACE else printable(place, 200)
                yield _seen(
                    t("fstab has exactly one line for {what}", what=line), times == 1, FOUND(times=times)
                )
            case MakeSubvolumes(device=device):
                yield _check(
                    t("{device} has its planned subvolumes", device=device),
                    planned_differences(step.operation, seconds),
                )
            case Mount(device=device, mount_point=place):
                yield _check(
                    t(
                        "{device} is mounted at {place} as advised",
                        device=device,
                        place=printable(place, 200),
                    ),
                    mount_differences(step.operation),
                )
                yield from writer_checks(plan, step.operation)
            case TurnOnSwap(device=device):
                yield _check(t("{device} is in use as swap", device=device), swap_differences(step.operation))
            case _:
                pass


def _filesystem_checks(
    operation: MakeFilesystem | Resizing, plan: Plan, drives: Sequence[Drive], seconds: float
) -> Iterator[Check]:
    kind = operation.filesystem
    if isinstance(operation, Resizing):
        yield clean_check(operation.device, "ext4" if kind.startswith("ext") else kind, plan, seconds)
        return
    for device in (operation.device, *operation.others):
        found: tuple[Said | str, ...]
        try:
            found = recognised_differences(
                signatures_on(device, plan, seconds, drives), kind, operation.uuid, operation.label
            )
        except Failed as error:
            found = (str(error),)
        yield _check(
            t("{device} is {filesystem} with its planned UUID and label", device=device, filesystem=kind),
            found,
        )
    if MADE[kind].clean_check:
        yield clean_check(operation.device, kind, plan, seconds)
    if operation.striping or operation.others:
        try:
            found = spread_differences(operation, seconds)
        except Failed as error:
            found = (str(error),)
        yield _check(
            t(
                "{device} is spread over the drives as planned, by its own superblock",
                device=operation.device,
            ),
            found,
        )


def _check(what: Said, differences: Sequence[Said | str]) -> Check:
    return _seen(what, not differences, "; ".join(map(str, differences)) or SAME)


def _seen(what: Said, holds: bool, seen: object) -> Check:
    return Check(str(what), holds, str(seen))


def alignment_checks(drive: Drive, number: int, seconds: float) -> Iterator[Check]:
    """The kernel's own rule, and parted's opinion."""
    node = partition_path(drive.path, number)
    part, geometry = drive.partition(node), drive.geometry
    if part is None or geometry is None:
        yield _seen(t("{device} is aligned", device=node), False, t("it could not be read"))
        return
    off = misalignment_bytes(geometry, part.start_bytes)
    at = (
        tn("{count} byte off", "{count} bytes off", count=off)
        if off
        else t("byte {byte}", byte=part.start_bytes)
    )
    yield _seen(t("{device} is aligned by the kernel's rule", device=node), off == 0, at)
    kind, what = aligned_by_parted(node, geometry)
    if find("parted") is None:
        yield _seen(what, True, t("parted is not installed, so only the kernel's rule was asked"))
        return
    try:
        result = run(
            ["parted", "--machine", "--script", drive.path, "align-check", kind, str(number)],
            seconds=seconds,
            accept=(0, 1),
        )
    except Failed as error:
        yield _seen(what, False, error)
        return
    # With --script it says so by its status alone.
    aligned = result.status == 0
    yield _seen(what, aligned, t("aligned") if aligned else t("not aligned"))


def aligned_by_parted(node: str, geometry: Geometry) -> tuple[str, Said]:
    """Which of parted's two checks means something here, and what it is to find: that says why if it is not
    `opt`.

    parted believes any optimal I/O size (libparted/arch/linux.c); one that cannot be meant, or that would
    make the grain absurd, is not what the plan is aligned to.
    """
    optimal = geometry.optimal_io_bytes
    if optimal <= 0 or grain_bytes(geometry) % optimal == 0:
        return "opt", t("{device} is aligned by parted (opt)", device=node)
    return "min", t(
        "{device} is aligned by parted (min, since the drive's optimal I/O size of "
        "{bytes} bytes cannot be meant)",
        device=node,
        bytes=optimal,
    )


def clean_check(device: str, filesystem: str, plan: Plan, seconds: float) -> Check:
    """Whether the filesystem is clean: by its own check, or, where it is mounted and that cannot run, by the
    kernel's count of errors."""
    what = t("{device} is clean", device=device)
    made = (step.operation for step in plan.steps if isinstance(step.operation, MakeFilesystem))
    devices = next(((one.device, *one.others) for one in made if one.device == device), (device,))
    # Where the plan does not mount it, another program may have.
    if mounted := next((entry for entry in read_mounts() if entry.source in devices), None):
        return _mounted_check(what, device, filesystem, mounted.mount_point, seconds)
    check = MADE[filesystem].clean_check
    try:
        run([*check, device], seconds=seconds)
    except Failed as error:
        return _seen(what, False, error)
    return _seen(what, True, t("{tool} found nothing wrong", tool=check[0]))


def _mounted_check(what: Said, device: str, filesystem: str, place: str, seconds: float) -> Check:
    if check := MADE[filesystem].mounted_check:
        try:
            run([*check, place], seconds=seconds)
        except Failed as error:
            return _seen(what, False, error)
        return _seen(what, True, t("checked before it was mounted, and no device error since"))
    errors = Path("/sys/fs") / filesystem / kernel_name(device) / "errors_count"
    if errors.exists():
        count = int(errors.read_text())
        return _seen(
            what,
            count == 0,
            tn(
                "checked before it was mounted, and {count} error since",
                "checked before it was mounted, and {count} errors since",
                count=count,
            ),
        )
    return _seen(what, True, t("checked before it was mounted, and mounted without complaint"))
