"""LVM volume group on one drive: identify, create, activate, dismantle and verify.

A group belongs to the run if it uses only the plan's partition, with the planned PV UUID.
"""

import os
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from wizard.apply.block.devices import (
    SYS_BLOCK,
    kernel_name,
    wait_for,
)
from wizard.apply.run.backup_store import LOOK_SECONDS
from wizard.apply.steps.array_checks import read_geometry
from wizard.apply.steps.arrays import (
    is_node_of,
    layers_on,
)
from wizard.apply.steps.step_context import (
    NO_NODE,
    Do,
    Finished,
    StepContext,
    asked,
    checked,
    demand,
    note_devices,
    physical_volumes_of,
)
from wizard.apply.steps.wipe import check_group_device
from wizard.model.errors import Failed, Refused, partition_path, printable
from wizard.model.layout import Group
from wizard.model.run import Check
from wizard.model.said import Message, t
from wizard.operations.layers import (
    DATA_BYTES,
    EXTENT_BYTES,
    LVM_WITHOUT_UDEV,
    MakeLogicalVolume,
    MakeVolumeGroup,
    physical_volume_uuid,
)
from wizard.plan.plan import Plan
from wizard.plan.raid.lvm import group_room_bytes
from wizard.process.program import run


def check_free_group(plan: Plan, group: Group) -> None:
    """Raises Refused if the group's name, or a node in it, is in use. LVM itself refuses existing UUIDs."""
    for node in (f"/dev/{group.name}", *(one.device for one in plan.logical_volumes)):
        if is_there(Path(node)):
            raise Refused(
                t(
                    "{node} already belongs to another volume group. Make a new plan. Nothing was written.",
                    node=node,
                )
            )
    # In the rehearsal, LVM sees only scratch copies. Only this check finds an inactive group with the same
    # name.
    taken = physical_volumes_of(group.name, partial(run, seconds=LOOK_SECONDS))
    if unexpected := [node for node in taken if plan.member(node) is None]:
        raise Refused(
            t(
                "The volume group {name} already exists on {places}. Make a new plan. Nothing was written.",
                name=group.name,
                places=", ".join(unexpected),
            )
        )


def is_there(node: Path) -> bool:
    """Return True if anything exists at an LVM node. Without udev, LVM leaves the group's folder with
    dangling links, and nodes without a device."""
    if node.is_dir():
        return any(map(is_there, node.iterdir()))
    if not node.is_block_device():
        return node.exists()
    number = node.stat().st_rdev
    return Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}").exists()


def running_volumes(plan: Plan, group: Group) -> tuple[str, ...]:
    """Return the nodes of the plan's active logical volumes. Raises Failed if anything else uses its
    partition."""
    own = {Path(one.device).name: one.device for one in plan.logical_volumes}
    found = []
    for node in layers_on((group.device,)):
        folder = SYS_BLOCK / kernel_name(node) / "dm"
        name = (folder / "name").read_text().strip() if folder.exists() else ""
        if name not in own or not (folder / "uuid").read_text().startswith("LVM-"):
            raise Failed(
                t(
                    "{node} uses a drive of this plan but is not planned, so it was not touched.",
                    node=node,
                )
            )
        found.append(own[name])
    return tuple(sorted(found))


def own_volume_node(plan: Plan, group: Group, device: str) -> None:
    """Raises Failed unless the device node belongs to the run's own active logical volume."""
    if (
        device not in running_volumes(plan, group)
        or not Path(device).is_block_device()
        or not is_node_of(device)
    ):
        raise Failed(t("{device} was not touched: this run did not make that logical volume.", device=device))


def group_uses(plan: Plan, group: Group, begun: frozenset[int]) -> frozenset[tuple[str, str]]:
    """Return the pairs of partition and logical volume by which the run itself uses its drive."""
    made = any(
        number in begun and isinstance(step.operation, MakeVolumeGroup)
        for number, step in enumerate(plan.steps, 1)
    )
    return frozenset((group.device, node) for node in running_volumes(plan, group)) if made else frozenset()


def activate(plan: Plan, group: Group, do: Do) -> None:
    """Activate the logical volumes of a rehearsed run on its drive. Raises Failed."""
    note_devices([group.device])
    check_group_device(plan)
    for one in plan.logical_volumes:
        if not Path(one.device).exists():
            do(("lvchange", *LVM_WITHOUT_UDEV, "--activate", "y", f"{one.group}/{one.name}"))


def deactivate(plan: Plan, group: Group, do: Do) -> None:
    """Deactivate the run's own volumes. Raises Failed if one is in use."""
    if running_volumes(plan, group):
        do(("vgchange", *LVM_WITHOUT_UDEV, "--activate", "n", group.name))


