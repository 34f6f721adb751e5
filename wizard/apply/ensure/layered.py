"""A volume group, or an md array, that is there on the drives that are meant: asked of LVM and of the kernel.
Looks; nothing is activated or assembled."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from wizard.apply.block.devices import SYS_BLOCK, kernel_name
from wizard.apply.run.environment import LOOK_SECONDS
from wizard.apply.steps.lvm import asked
from wizard.layout.ensured import words
from wizard.layout.ensured.differences import array_on
from wizard.layout.ensured.layered import (
    ArraySeen,
    GroupSeen,
    Logical,
    array_differences,
    array_room,
    content_differences,
    group_differences,
    logical_wanted,
)
from wizard.layout.several.striping import NUMBER
from wizard.model.machine import Drive, Layer
from wizard.model.names import partition_path
from wizard.model.plan import Plan, Stripe
from wizard.model.said import Said, t
from wizard.probe.host.sysfs import node_of
from wizard.tools.program import run

_look = partial(run, seconds=LOOK_SECONDS)


def layers_of(plan: Plan, drives: Sequence[Drive]) -> tuple[Layer | None, ...]:
    """What stands for each volume of the plan on these drives, None where that is not there or not active;
    none at all where the plan's volumes lie on partitions."""
    if plan.group:
        return tuple(_named(drives[0], plan.group.device, one.name) for one in logical_wanted(plan))
    if plan.stripe and plan.stripe.kind != "btrfs":
        return (array_on(drives[0]),)
    return ()


def _named(drive: Drive, device: str, name: str) -> Layer | None:
    """The active logical volume of this name on a partition. A hyphen in a name is doubled by the device
    mapper, and this name has none."""
    found = [
        layer
        for layer in drive.layers
        if (layer.kind, layer.below) == ("LVM", device)
        and layer.path.endswith(f"-{name}")
        and not layer.path.endswith(f"--{name}")
    ]
    return found[0] if len(found) == 1 else None


def array_faults(plan: Plan, drives: Sequence[Drive]) -> tuple[Said, ...]:
    """What differs of the group or the array, and of what its volumes hold; and what cannot be told, since
    it is not active. Raises Failed where LVM does not say."""
    parts = tuple(partition_path(drive.path, NUMBER) for drive in drives)
    if plan.stripe and plan.stripe.kind == "md":
        faults = tuple(_md_faults(plan.stripe, parts, drives))
    else:
        faults = tuple(group_differences(logical_wanted(plan), _group(parts)))
    if faults:
        return faults
    return tuple(_content_faults(plan, drives))


def _content_faults(plan: Plan, drives: Sequence[Drive]) -> Iterator[Said]:
    names = logical_wanted(plan)
    for at, (volume, layer) in enumerate(zip(plan.volumes, layers_of(plan, drives), strict=True)):
        if layer is None:
            yield t(
                "the logical volume {name} is not active, so what it holds is unknown; "
                "`vgchange --activate y` activates it",
                name=names[at].name if names else volume.label,
            )
        else:
            yield from content_differences(volume, layer)


def _md_faults(stripe: Stripe, parts: Sequence[str], drives: Sequence[Drive]) -> Iterator[Said]:
    arrays = [array_on(drive) for drive in drives]
    found = [layer for layer in arrays if layer is not None]
    uuids = {
        one.uuid
        for drive, path in zip(drives, parts, strict=True)
        if (part := drive.partition(path))
        for one in part.signatures
    }
    if len(uuids) > 1 or len({layer.path for layer in found}) > 1:
        yield t("{devices:and} are parts of different arrays", devices=tuple(parts))
        return
    if not found:
        yield words.NOT_RUNNING(devices=tuple(parts))
        return
    places = [
        (part.size_bytes - layer.offset_bytes)
        for drive, path, layer in zip(drives, parts, arrays, strict=True)
        if layer and layer.offset_bytes is not None and (part := drive.partition(path))
    ]
    room = array_room(stripe, places) if len(places) == len(parts) else None
    yield from array_differences(stripe, parts, _array(found[0], room))


def _array(layer: Layer, room: int | None) -> ArraySeen:
    folder = SYS_BLOCK / kernel_name(layer.path)
    misses = _text(folder, "degraded")
    return ArraySeen(
        layer.path,
        _text(folder, "level"),
        _text(folder, "raid_disks"),
        _text(folder, "array_state"),
        frozenset(node_of(slave.name) for slave in (folder / "slaves").glob("*")),
        _number(misses),
        layer.size_bytes or 0,
        room,
    )


def _text(folder: Path, name: str) -> str:
    with suppress(OSError):
        return (folder / "md" / name).read_text().strip()
    return ""


def _group(parts: Sequence[str]) -> GroupSeen:
    groups = tuple((part, group_of(part)) for part in parts)
    name = groups[0][1]
    if not name or len({group for _, group in groups}) > 1:
        return GroupSeen(groups)
    physical, misses = physical_in(name)
    fields = ("lv_name", "lv_size", "segtype", "stripes")
    volumes = tuple(
        Logical(row["lv_name"], _number(row["lv_size"]), row["segtype"], _number(row["stripes"]))
        for row in asked("lvs", fields, name, _look)
    )
    return GroupSeen(groups, physical, misses, volumes)


def _number(text: str) -> int:
    return int(text) if text.isdigit() else 0


def physical_in(group: str) -> tuple[frozenset[str], bool]:
    """The physical volumes of a group, and whether one is missing, whose node is then no node. Raises
    Failed."""
    rows = asked("pvs", ("pv_name", "vg_name", "pv_missing"), "--all", _look)
    own = [row for row in rows if row.get("vg_name") == group]
    return frozenset(row["pv_name"] for row in own), any(row.get("pv_missing") for row in own)


def group_of(part: str) -> str:
    """The group of a physical volume; empty for none. Raises Failed."""
    (row,) = asked("pvs", ("pv_name", "vg_name"), part, _look) or ({},)
    return row.get("vg_name", "")
