"""md arrays and LVM's striped volumes over the plan's drives: whether one is ours, made, put together again,
taken apart, as it should be.

An array is this run's own if it stands on nothing but partitions of the plan's drives and carries the UUID
that the plan drew for it.
"""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from wizard.apply.block.devices import (
    SYS_BLOCK,
    forget_caches,
    kernel_name,
    open_exclusively,
    size_bytes,
    start_bytes,
    wait_for,
)
from wizard.apply.block.extents import merged
from wizard.apply.run.environment import LOOK_SECONDS
from wizard.apply.run.vault import describe
from wizard.apply.steps.lvm import logical_names_in, physical_volumes_of
from wizard.apply.steps.step_context import Site
from wizard.layout.several.striping import layer_name, parts_of, striping_of
from wizard.layout.steps.commands import LVM_WITHOUT_UDEV, array_uuid, commands_of, physical_volume_uuid, wipe
from wizard.model.errors import Failed, Refused
from wizard.model.geometry import Geometry, misalignment_bytes, plausible_optimal_io_bytes
from wizard.model.journal import Check, Event
from wizard.model.machine import Extent, Striping
from wizard.model.names import printable
from wizard.model.plan import MakeArray, MakeStripedVolume, MakeVolumeGroup, Plan, Stripe
from wizard.model.units import MIB, format_exact
from wizard.probe.host.sysfs import node_of
from wizard.tools.run import Result, run

Do = Callable[[Sequence[str]], Result]
"""Runs a command to its end and says what came of it; raises Failed."""

SECTOR_BYTES = 512
"""What mdadm and the kernel count in, whatever a drive's blocks are."""

EDGE_BYTES = MIB
"""Of each part and end, what is saved: md's and LVM's own records lie within the first, older forms within
the last."""


def array_parts(plan: Plan) -> tuple[str, ...]:
    """The partitions that the plan's array stands on, in its order."""
    return parts_of([member.drive for member in plan.members])


def check_free_array(plan: Plan) -> None:
    """Raises Refused where the node, the group's name or the UUID that the plan's array is to have belongs to
    another.

    LVM itself refuses a UUID that any physical volume has; mdadm does not ask.
    """
    stripe = plan.stripe
    if stripe is None or stripe.kind == "btrfs":
        return
    taken = (
        _md_taken(stripe.device)
        if stripe.kind == "md"
        else Path(stripe.device).exists() or Path("/dev", stripe.name).exists()
    )
    if taken:
        raise Refused(f"{stripe.device} is taken by another array: make the plan again. Nothing was written.")
    if stripe.kind == "md":
        uuid = array_uuid(stripe.uuids[0])
        if f"UUID={uuid}" in run(("mdadm", "--detail", "--scan"), seconds=LOOK_SECONDS).output.split():
            raise Refused(f"Another array has the UUID {uuid}: make the plan again. Nothing was written.")


def taken_arrays() -> tuple[str, ...]:
    """The nodes of all md arrays that this machine has now."""
    found = (
        node_of(entry.name) for entry in sorted(SYS_BLOCK.glob("md*")) if not (entry / "partition").exists()
    )
    return tuple(node for node in found if _md_taken(node))


def _md_taken(node: str) -> bool:
    state = SYS_BLOCK / kernel_name(node) / "md/array_state"
    return (SYS_BLOCK / kernel_name(node)).exists() and not (
        state.exists() and state.read_text().strip() == "clear"
    )


def standing_on(parts: Sequence[str]) -> tuple[str, ...]:
    """The md arrays and device mapper's nodes that stand on these partitions, and on nothing else; by their
    kernel nodes."""
    names = {kernel_name(part) for part in parts}
    found = []
    for entry in sorted(Path("/sys/block").glob("*")):
        slaves = {slave.name for slave in (entry / "slaves").glob("*")}
        if slaves and slaves <= names and ((entry / "md").exists() or (entry / "dm").exists()):
            found.append(node_of(entry.name))
    return tuple(found)


