"""Find uses and layers of a drive. Pure, from the raw graph."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from wizard.model.machine import Layer, Use
from wizard.model.said import Sentence, t
from wizard.probe.facts import RawBlock, RawGraph
from wizard.probe.host.sysfs import Mounted, mounts_in, node_of, swaps_in

HIDDEN_AT = Sentence("{place} in another session or container")
ANOTHER = t("another program")

SYSTEM_MOUNTS = frozenset({"/", "/boot", "/boot/efi", "/boot/firmware", "/efi", "/usr"})
LIVE_ROOTS = frozenset({"overlay", "squashfs", "tmpfs", "ramfs", "rootfs", "erofs", "aufs"})
ELSEWHERE = t("a hidden location")
DM_KINDS = {"LVM": "LVM", "CRYPT": "LUKS", "mpath": "multipath"}


class UseState(Struct, frozen=True):
    """Layers and uses of a drive, and our mount points and the kernel's names by node."""

    layers: tuple[Layer, ...]
    uses: tuple[Use, ...]
    mount_points: Mapping[str, tuple[str, ...]]
    names: Mapping[str, str]


def use_state(graph: RawGraph, names: Iterable[str], claimable: Mapping[str, bool]) -> UseState:
    """Return layers and uses of a drive's devices and all layers above."""
    base, path_of = tuple(names), partial(node, graph)
    edges = list(_edges(graph, base))
    devices = list(dict.fromkeys([*base, *(above for _, above in edges)]))
    mounts = mounts_of(graph)
    on = {name: _mounts_on(name, graph, mounts) for name in devices}
    own = {path_of(name): tuple(dict.fromkeys(m.mount_point for m in on[name] if m.ours)) for name in devices}
    # Filesystems that the kernel has open, possibly without a visible mount.
    active = {name for names in (*graph.active.values(), *graph.btrfs.values()) for name in names}
    swaps = swaps_in(graph.swaps)
    swapped = {*swaps} | {graph.numbers.get(path) for path in swaps}
    lower = []
    for below, above in edges:
        block = graph.blocks.get(above)
        kind = "raid-member" if block and block.md_level else "holder"
        if block and (block.backing_file or (block.disk or "").startswith("loop")):
            kind = "loop-backing"
        lower.append(Use(kind, path_of(below), path_of(above)))
    # The device with the image behind a mounted loop device is the boot medium.
    numbers = {mount.number for mount in mounts} if is_live(graph) else set()
    backed = (one for one in graph.blocks.values() if one.number in numbers)
    images = [one.backing_file for one in backed if one.backing_file]
    uses = [
        *(
            Use("mounted", path_of(name), one.mount_point if one.ours else HIDDEN_AT(place=one.mount_point))
            for name in devices
            for one in on[name]
        ),
        *(Use("mounted", path_of(name), ELSEWHERE) for name in devices if not on[name] and name in active),
        *(
            Use("swap", path_of(name), "swap")
            for name in devices
            if name in graph.blocks and {graph.blocks[name].number, node_of(name)} & swapped
        ),
        *lower,
        # Writes through another loop device change this one, unknown to the kernel.
        *(
            Use("loop-backing", path_of(name), path_of(other))
            for name in base
            for other, found in graph.blocks.items()
            if other != name
            and found.backing_inode
            and name in graph.blocks
            and found.backing_inode == graph.blocks[name].backing_inode
        ),
        *(
            Use("running-system", path_of(name), mount.mount_point)
            for name, found_on in on.items()
            for mount in found_on
            if mount.system
            and (
                mount.mount_point in SYSTEM_MOUNTS
                or any(image.startswith(mount.mount_point.rstrip("/") + "/") for image in images)
            )
        ),
    ]
    if not uses:
        uses += [Use("opened", path_of(name), ANOTHER) for name in base if claimable.get(name) is False]
    layers = (
        Layer(
            kind_of(above, graph.blocks.get(above)),
            path_of(above),
            path_of(below),
            own[path_of(above)],
        )
        for below, above in edges
    )
    names = {path_of(name): name for name in devices}
    return UseState(tuple(layers), tuple(dict.fromkeys(uses)), own, names)


def is_hidden(use: Use) -> bool:
    """Return True for a mount outside this session's namespace."""
    return use.kind == "mounted" and not isinstance(use.by, str)


def node(graph: RawGraph, name: str) -> str:
    """Return the device node, /dev/mapper/NAME for device-mapper devices."""
    block = graph.blocks.get(name)
    return f"/dev/mapper/{block.dm_name}" if block and block.dm_name else node_of(name)


def kind_of(name: str, block: RawBlock | None) -> str:
    """Return the kind of a layer."""
    if block and block.md_level:
        return f"md {block.md_level}"
    if name.startswith("dm-"):
        return DM_KINDS.get((block.dm_uuid or "").partition("-")[0], "dm") if block else "dm"
    return re.sub(r"\d.*$", "", name)


def mounts_of(graph: RawGraph) -> tuple[Mounted, ...]:
    """Return all recorded mounts, ours first."""
    found: dict[Mounted, None] = {}
    for space in sorted(graph.mounts, key=lambda space: not space.own):
        is_system = space.own or space.first
        for line in mounts_in(space.text):
            is_virtual = line.number.startswith("0:")
            number = graph.numbers.get(line.source, line.number) if is_virtual else line.number
            found[replace(line, number=number, ours=space.own, system=is_system)] = None
    return tuple(found)


def is_live(graph: RawGraph) -> bool:
    """Return True if the root is in memory or on an image, so that changes are lost."""
    roots = [mount for mount in mounts_of(graph) if mount.ours and mount.mount_point == "/"]
    return bool(roots) and roots[-1].filesystem in LIVE_ROOTS


def _edges(graph: RawGraph, base: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    pending, seen = list(base), set[tuple[str, str]]()
    while pending:
        name = pending.pop(0)
        block = graph.blocks.get(name)
        if block is None:
            continue
        loops = (other for other, found in graph.blocks.items() if found.backing_number == block.number)
        for above in (*block.holders, *loops):
            # A loop device's partitions are not its holders, but may be mounted.
            reached = [above, *(part for part, found in graph.blocks.items() if found.disk == above)]
            if (name, above) not in seen:
                seen.add((name, above))
                yield name, above
                pending += reached
                for part in reached[1:]:
                    yield name, part


def _mounts_on(name: str, graph: RawGraph, mounts: tuple[Mounted, ...]) -> list[Mounted]:
    """mountinfo names only one device of a Btrfs, which uses all of them."""
    block = graph.blocks.get(name)
    if block is None:
        return []
    numbers = {block.number}
    for members in graph.btrfs.values():
        if name in members:
            numbers |= {graph.blocks[member].number for member in members if member in graph.blocks}
    # Drop mounts in other namespaces if we have one, and bind mounts if the root is mounted.
    found = [mount for mount in mounts if mount.number in numbers]
    near = [mount for mount in found if mount.ours] or found
    whole = [mount for mount in near if mount.root == "/" or mount.mount_point in SYSTEM_MOUNTS]
    return whole if any(mount.root == "/" for mount in whole) else near
