"""The layer between partitions and filesystems: an array across drives, or an LVM group on one drive.

A plan has at most one layer. Also mounts volumes and checks that the owner can write.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

from wizard.apply.steps import array_checks as array_checking
from wizard.apply.steps import arrays, lvm
from wizard.apply.steps.step_context import Do, StepContext
from wizard.apply.system.edited_file import kernel_has
from wizard.apply.system.mounts import is_mounted
from wizard.model.errors import Failed, Refused, printable
from wizard.model.ext import Check
from wizard.model.layout import Writer
from wizard.model.said import Message, t
from wizard.operations.layers import MakeArray, MakeLogicalVolume, MakeVolumeGroup
from wizard.operations.mounts import Mount, TurnOnSwap
from wizard.plan.messages import who
from wizard.plan.plan import Plan
from wizard.plan.raid.lvm import logical_volumes
from wizard.plan.steps.commands import commands_of


def layer_nodes(plan: Plan) -> tuple[str, ...]:
    """Return the devices that are formatted instead of partitions; empty without a layer."""
    array = (plan.stripe.device,) if plan.stripe and plan.stripe.device else ()
    return (*array, *(one.device for one in logical_volumes(plan)))


def check_free_array(plan: Plan) -> None:
    """Raises Refused if a node, name or UUID planned for the layer is in use, or the kernel lacks LVM
    support."""
    if plan.group is None:
        arrays.check_free_array(plan)
        return
    if not kernel_has("dm_mod"):
        raise Refused(
            t(
                "This kernel cannot use LVM: the device mapper is neither built in nor a "
                "module. Nothing was written."
            )
        )
    lvm.check_free_group(plan, plan.group)


def own_array_node(plan: Plan, device: str, do: Do) -> None:
    """Raises Failed unless the device node belongs to what this run created."""
    if plan.group:
        lvm.own_volume_node(plan, plan.group, device)
    else:
        arrays.own_array_node(plan, do)


def own_uses(plan: Plan, begun: frozenset[int], do: Do) -> frozenset[tuple[str, str]]:
    """Return the pairs of member and layer device by which the run itself uses its drives."""
    return lvm.group_uses(plan, plan.group, begun) if plan.group else arrays.own_uses(plan, begun, do)


def clear_drives(plan: Plan, do: Do) -> None:
    """Stop the layer of a run, which others may have activated by its signatures. Raises Failed if it is in
    use."""
    if plan.group:
        lvm.deactivate(plan, plan.group, do)
    else:
        arrays.stop_own_array(plan, do)


def activate(plan: Plan, do: Do) -> None:
    """Activate the layer of a rehearsed run on its drives. Raises Failed."""
    if plan.group:
        lvm.activate(plan, plan.group, do)
    else:
        arrays.assemble_own(plan, do)


def build(operation: MakeArray | MakeVolumeGroup | MakeLogicalVolume, context: StepContext) -> Message:
    """Execute a step that creates the layer, and return a summary. Raises Failed."""
    if isinstance(operation, MakeLogicalVolume):
        return lvm.make_logical_volume(operation, context)
    summary = lvm.build(operation, context)
    if context.plan.group:
        lvm.check_data(context.plan, context.plan.group, context.command)
    return summary


def array_checks(plan: Plan, do: Do) -> Iterator[Check]:
    """Check the layer with its own tools and the kernel."""
    return lvm.group_checks(plan, plan.group, do) if plan.group else array_checking.array_checks(plan, do)


NOBODY = 65534
"""Uid and gid of the user nobody, the same in every distribution."""

UNKNOWN = 255


def writer_checks(plan: Plan, mount: Mount) -> Iterator[Check]:
    """Check that the planned writer can write to the mount. No check if only root may write, or for read-only
    mounts."""
    volume = next((volume for volume in plan.volumes if volume.path == mount.device), None)
    if volume is None or volume.writer.kind == "root" or "ro" in mount.options:
        return
    fault = (
        _write_fault(Path(mount.mount_point), volume.writer)
        if is_mounted(mount)
        else str(t("not mounted there"))
    )
    what = t("{who} can write to {place}", who=who(volume.writer), place=printable(mount.mount_point, 200))
    yield Check(str(what), not fault, fault or str(t("wrote and deleted a file")))


def _write_fault(folder: Path, writer: Writer) -> str:
    """Return the system error if the writer cannot create and delete a file in the folder, or an empty
    string. Requires root."""
    file = folder / f".diskwright-{uuid4()}"
    if not (child := os.fork()):
        code = UNKNOWN
        try:
            code = _try_as(writer, file)
        finally:
            # Exit without cleanup: inherited resources belong to the run's process.
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return os.strerror(code) if code else ""


def _try_as(writer: Writer, file: Path) -> int:
    """Become the writer for good, create and delete a file. Return 0 or the error number. A group's writer is
    nobody with that group."""
    person = writer.kind == "person"
    try:
        os.setgroups([writer.gid] if writer.kind == "group" else [])
        os.setgid(writer.gid if person else NOBODY)
        os.setuid(writer.uid if person else NOBODY)
        fd = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        os.write(fd, b"written to see that it can be\n")
        os.close(fd)
        file.unlink()
    except OSError as error:
        return error.errno or UNKNOWN
    return 0


SWAPS = Path("/proc/swaps")


def parse_swaps(text: str) -> tuple[str, ...]:
    """Parse the device paths in /proc/swaps (proc(5)): a header, then one line per device. Pure."""
    names = [line.split()[0] for line in text.splitlines()[1:] if line.split()]
    return tuple(re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), name) for name in names)


def is_swap(operation: TurnOnSwap) -> bool:
    """Return True if the kernel uses the device as swap. Kernels without swap support have no /proc/swaps."""
    text = SWAPS.read_text(errors="replace") if SWAPS.exists() else ""
    return os.path.realpath(operation.device) in map(os.path.realpath, parse_swaps(text))


def swap_differences(operation: TurnOnSwap) -> tuple[Message, ...]:
    """Return a clause if the kernel does not use the device as swap."""
    return () if is_swap(operation) else (t("the kernel does not list it as swap"),)


def turn_on(operation: TurnOnSwap, context: StepContext) -> Message:
    """Enable swap on the device, and check that the kernel lists it. Repeatable. Raises Failed."""
    if not is_swap(operation):
        for argv in commands_of(operation):
            context.command(argv)
    if differences := swap_differences(operation):
        raise Failed(
            t(
                "{device} is not in use as planned: {differences:semicolons}.",
                device=operation.device,
                differences=differences,
            )
        )
    return t("The kernel uses {device} as swap.", device=operation.device)