def running_array(plan: Plan, do: Do) -> str | None:
    """The kernel node of the plan's own array where it runs, else None. Raises Failed for an array on its
    parts that is not its own."""
    stripe = plan.stripe
    if stripe is None or stripe.kind == "btrfs":
        return None
    for node in standing_on(array_parts(plan)):
        if not _is_own(node, stripe, do):
            raise Failed(
                f"{node} stands on the drives of this plan and is not what it makes: it was not touched."
            )
        return node
    return None


def _is_own(node: str, stripe: Stripe, do: Do) -> bool:
    if stripe.kind == "md":
        # An array that was never started tells nothing of itself yet; its parts do.
        said = do(("mdadm", "--detail", "--export", node)).output
        return f"MD_UUID={array_uuid(stripe.uuids[0])}" in said.splitlines()
    folder = SYS_BLOCK / kernel_name(node) / "dm"
    named = Path(stripe.device).name
    return (folder / "name").read_text().strip() == named and (folder / "uuid").read_text().startswith("LVM-")


def own_array_node(plan: Plan, do: Do) -> None:
    """Raises Failed unless the node of the plan's array is that of its own running array, whatever stands at
    that path."""
    node, device = running_array(plan, do), plan.stripe.device if plan.stripe else ""
    if (
        node is None
        or not Path(device).is_block_device()
        or kernel_name(device) != kernel_name(node)
        or not is_node_of(device)
    ):
        raise Failed(f"{device} was not touched: it is not the array that this run made.")


def is_node_of(device: str) -> bool:
    """Whether the node carries the number that the kernel gave to what its name says."""
    number = Path(device).stat().st_rdev
    return (
        SYS_BLOCK / kernel_name(device) / "dev"
    ).read_text().strip() == f"{os.major(number)}:{os.minor(number)}"


def own_uses(plan: Plan, begun: frozenset[int], do: Do) -> frozenset[tuple[str, str]]:
    """The pairs of a part and the array by which the run itself uses its drives."""
    made = any(
        number in begun and isinstance(step.operation, MakeArray | MakeVolumeGroup)
        for number, step in enumerate(plan.steps, 1)
    )
    if not made or plan.stripe is None or (node := running_array(plan, do)) is None:
        return frozenset()
    by = plan.stripe.device if plan.stripe.kind == "lvm" else node
    return frozenset((part, by) for part in array_parts(plan))


def bring_back(plan: Plan, begun: frozenset[int], done: frozenset[int], do: Do) -> None:
    """Put the run's array together again where it was made and does not run, or runs by another number.
    Raises Failed.

    A step that was only begun may have made it all the same, and somebody may have used it since.
    """
    stripe = plan.stripe
    for number, step in enumerate(plan.steps, 1):
        if number not in begun or stripe is None:
            continue
        match step.operation:
            case MakeArray(parts=parts, uuid=uuid) if number in done or _carry(parts, uuid, do):
                _assemble(plan, stripe, do)
            case MakeStripedVolume(group=group, name=name) if not Path(stripe.device).exists():
                if number in done or name in logical_names_in(group, do):
                    do(("lvchange", *LVM_WITHOUT_UDEV, "--activate", "y", f"{group}/{name}"))
            case _:
                pass


def _carry(parts: Sequence[str], uuid: str, do: Do) -> bool:
    """Whether all of these partitions have a record of the array with this UUID."""
    try:
        return all(
            f"MD_UUID={array_uuid(uuid)}" in do(("mdadm", "--examine", "--export", part)).output.splitlines()
            for part in parts
        )
    except Failed:
        # That is how mdadm ends for a partition without a record.
        return False


def _assemble(plan: Plan, stripe: Stripe, do: Do) -> None:
    node = running_array(plan, do)
    if node == stripe.device:
        return
    if node is not None:
        _stop(node, do)
    check_free_array(plan)
    do(("mdadm", "--assemble", stripe.device, f"--uuid={array_uuid(stripe.uuids[0])}", *array_parts(plan)))
    if missing := wait_for((stripe.device,)):
        raise Failed(f"The node {missing} did not appear.")


def _stop(node: str, do: Do) -> None:
    if reason := open_exclusively(node):
        raise Failed(f"{node} is in use: {reason}.")
    do(("mdadm", "--stop", node))


