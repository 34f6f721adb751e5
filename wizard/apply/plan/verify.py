"""Verify after the last step that the drives, the kernel and the tools match the plan."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from wizard.apply.block.devices import SYS_BLOCK, kernel_name
from wizard.apply.block.scratch_device import ignore, stop_ignoring
from wizard.apply.plan.guard import own_nodes
from wizard.apply.run.backup_store import LOOK_SECONDS
from wizard.apply.run.job import settle, udev_runs
from wizard.apply.run.journal import Journal
from wizard.apply.steps.containers import FOUND, container_checks
from wizard.apply.steps.filesystem import mount_checked, planned_differences
from wizard.apply.steps.layers import array_checks, swap_differences, writer_checks
from wizard.apply.steps.step_context import StepContext, told_in
from wizard.apply.steps.wipe import check_target, recognised_differences, signatures_on, spread_differences
from wizard.apply.system.mounts import Mounted, is_mounted, mount_differences, mounted_at, read_mounts
from wizard.apply.table.proof import disk_differences, kernel_differences
from wizard.filesystems.registry import MADE
from wizard.model.errors import DiskwrightError, Failed, partition_path, printable
from wizard.model.ext import Check, Event
from wizard.model.geometry import Geometry, grain_bytes, misalignment_bytes
from wizard.model.layout import NO_PLACE, Member, Slot
from wizard.model.machine import Drive
from wizard.model.said import Message, Sentence, t, tn
from wizard.operations.filesystem import (
    GrowFilesystem,
    MakeFilesystem,
    MakeSubvolumes,
    Resizing,
    ShrinkFilesystem,
)
from wizard.operations.mounts import AddFstabLine, Mount, TurnOnSwap
from wizard.plan.dangers import slot_of
from wizard.plan.free_space import content_of
from wizard.plan.plan import Plan
from wizard.plan.rehearsed import array_node
from wizard.plan.steps.commands import fstab_line
from wizard.probe.host.sysfs import name_of
from wizard.process.program import find, run


def verify(
    plan: Plan, drives: Sequence[Drive], fstab: str, seconds: float, crypttab: str = ""
) -> Iterator[Check]:
    """Run all checks of a finished run.

    `drives` are freshly probed, `fstab` and `crypttab` the contents of the files, and `seconds` the time
    limit for each tool.
    """
    for member, drive in zip(plan.members, drives, strict=True):
        yield from _table_checks(plan, member, drive, seconds)
    yield from array_checks(plan, lambda argv: run(argv, seconds=seconds))
    yield from container_checks(plan, drives, crypttab, seconds)
    for step in plan.steps:
        match step.operation:
            case MakeFilesystem() | GrowFilesystem() | ShrinkFilesystem():
                yield from _filesystem_checks(step.operation, plan, drives, seconds)
            case AddFstabLine(mount_point=place):
                times = fstab.splitlines().count(fstab_line(step.operation))
                line = step.operation.uuid if place == NO_PLACE else printable(place, 200)
                yield _result(
                    t("fstab has exactly one line for {what}", what=line), times == 1, FOUND(times=times)
                )
            case MakeSubvolumes(device=device):
                yield _check(
                    t("{device} has the planned subvolumes", device=device),
                    planned_differences(step.operation, seconds),
                )
            case Mount(device=device, mount_point=place):
                yield _check(
                    t(
                        "{device} is mounted at {place} as recommended",
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


def _table_checks(plan: Plan, member: Member, drive: Drive, seconds: float) -> Iterator[Check]:
    what = (
        Sentence("{drive} has no table, as planned")
        if member.after.whole
        else Sentence("{drive} has the planned table")
    )
    yield _check(what(drive=drive.path), disk_differences(member.after, drive))
    yield _check(t("The kernel sees the same partitions"), kernel_differences(member.after, drive))
    if plan.only_table:
        yield _check(t("The partitions have the contents found"), (*_content_differences(plan, drive),))
    for slot in member.after.partitions:
        # Existing partitions keep their alignment.
        if not slot.kept and not plan.part:
            yield from alignment_checks(drive, slot.number, seconds)


def _content_differences(plan: Plan, drive: Drive) -> Iterator[Message]:
    parts = {part.number: slot_of(part) for part in drive.partitions}
    for slot in plan.after.partitions:
        found = parts.get(slot.number, Slot(slot.number, 0, 0))
        is_checked = slot.filesystem and plan.part in (0, slot.number)
        if is_checked and (found.filesystem, found.uuid) != (slot.filesystem, slot.uuid):
            yield t("partition {number} lacks its {content}", number=slot.number, content=content_of(slot))


def _filesystem_checks(
    operation: MakeFilesystem | Resizing, plan: Plan, drives: Sequence[Drive], seconds: float
) -> Iterator[Check]:
    kind = operation.filesystem
    if isinstance(operation, Resizing):
        yield clean_check(operation.device, "ext4" if kind.startswith("ext") else kind, plan, seconds)
        return
    for device in (operation.device, *operation.others):
        found: tuple[Message | str, ...]
        try:
            found = recognised_differences(
                signatures_on(device, plan, seconds, drives), kind, operation.uuid, operation.label
            )
        except Failed as error:
            found = (str(error),)
        yield _check(
            t("{device} is {filesystem} with the planned UUID and label", device=device, filesystem=kind),
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
                "{device} is spread over the drives as planned, according to the superblock",
                device=operation.device,
            ),
            found,
        )


def _check(what: Message, differences: Sequence[Message | str]) -> Check:
    return _result(what, not differences, "; ".join(map(str, differences)) or str(t("no difference")))


def _result(what: Message, holds: bool, seen: object) -> Check:
    return Check(str(what), holds, str(seen))


def alignment_checks(drive: Drive, number: int, seconds: float) -> Iterator[Check]:
    """Check a partition's alignment by the kernel's rule, and with parted."""
    node = partition_path(drive.path, number)
    part, geometry = drive.partition(node), drive.geometry
    if part is None or geometry is None:
        yield _result(t("{device} is aligned", device=node), False, t("unreadable"))
        return
    off = misalignment_bytes(geometry, part.start_bytes)
    at = (
        tn("{count} byte off", "{count} bytes off", count=off)
        if off
        else t("byte {byte}", byte=part.start_bytes)
    )
    yield _result(t("{device} is aligned by the kernel's rule", device=node), off == 0, at)
    kind, what = aligned_by_parted(node, geometry)
    if find("parted") is None:
        yield _result(what, True, t("parted is not installed; only the kernel's rule was checked"))
        return
    try:
        result = run(
            ["parted", "--machine", "--script", drive.path, "align-check", kind, str(number)],
            seconds=seconds,
            accept=(0, 1),
        )
    except Failed as error:
        yield _result(what, False, error)
        return
    # With --script, parted reports the result only as exit status.
    aligned = result.status == 0
    yield _result(what, aligned, t("aligned") if aligned else t("not aligned"))


def aligned_by_parted(node: str, geometry: Geometry) -> tuple[str, Message]:
    """Return parted's applicable alignment check, and a description with the reason if it is not `opt`.

    parted trusts any optimal I/O size (libparted/arch/linux.c). The plan ignores implausible sizes, and sizes
    that would make the grain absurdly large.
    """
    optimal = geometry.optimal_io_bytes
    if optimal <= 0 or grain_bytes(geometry) % optimal == 0:
        return "opt", t("{device} is aligned by parted (opt)", device=node)
    return "min", t(
        "{device} is aligned by parted (min, since the drive's optimal I/O size of "
        "{bytes} bytes is implausible)",
        device=node,
        bytes=optimal,
    )


def clean_check(device: str, filesystem: str, plan: Plan, seconds: float) -> Check:
    """Check that the filesystem is clean: with its own checker or, if mounted and that is impossible, by the
    kernel's error count."""
    what = t("{device} is clean", device=device)
    made = (step.operation for step in plan.steps if isinstance(step.operation, MakeFilesystem))
    devices = next(((one.device, *one.others) for one in made if one.device == device), (device,))
    # Another program may have mounted a filesystem that the plan does not mount.
    if mounted := next((entry for entry in read_mounts() if entry.source in devices), None):
        return _mounted_check(what, device, filesystem, mounted.mount_point, seconds)
    check = MADE[filesystem].clean_check
    try:
        run([*check, device], seconds=seconds)
    except Failed as error:
        return _result(what, False, error)
    return _result(what, True, t("{tool} found no errors", tool=check[0]))


