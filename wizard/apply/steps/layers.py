"""What stands between partitions and filesystems: an array over several drives, or LVM's volume group on one.
A plan has one at most."""

from collections.abc import Iterator

from wizard.apply.steps import array_checks as array_checking
from wizard.apply.steps import arrays, groups, making_arrays
from wizard.apply.steps.lvm import Do
from wizard.apply.steps.step_context import Site
from wizard.apply.system.kernel_modules import kernel_has
from wizard.layout.group.grouping import logical_volumes
from wizard.model.errors import Refused
from wizard.model.journal import Check
from wizard.model.operations.arrays import MakeArray, MakeStripedVolume, MakeVolumeGroup
from wizard.model.operations.group import MakeLogicalVolume
from wizard.model.plan import Plan
from wizard.model.said import Said, t


def layer_nodes(plan: Plan) -> tuple[str, ...]:
    """The nodes that are formatted instead of partitions; none where partitions are."""
    array = (plan.stripe.device,) if plan.stripe and plan.stripe.device else ()
    return (*array, *(one.device for one in logical_volumes(plan)))


def running_layers(plan: Plan, do: Do) -> tuple[tuple[str, str], ...]:
    """Each of those nodes that runs, with the node that it has now. Raises Failed for what is not the plan's
    own."""
    if plan.group:
        return tuple((node, node) for node in groups.running_volumes(plan, plan.group))
    node = arrays.running_array(plan, do)
    return ((plan.stripe.device, node),) if plan.stripe and node else ()


def check_free_array(plan: Plan) -> None:
    """Raises Refused where a node, a name or a UUID that is to be made belongs to another, or the kernel
    cannot have LVM's volumes."""
    if (plan.group or (plan.stripe and plan.stripe.kind == "lvm")) and not kernel_has("dm_mod"):
        raise Refused(
            t(
                "This kernel cannot have LVM's volumes: it has no device mapper, and no "
                "module of it. Nothing was written."
            )
        )
    if plan.group:
        groups.check_free_group(plan, plan.group)
    else:
        arrays.check_free_array(plan)


def own_array_node(plan: Plan, device: str, do: Do) -> None:
    """Raises Failed unless the node is that of what this run made, whatever stands at that path."""
    if plan.group:
        groups.own_volume_node(plan, plan.group, device)
    else:
        arrays.own_array_node(plan, do)


def own_uses(plan: Plan, begun: frozenset[int], do: Do) -> frozenset[tuple[str, str]]:
    """The pairs of a part and what stands on it by which the run itself uses its drives."""
    return groups.group_uses(plan, plan.group, begun) if plan.group else arrays.own_uses(plan, begun, do)


def bring_back(plan: Plan, begun: frozenset[int], done: frozenset[int], do: Do) -> None:
    """Have what the run made stand again. Raises Failed."""
    if plan.group:
        groups.bring_group_back(plan, begun, done, do)
    else:
        arrays.bring_back(plan, begun, done, do)


def check_apart(plan: Plan, do: Do) -> None:
    """Raises Failed where what the run made is in use, or holds what it did not put there."""
    if plan.group:
        groups.check_group_apart(plan, plan.group, do)
    else:
        arrays.check_apart(plan, do)


def take_apart(plan: Plan, do: Do) -> None:
    """Take apart what the run made, so that its parts can be written. Raises Failed where it is in use."""
    if plan.group:
        groups.take_group_apart(plan, plan.group, do)
    else:
        arrays.take_apart(plan, do)


def clear_drives(plan: Plan, do: Do) -> None:
    """Stop what stands on the drives of a rehearsed run, which another put together when it saw their marks.
    Raises Failed where it is in use."""
    if plan.group:
        groups.deactivate(plan, plan.group, do)
    else:
        arrays.stop_own_array(plan, do)


def put_up(plan: Plan, do: Do) -> None:
    """Have what a rehearsed run made stand on its drives. Raises Failed."""
    if plan.group:
        groups.put_up(plan, plan.group, do)
    else:
        arrays.put_up(plan, do)


def build(operation: MakeArray | MakeVolumeGroup | MakeStripedVolume | MakeLogicalVolume, site: Site) -> Said:
    """Carry out one of the steps by which it comes to be; a sentence on what came of it. Raises Failed."""
    if isinstance(operation, MakeLogicalVolume):
        return groups.make_logical_volume(operation, site)
    said = making_arrays.build(operation, site)
    if site.plan.group:
        groups.check_data(site.plan, site.plan.group, site.command)
    return said


def array_checks(plan: Plan, do: Do) -> Iterator[Check]:
    """What must hold of it, by its own tools and by the kernel."""
    return groups.group_checks(plan, plan.group, do) if plan.group else array_checking.array_checks(plan, do)