def check_apart(plan: Plan, do: Do) -> None:
    """Raises Failed where the run's own array is in use, or its group holds what this run did not put
    there."""
    stripe = plan.stripe
    if stripe is None or stripe.kind == "btrfs":
        return
    if (node := running_array(plan, do)) is not None and (reason := open_exclusively(node)):
        raise Failed(f"{stripe.device} is in use: {reason}.")
    if stripe.kind == "lvm" and (found := physical_volumes_of(stripe.name, do)):
        (volume,) = plan.volumes
        physical = {node for node, _ in found.items() - _planned_volumes(plan, stripe).items()}
        if strange := physical | {*logical_names_in(stripe.name, do)} - {layer_name(volume.label)}:
            names = printable(", ".join(sorted(strange)), 200)
            raise Failed(
                f"The volume group {stripe.name} was not touched: it has {names}, which this run did not "
                "make."
            )


def take_apart(plan: Plan, do: Do) -> None:
    """Stop the run's own array, so that its parts can be written; nothing where it does not run. Raises
    Failed where it is in use."""
    check_apart(plan, do)
    stripe = plan.stripe
    if stripe is None or stripe.kind == "btrfs":
        return
    if stripe.kind == "md":
        if (node := running_array(plan, do)) is not None:
            _stop(node, do)
        return
    if physical_volumes_of(stripe.name, do) == _planned_volumes(plan, stripe):
        do(("vgchange", *LVM_WITHOUT_UDEV, "--activate", "n", stripe.name))
        do(("vgremove", "--yes", *LVM_WITHOUT_UDEV, "--force", stripe.name))
    if (node := running_array(plan, do)) is not None:
        raise Failed(
            f"{node} could not be taken apart: {stripe.name} is not the volume group that this run made."
        )


def _planned_volumes(plan: Plan, stripe: Stripe) -> dict[str, str]:
    return dict(zip(array_parts(plan), map(physical_volume_uuid, stripe.uuids), strict=True))


def build(operation: MakeArray | MakeVolumeGroup | MakeStripedVolume, site: Site) -> str:
    """Carry out one of the steps by which an array comes to be; a sentence on what came of it. Raises
    Failed."""
    match operation:
        case MakeArray():
            return make_array(operation, site)
        case MakeVolumeGroup():
            return make_group(operation, site)
        case MakeStripedVolume():
            return make_striped_volume(operation, site)


def make_array(operation: MakeArray, site: Site) -> str:
    """Make the array, or take over the one that an earlier process of this run made before it could say
    so."""
    plan, stripe = site.plan, _stripe(site)
    if operation.level == "raid0":
        _save_edges(operation.parts, site)
    node = running_array(plan, site.command) if site.again else None
    if node is None and site.again and _carry(operation.parts, operation.uuid, site.command):
        _assemble(plan, stripe, site.command)
    elif node is None:
        check_free_array(plan)
        for argv in commands_of(operation):
            site.command(argv)
    else:
        _assemble(plan, stripe, site.command)
    if missing := wait_for((operation.device,)):
        raise Failed(f"The node {missing} did not appear.")
    if running_array(plan, site.command) != operation.device:
        raise Failed(f"{operation.device} does not stand on the parts that it was made of.")
    if wrong := [
        check
        for check in array_checks(plan, site.command)
        if not check.holds and check.what.startswith("mdadm")
    ]:
        raise Failed(f"{wrong[0].what}: {wrong[0].seen}.")
    return (
        f"{operation.device} is a {operation.level.upper()} over {len(operation.parts)} drives, and mdadm "
        "finds it as planned."
    )


def make_group(operation: MakeVolumeGroup, site: Site) -> str:
    """Make the physical volumes and their group; again from the start where an earlier process did not get to
    the end of it."""
    _save_edges(operation.parts, site)
    planned = dict(zip(operation.parts, map(physical_volume_uuid, operation.uuids), strict=True))
    if not site.again or physical_volumes_of(operation.name, site.command) != planned:
        for argv in (*(map(wipe, operation.parts) if site.again else ()), *commands_of(operation)):
            site.command(argv)
    if (seen := physical_volumes_of(operation.name, site.command)) != planned:
        raise Failed(
            f"The volume group {operation.name} has {', '.join(seen) or 'no physical volume'} instead of "
            f"{', '.join(planned)}."
        )
    many = "physical volume" if len(planned) == 1 else f"{len(planned)} physical volumes"
    return f"The volume group {operation.name} has exactly the planned {many}."