def _mounted_check(what: Message, device: str, filesystem: str, place: str, seconds: float) -> Check:
    if check := MADE[filesystem].mounted_check:
        try:
            run([*check, place], seconds=seconds)
        except Failed as error:
            return _result(what, False, error)
        return _result(what, True, t("checked before mounting; no device error since"))
    errors = Path("/sys/fs") / filesystem / kernel_name(device) / "errors_count"
    if errors.exists():
        count = int(errors.read_text())
        return _result(
            what,
            count == 0,
            tn(
                "checked before mounting; {count} error since",
                "checked before mounting; {count} errors since",
                count=count,
            ),
        )
    return _result(what, True, t("checked before mounting; mounted without errors"))


BUSY = Sentence("Another program mounted {device} at {place} during the run:")
NOT_AGAIN = Sentence("Another program unmounted {place}, and remounting failed:")

MOMENT = "partitions"
"""The name of the udev rule that is active while a partition table changes."""


@contextmanager
def automount_ignored(plan: Plan) -> Iterator[None]:
    """Make udev tell automounters to ignore the partitions of the plan's drives.

    Afterwards, unlocked drives get a change event, so no property outlives the run.
    """
    nodes = [node for member in plan.members for node in own_nodes(member)[1:]]
    names = sorted({name_of(node) for node in ([plan.part_path] if plan.part else nodes)})
    # Keep mdadm's rules from assembling the array: the run does this, under the planned number.
    alone = 'ENV{UDISKS_IGNORE}="1"' + (', ENV{SYSTEMD_READY}="0"' if array_node(plan) else "")
    with suppress(OSError):
        ignore(MOMENT, [f'SUBSYSTEM=="block", KERNEL=="{name}", {alone}' for name in names])
    try:
        yield
    finally:
        stop_ignoring(MOMENT)
        for name in names:
            with suppress(OSError):
                (SYS_BLOCK / name / "uevent").write_text("change")


