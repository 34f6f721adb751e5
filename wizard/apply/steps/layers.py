"""The layer between partitions and filesystems: an array across drives, or an LVM group on one drive.

A plan has at most one layer. Also mounts volumes and checks that the owner can write.
"""

from wizard.apply.steps import arrays, lvm
from wizard.apply.steps.step_context import Do
from wizard.apply.system.edited_file import check_kernel
from wizard.model.said import t
from wizard.plan.plan import Plan


def layer_nodes(plan: Plan) -> tuple[str, ...]:
    """Return the devices that are formatted instead of partitions; empty without a layer."""
    array = (plan.stripe.device,) if plan.stripe and plan.stripe.device else ()
    return (*array, *(one.device for one in plan.logical_volumes))


def check_free_array(plan: Plan) -> None:
    """Raises Refused if a node, name or UUID planned for the layer is in use, or the kernel lacks LVM
    support."""
    for array in plan.arrays:
        arrays.check_free_array(array)
    if plan.group is None:
        return
    check_kernel("dm_mod", t("LVM"))
    lvm.check_free_group(plan, plan.group)


def own_array_node(plan: Plan, device: str, do: Do) -> None:
    """Raises Failed unless the device node belongs to what this run created."""
    for array in plan.arrays:
        arrays.own_array_node(array, do)
    if plan.group:
        lvm.own_volume_node(plan, plan.group, device)


def own_uses(plan: Plan, begun: frozenset[int], do: Do) -> frozenset[tuple[str, str]]:
    """Return the pairs of member and layer device by which the run itself uses its drives."""
    operations = [step.operation for number, step in enumerate(plan.steps, 1) if number in begun]
    made = [arrays.own_uses(array, do) for array in plan.arrays if array in operations]
    groups = lvm.group_uses(plan, plan.group, begun) if plan.group else frozenset()
    return frozenset().union(groups, *made)


def clear_drives(plan: Plan, do: Do) -> None:
    """Stop the layer of a run, which others may have activated by its signatures. Raises Failed if it is in
    use."""
    for array in plan.arrays:
        arrays.stop_own_array(array, do)
    if plan.group:
        lvm.deactivate(plan, plan.group, do)


def activate(plan: Plan, do: Do) -> None:
    """Activate the layer of a rehearsed run on its drives. Raises Failed."""
    for array in plan.arrays:
        arrays.assemble_own(array, do)
    if plan.group:
        lvm.activate(plan, plan.group, do)