def make_striped_volume(operation: MakeStripedVolume, site: Site) -> str:
    """Make the logical volume, unless an earlier process of this run did."""
    if running_array(site.plan, site.command) is None:
        for argv in commands_of(operation):
            site.command(argv)
    if missing := wait_for((operation.device,)):
        raise Failed(f"The node {missing} did not appear.")
    if wrong := [
        check
        for check in array_checks(site.plan, site.command)
        if not check.holds and check.what.startswith("LVM")
    ]:
        raise Failed(f"{wrong[0].what}: {wrong[0].seen}.")
    return f"{operation.device} is striped over {operation.stripes} drives, and LVM finds it as planned."


def _stripe(site: Site) -> Stripe:
    if site.plan.stripe is None:
        raise Failed("The plan stripes nothing.")
    return site.plan.stripe


def _save_edges(parts: Sequence[str], site: Site) -> None:
    """Keep both ends of each part, where the array's own records are written; a stand-in has nothing to
    keep."""
    if site.rehearsed:
        return
    for part in parts:
        member = site.plan.member(part)
        if member is None:
            raise Failed(f"{part} is on none of the plan's drives.")
        start, size = start_bytes(part), size_bytes(part)
        edge = min(EDGE_BYTES, size)
        places = (Extent(start, edge), Extent(start + size - edge, edge))
        regions = merged(places, member.drive.geometry.logical_block_bytes, member.drive.size_bytes)
        site.vault.save(member.drive.path, regions, site.step)
        site.journal.add(Event.SAVED, f"Saved {describe(regions)} of {member.drive.path}.", step=site.step)
        forget_caches(part)


def array_checks(plan: Plan, do: Do) -> Iterator[Check]:
    """What must hold of the plan's array, by its own tool and by the kernel."""
    stripe = plan.stripe
    if stripe is None or stripe.kind == "btrfs":
        return
    parts = array_parts(plan)
    striping = None if stripe.mirrors else striping_of(stripe, len(plan.members))
    if stripe.kind == "md":
        yield from _md_checks(plan, stripe, parts, do)
    else:
        yield _lvm_check(plan, stripe, len(parts), do)
    geometries = [member.drive.geometry for member in plan.members]
    yield kernel_check(stripe.device, read_geometry(stripe.device), striping, geometries)


def _md_checks(plan: Plan, stripe: Stripe, parts: tuple[str, ...], do: Do) -> Iterator[Check]:
    uuid = array_uuid(stripe.uuids[0])
    wanted = {"MD_LEVEL": stripe.level, "MD_DEVICES": str(len(parts)), "MD_UUID": uuid}
    seen = exported(do(("mdadm", "--detail", "--export", stripe.device)).output)
    differing = [f"{key}={seen.get(key)}" for key, value in wanted.items() if seen.get(key) != value]
    what = f"a {stripe.level.upper()} of {len(parts)}"
    yield Check(
        f"mdadm finds {stripe.device} {what} with the planned UUID",
        not differing,
        "; ".join(differing) or uuid,
    )
    for member, part in zip(plan.members, parts, strict=True):
        said = do(("mdadm", "--examine", part)).output
        (slot,) = member.after.partitions
        yield part_check(part, said, stripe, slot.start_bytes, member.drive.geometry)


def part_check(part: str, said: str, stripe: Stripe, start_bytes: int, geometry: Geometry) -> Check:
    """Whether a part, which begins at that byte of its drive, is one of the planned array, with its data
    aligned, by what `mdadm --examine` said of it. Pure.
    """
    chunk, offset = examined_chunk(said), examined_offset(said)
    right = f"Array UUID : {array_uuid(stripe.uuids[0])}" in said
    aligned = offset is not None and misalignment_bytes(geometry, start_bytes + offset) == 0
    where = (
        "its data cannot be found"
        if offset is None
        else f"its data {offset} bytes in, {'' if aligned else 'not '}aligned"
    )
    if stripe.mirrors:
        bitmap = "Internal Bitmap :" in said
        seen = f"{where}, {'a' if bitmap else 'no'} bitmap"
        return Check(
            f"mdadm finds on {part} its part of that array, with a bitmap and aligned",
            right and aligned and bitmap,
            seen,
        )
    right = right and aligned and chunk == stripe.chunk_bytes
    return Check(
        f"mdadm finds on {part} its part of that array, with its chunk and aligned",
        right,
        f"{chunk} bytes, {where}",
    )