def foreign_mounts(plan: Plan) -> tuple[tuple[Mounted, MakeFilesystem], ...]:
    """Return mounts of the plan's filesystems at other places than planned, last mount first."""
    makes = [step.operation for step in plan.steps if isinstance(step.operation, MakeFilesystem)]
    planned = {step.operation.mount_point for step in plan.steps if isinstance(step.operation, Mount)}
    there = [entry for entry in reversed(read_mounts()) if entry.mount_point not in planned]
    return tuple(
        (entry, make) for entry in there for make in makes if entry.source in (make.device, *make.others)
    )


def unmount_foreign(context: StepContext) -> bool:
    """Unmount filesystems of this run that other programs have mounted, and return True if there were any.
    Raises Failed if one is in use."""
    found = [entry for entry, make in foreign_mounts(context.plan) if _is_ours(make, context)]
    for entry in found:
        place = printable(entry.mount_point, 200)
        # umount detaches the topmost mount, which may be another filesystem.
        if (top := mounted_at(entry.mount_point)) and top.source != entry.source:
            raise Failed(
                t(
                    "Another program mounted {device} at {place}, hidden by {other}. Nothing was unmounted.",
                    device=entry.source,
                    place=place,
                    other=printable(top.source),
                )
            )
        try:
            context.command(["umount", entry.mount_point])
        except Failed as error:
            raise Failed(f"{BUSY(device=entry.source, place=place)} {error}") from None
        said = t(
            "Another program had mounted {device} at {place}. Unmounted, to continue as planned.",
            device=entry.source,
            place=place,
        )
        context.journal.add(Event.COMMAND, str(said), step=context.step)
    return bool(found)


def _is_ours(make: MakeFilesystem, context: StepContext) -> bool:
    """Return True if the device has the planned filesystem with the planned UUID. Anything else is somebody's
    data."""
    with suppress(DiskwrightError):
        seen = signatures_on(make.device, context.plan, context.seconds)
        return not recognised_differences(seen, make.filesystem, make.uuid, make.label)
    return False


def ensure_mounted(plan: Plan, journal: Journal) -> str | None:
    """Wait for udev after the drives are unlocked, and repeat mounts that others have unmounted. Return an
    error or None."""
    if not udev_runs():
        return None
    settle()
    mounts = [step.operation for step in plan.steps if isinstance(step.operation, Mount)]
    for one in mounts:
        if not is_mounted(one):
            _mount_again(plan, one, journal)
    if lost := [one for one in mounts if not is_mounted(one)]:
        return str(
            t(
                "All checks passed, but another program unmounted {places:list} when the "
                "drive was free, and again after remounting.",
                places=tuple(printable(one.mount_point, 200) for one in lost),
            )
        )
    return None


def _mount_again(plan: Plan, one: Mount, journal: Journal) -> None:
    """Mount again and journal the result, unless the device has changed."""
    place = printable(one.mount_point, 200)
    try:
        check_target(plan, one, LOOK_SECONDS)
        mount_checked(one, told_in(journal))
    except Failed as error:
        journal.add(Event.COMMAND, f"{NOT_AGAIN(place=place)} {error}")
    else:
        journal.add(
            Event.COMMAND,
            str(
                t(
                    "Another program unmounted {place} when the drive was free. Mounted again.",
                    place=place,
                )
            ),
        )
