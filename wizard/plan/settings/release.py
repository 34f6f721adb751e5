"""Plan to stop what a drive of another system carries: arrays, volume groups and open containers. Pure."""

import re
from collections.abc import Iterable

from wizard.model.errors import Refused
from wizard.model.machine import Drive, Layer, Machine, Signature
from wizard.model.said import Sentence, t
from wizard.operations.layers import StopLayer
from wizard.operations.operation import AS_SENTENCE
from wizard.plan.refusals import in_use

INNER = ("holder", "raid-member")
"""Uses by the layers themselves."""

ARRAY_PARTITION = re.compile(r"(/dev/md\d+)p\d+")
OTHER_LAYER = Sentence("diskwright cannot stop {layer} on {below}.")


def plan_release(
    machine: Machine, drive: Drive, *, has_all: bool = True
) -> tuple[tuple[StopLayer, ...], tuple[str, ...]]:
    """Return what to stop, the uppermost first, and the nodes with nothing above. Raises Refused.

    A volume group is stopped as a whole, also on other drives, whose layers must be in `machine`. Without
    `has_all`, missing drives are no reason to refuse.
    """
    drives = (drive, *(one for one in machine.drives if one.path != drive.path))
    stack = tuple(layer for one in drives for layer in one.layers)
    marks: dict[str, tuple[Signature, ...]] = {layer.path: layer.signatures for layer in stack}
    for one in drives:
        marks |= one.signatures_by_device
    groups = _groups(stack, marks)
    above = {layer.path for layer in drive.layers}
    while True:
        own = {groups.get(path) for path in above} - {None}
        more = {layer.path for layer in stack if layer.below in above or groups.get(layer.path) in own}
        if more <= above:
            break
        above |= more
    reached = above | {*drive.nodes}
    uses = [use for one in drives for use in one.uses if use.subject in reached and use.kind not in INNER]
    if uses:
        first = min(uses, key=lambda use: use.kind != "running-system")
        raise Refused(AS_SENTENCE(clause=in_use(first)))
    if not above:
        raise Refused(t("No array, volume group or container on {drive} is active.", drive=drive))
    layers = tuple(dict.fromkeys(layer for layer in stack if layer.path in above))
    operations = _operations(layers, marks, groups, has_all=has_all)
    below = {layer.below for layer in stack}
    return operations, tuple(sorted(above - below))


def _groups(stack: Iterable[Layer], marks: dict[str, tuple[Signature, ...]]) -> dict[str, str | None]:
    """Return the volume group of each logical volume, by the physical volume at the bottom."""
    groups: dict[str, str | None] = {}
    pending = [layer for layer in stack if layer.kind == "LVM"]
    for _ in range(len(pending)):
        for layer in pending:
            own = next(
                (mark.group for mark in marks.get(layer.below, ()) if mark.kind == "LVM2_member"), None
            )
            if found := own or groups.get(layer.below):
                groups[layer.path] = found
    return groups


def _operations(
    layers: tuple[Layer, ...],
    marks: dict[str, tuple[Signature, ...]],
    groups: dict[str, str | None],
    *,
    has_all: bool,
) -> tuple[StopLayer, ...]:
    """Return what to stop, the uppermost first. Raises Refused unless a group has as many devices as its
    metadata lists."""
    found: dict[str, StopLayer] = {}
    for layer in layers:
        below = tuple(sorted({one.below for one in layers if one.path == layer.path}))
        uuid = next(
            (mark.uuid for mark in marks.get(layer.below, ()) if mark.kind == "linux_raid_member"), None
        )
        if ARRAY_PARTITION.fullmatch(layer.path):
            continue
        if layer.kind.startswith("md") and uuid:
            found[layer.path] = StopLayer(layer.path, "md", below, uuid)
        elif layer.kind == "LUKS":
            found[layer.path] = StopLayer(layer.path, "luks", below)
        elif layer.kind == "LVM" and (group := groups.get(layer.path)):
            volumes = {path: mark for path, on in marks.items() for mark in on if mark.group == group}
            wanted = max(mark.devices or 0 for mark in volumes.values())
            if has_all and len(volumes) != wanted:
                raise Refused(
                    t(
                        "Found {found} of {wanted} devices of the volume group {group}.",
                        found=len(volumes),
                        group=group,
                        wanted=wanted,
                    )
                )
            found[group] = StopLayer(group, "lvm", tuple(sorted(volumes)))
        else:
            raise Refused(OTHER_LAYER(layer=f"{layer.kind} {layer.path}", below=layer.below))
    return _in_order(found.values(), groups)


def _in_order(operations: Iterable[StopLayer], groups: dict[str, str | None]) -> tuple[StopLayer, ...]:
    left, ordered = sorted(operations, key=lambda one: one.device), list[StopLayer]()
    while left:
        used = {member for one in left for member in one.members}
        arrays = {ARRAY_PARTITION.sub(r"\1", member) for member in used}
        below = used | arrays | {groups.get(member) for member in used}
        free = [one for one in left if one.device not in below]
        if not free:
            raise Refused(OTHER_LAYER(layer=left[0].device, below=" and ".join(left[0].members)))
        ordered += free
        left = [one for one in left if one not in free]
    return tuple(ordered)