def exported(text: str) -> dict[str, str]:
    """mdadm's `--export`: lines of KEY=value. Pure."""
    return dict(line.partition("=")[::2] for line in text.splitlines() if "=" in line)


def examined_chunk(text: str) -> int | None:
    """The chunk in bytes from mdadm's `Chunk Size : 512K`; None where it says none. Pure."""
    match = re.search(r"(?m)^\s*Chunk Size : (\d+)([KM]?)", text)
    return int(match[1]) * {"": 1, "K": 1024, "M": MIB}[match[2]] if match else None


def examined_offset(text: str) -> int | None:
    """How many bytes into its part the array's data begin, from mdadm's `Data Offset : 2048 sectors`; None
    where it says none. Pure."""
    match = re.search(r"(?m)^\s*Data Offset : (\d+) sectors", text)
    return int(match[1]) * SECTOR_BYTES if match else None


def _lvm_check(plan: Plan, stripe: Stripe, count: int, do: Do) -> Check:
    (volume,) = plan.volumes
    name = f"{stripe.name}/{layer_name(volume.label)}"
    options = (
        "--noheadings",
        "--nosuffix",
        "--units",
        "b",
        "--separator",
        " ",
        "--options",
        "stripes,stripe_size",
    )
    seen = do(("lvs", *options, name)).output.split()
    return Check(
        f"LVM finds {name} striped over {count}, {format_exact(stripe.chunk_bytes)} each",
        seen == [str(count), str(stripe.chunk_bytes)],
        printable(" ".join(seen)),
    )


def read_geometry(node: str) -> Geometry:
    """A device's geometry by the kernel's word; raises Failed where it does not tell."""
    folder = SYS_BLOCK / kernel_name(node)
    try:
        logical, physical = (
            int((folder / "queue" / f"{name}_block_size").read_text()) for name in ("logical", "physical")
        )
        least, best = (
            int((folder / "queue" / f"{name}_io_size").read_text()) for name in ("minimum", "optimal")
        )
        return Geometry(logical, physical, int((folder / "alignment_offset").read_text()), least, best)
    except (OSError, ValueError) as error:
        raise Failed(f"What the kernel says of {node} could not be read: {error}.") from None


def kernel_check(device: str, seen: Geometry, striping: Striping | None, drives: Sequence[Geometry]) -> Check:
    """Whether the kernel advises for the array what was planned, which is no stripe for a mirror, and finds
    it aligned on every drive. Pure.

    The kernel takes the largest of the smallest sizes and the least common multiple of the best ones
    (block/blk-settings.c, blk_stack_limits); a best size of a drive's own that cannot be meant spoils that,
    which says nothing against the array.
    """
    what = f"The kernel advises for {device} what it was made with, and finds it aligned"
    said = (
        f"at least {seen.minimum_io_bytes}, at best {seen.optimal_io_bytes}, offset "
        f"{seen.alignment_offset_bytes}"
    )
    if any(drive.optimal_io_bytes and plausible_optimal_io_bytes(drive) is None for drive in drives):
        return Check(
            what,
            True,
            f"{said}: a drive's own optimal I/O size cannot be meant, so the kernel's sum of them tells "
            "nothing",
        )
    unit, width = (striping.unit_bytes, striping.width_bytes) if striping else (0, 0)
    least = max(unit, *(drive.minimum_io_bytes for drive in drives))
    best = seen.optimal_io_bytes > 0 and seen.optimal_io_bytes % (width or 1) == 0
    if all(not drive.optimal_io_bytes for drive in drives):
        best = seen.optimal_io_bytes == width
    return Check(what, seen.minimum_io_bytes == least and best and seen.alignment_offset_bytes == 0, said)
