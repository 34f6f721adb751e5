"""Prevent and undo mounts by automounters on the drives of a run."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from wizard.apply.block.devices import SYS_BLOCK
from wizard.apply.block.scratch_device import ignore, stop_ignoring
from wizard.apply.run.backup_store import LOOK_SECONDS
from wizard.apply.run.journal import Journal
from wizard.apply.run.process import settle, udev_runs
from wizard.apply.steps import wipe
from wizard.apply.steps.filesystem import mount_checked
from wizard.apply.steps.step_context import StepContext, told_in
from wizard.apply.system import mounts
from wizard.model.errors import DiskwrightError, Failed
from wizard.model.layout import NewFilesystem
from wizard.model.run import Event
from wizard.model.said import Message, t
from wizard.plan.plan import Plan
from wizard.probe.host.sysfs import name_of

MOMENT = "partitions"
"""The name of the udev rule that is active while a partition table changes."""


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
                (SYS_BLOCK / name / "uevent").write_text("change")


def unmount_foreign(context: StepContext) -> bool:
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


def _is_ours(make: NewFilesystem, context: StepContext) -> bool:
    """Return True if the device has the planned filesystem with the planned UUID. Anything else is somebody's
    data."""
    with suppress(DiskwrightError):
        seen = wipe.signatures_on(make.device, context)
        return not wipe.recognised_differences(seen, make.filesystem, make.uuid, make.label)
    return False


def ensure_mounted(plan: Plan, journal: Journal) -> Message | None:
    """Wait for udev after the drives are unlocked, and repeat mounts that others have unmounted. Return an
    error or None."""
    if not udev_runs():
        return None
    settle()
    for one in plan.mounts:
        if mounts.is_mounted(one):
            continue
        place = one.mount_point
        try:
            wipe.check_target(plan, one, LOOK_SECONDS)
            mount_checked(one, told_in(journal))
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