def _planned(group: Group) -> dict[str, str]:
    return {group.device: physical_volume_uuid(group.uuid)}


def make_logical_volume(operation: MakeLogicalVolume, context: StepContext) -> Message:
    """Create the logical volume, and return a summary. Raises Failed."""
    plan, group = context.plan, context.plan.group
    if group is None:
        raise Failed(t("The plan has no volume group."))
    for argv in operation.commands():
        context.command(argv)
    if missing := wait_for((operation.device,)):
        raise Failed(NO_NODE(node=missing))
    own_volume_node(plan, group, operation.device)
    demand(volume_checks((operation,), context.command))
    return t(
        "{device} has exactly {size} bytes, as planned according to LVM and the kernel.",
        device=operation.device,
        size=operation.size_bytes,
    )


def group_checks(operation: MakeVolumeGroup, finished: Finished) -> Iterator[Check]:
    """Check the group with LVM."""
    if finished.plan.group:
        yield from data_checks(finished.plan, finished.plan.group, finished.do)


def logical_checks(operation: MakeLogicalVolume, finished: Finished) -> Iterator[Check]:
    """Check a logical volume with LVM and the kernel."""
    yield from volume_checks((operation,), finished.do)


def data_checks(plan: Plan, group: Group, do: Do) -> Iterator[Check]:
    """Check the group and the data offset with LVM."""
    (row,) = asked("pvs", ("pv_uuid", "vg_name", "pe_start"), group.device, do) or ({},)
    wanted = {"pv_uuid": physical_volume_uuid(group.uuid), "vg_name": group.name, "pe_start": str(DATA_BYTES)}
    yield _compare(
        t(
            "LVM finds the data of {device} in {name} at offset {offset} bytes",
            device=group.device,
            name=group.name,
            offset=DATA_BYTES,
        ),
        wanted,
        row,
    )
    (slot,) = (
        slot for slot in plan.after.partitions if partition_path(plan.drive.path, slot.number) == group.device
    )
    (row,) = asked("vgs", ("pv_count", "vg_extent_size", "vg_size"), group.name, do) or ({},)
    room = group_room_bytes(slot.size_bytes)
    wanted = {"pv_count": "1", "vg_extent_size": str(EXTENT_BYTES), "vg_size": str(room)}
    yield _compare(
        t(
            "LVM reports {name} on this volume alone, with {room} bytes in extents of {extent}",
            name=group.name,
            room=room,
            extent=EXTENT_BYTES,
        ),
        wanted,
        row,
    )


def volume_checks(volumes: Sequence[MakeLogicalVolume], do: Do) -> Iterator[Check]:
    """Check all volumes with a single lvs call."""
    found = {
        row.get("lv_name"): row
        for row in asked("lvs", ("lv_name", "lv_size", "segtype", "seg_count"), volumes[0].group, do)
    }
    for one in volumes:
        wanted = {"lv_size": str(one.size_bytes), "segtype": "linear", "seg_count": "1"}
        what = t(
            "LVM reports {device} as linear, in one segment of {size} bytes",
            device=one.device,
            size=one.size_bytes,
        )
        yield _compare(what, wanted, found.get(one.name, {}))
        aligned = t("The kernel reports {device} aligned", device=one.device)
        try:
            offset = read_geometry(one.device).alignment_offset_bytes
        except Failed as error:
            yield checked(aligned, False, error)
        else:
            yield checked(aligned, offset == 0, t("offset {offset} bytes", offset=offset))


def _compare(what: Message, wanted: dict[str, str], seen: dict[str, str]) -> Check:
    differing = [
        str(t("{key} is {seen}, not {wanted}", key=key, seen=seen.get(key, t("nothing")), wanted=value))
        for key, value in wanted.items()
        if seen.get(key) != value
    ]
    return checked(what, not differing, printable("; ".join(differing), 200) or t("no difference"))


def make_group(operation: MakeVolumeGroup, context: StepContext) -> Message:
    """Create the physical volumes and the group, and return a summary. Raises Failed unless the group's data
    offset and size are as planned: they cannot be corrected later."""
    planned = {part: uuid for part, (_, uuid) in operation.made.items()}
    for argv in operation.commands():
        context.command(argv)
    if (seen := physical_volumes_of(operation.name, context.command)) != planned:
        found = tuple(seen) or t("no physical volume")
        raise Failed(
            t(
                "The volume group {name} has {seen:list} instead of {planned:list}.",
                name=operation.name,
                seen=found,
                planned=tuple(planned),
            )
        )
    if context.plan.group:
        demand(data_checks(context.plan, context.plan.group, context.command))
    return t("The volume group {name} has exactly the planned physical volume.", name=operation.name)
