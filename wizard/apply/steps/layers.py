"""The layers between partitions and filesystems: an md array across drives or an LVM group on one drive, and
encrypted containers.

A group belongs to the run if it uses only the plan's partition, with the
planned PV UUID. The arrays are in `arrays`, the containers in
`containers`, the LVM group is here.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from wizard.apply.block import devices
from wizard.apply.steps import arrays, step_context
from wizard.apply.steps.containers import is_open
from wizard.apply.steps.wipe import check_contains
from wizard.apply.system.edited_file import check_kernel
from wizard.model.errors import Failed, Refused
from wizard.model.layout import Group
from wizard.model.run import Check, differences
from wizard.model.said import Message, t
from wizard.operations import layers
from wizard.plan.plan import Plan
from wizard.plan.raid.striping import group_room_bytes
from wizard.probe.host.sysfs import text
from wizard.process.program import find, run

DEVICES = Path("/etc/lvm/devices/system.devices")
"""LVM's devices file (lvmdevices(8))."""


def layer_nodes(plan: Plan) -> tuple[str, ...]:
    """Return the nodes of all layers: md arrays, logical volumes and open containers."""
    volumes = (one.device for one in (*plan.arrays, *plan.logical_volumes))
    return (*volumes, *(one.opened for one in plan.containers))


def check_free(plan: Plan) -> None:
    """Raises Refused if a node, name or UUID planned for a layer is in use, or the kernel lacks support for
    LVM or containers. LVM itself refuses existing UUIDs."""
    for array in plan.arrays:
        arrays.check_free_array(array)
    for one in plan.containers:
        check_kernel("dm_crypt", t("encrypted volumes"))
        if os.path.lexists(one.opened):
            raise Refused(step_context.TAKEN(what=one.opened))
    group = plan.group
    if group is None:
        return
    check_kernel("dm_mod", t("LVM"))
    for node in (f"/dev/{group.name}", *(one.device for one in plan.logical_volumes)):
        if is_there(Path(node)):
            raise Refused(step_context.TAKEN(what=node))
    # In the rehearsal, LVM sees only scratch copies. Only this check finds an inactive group with the same
    # name.
    taken = sorted(step_context.physical_volumes_of(group.name))
    if unexpected := tuple(node for node in taken if plan.member(node) is None):
        raise Refused(step_context.TAKEN(what=f"{group.name} ({', '.join(unexpected)})"))


def is_there(node: Path) -> bool:
    """Return True if anything exists at an LVM node. Without udev, LVM leaves the group's folder with
    dangling links, and nodes without a device."""
    if node.is_dir():
        return any(map(is_there, node.iterdir()))
    if not node.is_block_device():
        return node.exists()
    return Path(f"/sys/dev/block/{devices.device_number(node)}").exists()


def running_volumes(plan: Plan, group: Group) -> tuple[str, ...]:
    """Return the nodes of the plan's active logical volumes. Raises Failed if anything else uses its
    partition."""
    own = {Path(one.device).name: one.device for one in plan.logical_volumes}
    found = []
    for node in arrays.layers_on((group.device,)):
        folder = devices.sysfs_folder(node) / "dm"
        name = text(folder / "name")
        if name not in own or not (folder / "uuid").read_text().startswith("LVM-"):
            raise step_context.foreign(node)
        found.append(own[name])
    return tuple(sorted(found))


def active_layers(plan: Plan, do: step_context.Do = run) -> dict[str, tuple[str, ...]]:
    """Return the nodes of the plan's active layers, with the devices below each. Raises Failed if anything
    else uses these devices, or has the planned name of a container."""
    found = {node: one.parts for one in plan.arrays if (node := arrays.running_array(one, do))}
    if plan.group:
        found |= dict.fromkeys(running_volumes(plan, plan.group), (plan.group.device,))
    return found | {one.opened: (one.device,) for one in plan.containers if is_open(one)}


def check_active(node: str, context: step_context.StepContext) -> None:
    """Raises Failed unless the device node belongs to an active layer that this run created."""
    if node not in active_layers(context.plan, context.command):
        raise Failed(step_context.NOT_TOUCHED(node=node, why=t("it is not active")))
    if not arrays.is_node_of(node):
        raise step_context.foreign(node)


def clear_drives(plan: Plan) -> None:
    """Stop the layer of a run, which others may have activated by the signatures. Raises Failed if it is in
    use."""
    for array in plan.arrays:
        arrays.stop_own_array(array, run)
    if plan.group and running_volumes(plan, plan.group):
        run(("vgchange", *layers.LVM_WITHOUT_UDEV, "--activate", "n", plan.group.name))


def activate(plan: Plan, do: step_context.Do) -> None:
    """Activate the layer of a rehearsed run on its drives. Raises Failed."""
    for array in plan.arrays:
        arrays.assemble_own(array, do)
    if plan.group:
        device = plan.group.device
        if DEVICES.exists() and find("lvmdevices"):
            # pvcreate only ran on scratch copies. lvmdevices fails, harmlessly, if the file is disabled.
            run(("lvmdevices", "--yes", "--adddev", device), accept=range(256))
        check_contains(device, layers.PHYSICAL_VOLUME, layers.physical_volume_uuid(plan.group.uuid))
    for one in plan.logical_volumes:
        if not Path(one.device).exists():
            do(("lvchange", *layers.LVM_WITHOUT_UDEV, "--activate", "y", f"{one.group}/{one.name}"))


def _make_logical_volume(operation: layers.MakeLogicalVolume, context: step_context.StepContext) -> None:
    """Create the logical volume. Raises Failed."""
    context.run_commands()
    devices.wait_for(operation.device)
    check_active(operation.device, context)


def group_checks(operation: layers.MakeVolumeGroup, context: step_context.StepContext) -> Iterator[Check]:
    """Check the group and the data offset with LVM."""
    plan, do, (device,) = context.plan, context.do, operation.parts
    (_, uuid) = operation.made[device]

    def find() -> Iterator[Message]:
        wanted = {"pv_uuid": uuid, "vg_name": operation.name, "pe_start": str(layers.DATA_BYTES)}
        yield from _reported("pvs", wanted, device, do)
        room = str(group_room_bytes(layers.new_bytes(plan.members[0], device)))
        wanted = {"pv_count": "1", "vg_extent_size": str(layers.EXTENT_BYTES), "vg_size": room}
        yield from _reported("vgs", wanted, operation.name, do)

    yield step_context.matched(find)


def volume_checks(operation: layers.MakeLogicalVolume, context: step_context.StepContext) -> Iterator[Check]:
    """Check a logical volume with LVM and the kernel."""
    wanted = {"lv_size": str(operation.size_bytes), "segtype": "linear", "seg_count": "1"}
    name = f"{operation.group}/{operation.name}"
    yield step_context.matched(lambda: _reported("lvs", wanted, name, context.do))
    node = operation.device
    yield step_context.matched(
        lambda: differences([("alignment_offset", arrays.read_geometry(node).alignment_offset_bytes, 0)])
    )


def _reported(kind: str, wanted: Mapping[str, str], what: str, do: step_context.Do) -> tuple[Message, ...]:
    row = next(iter(step_context.asked(kind, wanted, what, do)), {})
    return differences((key, row.get(key), value) for key, value in wanted.items())


STEPS: step_context.Steps = {
    # LVM cannot correct the data offset and size of a group later.
    layers.MakeVolumeGroup: (lambda _, context: context.run_commands(), group_checks),
    layers.MakeLogicalVolume: (_make_logical_volume, volume_checks),
}
