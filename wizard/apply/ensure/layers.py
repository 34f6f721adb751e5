"""Compare existing groups and arrays with the request. Never activates or assembles."""

import re
from collections.abc import Iterator, Sequence

from wizard.apply.block.devices import sysfs_folder
from wizard.apply.steps.step_context import asked
from wizard.model import layout
from wizard.model.errors import partition_path
from wizard.model.machine import Drive, Layer
from wizard.model.said import Message, t
from wizard.plan.desired_state import differences, layers
from wizard.plan.plan import Plan
from wizard.plan.raid.striping import NUMBER, room_bytes
from wizard.probe.host.sysfs import node_of, text
from wizard.process.program import run


def layers_of(plan: Plan, drives: Sequence[Drive]) -> tuple[Layer | None, ...]:
    """Return the device of each volume of the plan, or None if it does not exist or is inactive. Empty if the
    volumes are on partitions."""
    if plan.group:
        group = ("LVM", plan.group.device)
        paths = {one.path: one for one in drives[0].layers if (one.kind, one.below) == group}
        # The device mapper doubles hyphens in names; these names have none.
        names = [one.name for one in plan.logical_volumes]
        found = [
            [path for path in paths if re.search(rf"(?<!-)-{re.escape(name)}\Z", path)] for name in names
        ]
        return tuple(paths[one[0]] if len(one) == 1 else None for one in found)
    if plan.stripe and plan.stripe.kind != "btrfs":
        return (differences.array_on(drives[0]),)
    return ()


def array_faults(plan: Plan, drives: Sequence[Drive]) -> tuple[Message, ...]:
    """Describe differences of the group or array and the volumes, including unreadable ones if it is
    inactive. Raises Failed."""
    parts = tuple(partition_path(drive.path, NUMBER) for drive in drives)
    if plan.stripe and plan.stripe.kind == "md":
        faults = tuple(_md_faults(plan.stripe, parts, drives))
    else:
        sizes = {one.name: one.size_bytes for one in plan.logical_volumes}
        faults = tuple(layers.group_differences(sizes, _group(parts[0])))
    if faults:
        return faults
    names = [one.name for one in plan.logical_volumes] or [one.label for one in plan.volumes]
    found: list[Message] = []
    for name, volume, layer in zip(names, plan.volumes, layers_of(plan, drives), strict=True):
        if layer is None:
            command = "vgchange --activate y"
            found.append(differences.UNKNOWN_CONTENTS(devices=(name,), command=command))
        else:
            label = volume.label or None
            found += differences.held_differences(layer.path, layer.signatures, volume.filesystem, label)
    return tuple(found)


def _md_faults(stripe: layout.Stripe, parts: Sequence[str], drives: Sequence[Drive]) -> Iterator[Message]:
    arrays = [differences.array_on(drive) for drive in drives]
    found = [layer for layer in arrays if layer is not None]
    uuids = {
        one.uuid
        for drive, path in zip(drives, parts, strict=True)
        if (part := drive.partition(path))
        for one in part.signatures
    }
    if len(uuids) > 1 or len({layer.path for layer in found}) > 1:
        yield t("{devices:and} belong to different volumes", devices=tuple(parts))
        return
    if not found:
        yield differences.not_running(parts)
        return
    places = [
        (part.size_bytes - layer.offset_bytes)
        for drive, path, layer in zip(drives, parts, arrays, strict=True)
        if layer and layer.offset_bytes is not None and (part := drive.partition(path))
    ]
    room = room_bytes(stripe.kind, stripe.level, places) if len(places) == len(parts) else None
    layer, folder = found[0], sysfs_folder(found[0].path)
    seen = layers.ArraySeen(
        layer.path,
        text(folder / "md/level") or "",
        text(folder / "md/raid_disks") or "",
        text(folder / "md/array_state") or "",
        frozenset(node_of(slave.name) for slave in (folder / "slaves").glob("*")),
        _number(text(folder / "md/degraded") or ""),
        layer.size_bytes or 0,
        room,
    )
    yield from layers.array_differences(stripe, parts, seen)


def _group(part: str) -> layers.GroupSeen:
    name = group_of(part)
    if not name:
        return layers.GroupSeen(part)
    physical, misses = physical_in(name)
    fields = ("lv_name", "lv_size", "segtype")
    volumes = tuple(
        layers.Logical(row["lv_name"], _number(row["lv_size"]), row["segtype"])
        for row in asked("lvs", fields, name, run)
    )
    return layers.GroupSeen(part, physical, misses, volumes)


def _number(text: str) -> int:
    return int(text) if text.isdigit() else 0


def physical_in(group: str) -> tuple[frozenset[str], bool]:
    """Return the physical volumes of a group, and True if one is missing, whose name is then not a device
    node. Raises Failed."""
    rows = asked("pvs", ("pv_name", "vg_name", "pv_missing"), "--all", run)
    own = [row for row in rows if row.get("vg_name") == group]
    return frozenset(row["pv_name"] for row in own), any(row.get("pv_missing") for row in own)


def group_of(part: str) -> str:
    """Return the volume group of a physical volume; empty if none. Raises Failed."""
    (row,) = asked("pvs", ("pv_name", "vg_name"), part, run) or ({},)
    return row.get("vg_name", "")
