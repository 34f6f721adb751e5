"""Compare a drive with the plan that a blank drive would get for the request. Pure.

Values that the request omits and each plan decides again, such as partition starts, are ignored.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, combinations

from wizard.filesystems.registry import MADE
from wizard.model.ensure import Shape, VolumeShape
from wizard.model.errors import partition_path, printable
from wizard.model.geometry import Identity, grain_bytes
from wizard.model.machine import Drive, Layer, Machine, Partition, Signature, Table
from wizard.model.plan import Layout, Member, Plan, Slot
from wizard.model.said import Message, Sentence, Value, t, tn
from wizard.plan.raid.lvm import logical_volumes
from wizard.plan.raid.striping import MEMBER_KINDS, NUMBER, together_bytes
from wizard.plan.request.volume_request import VolumeRequest

# The document.


# Which drive.


# How it differs.
OTHER_SIZE = Sentence("{device} has {found:round} instead of {wanted:round}")

# How several drives differ that hold one volume together.
NOT_RUNNING = Sentence(
    "the array on {devices:and} is not running, so the contents are unknown; try `mdadm --assemble --scan`"
)


CONTAINER = "crypto_LUKS"
"""libblkid's TYPE of an encrypted container."""

ARRAYS = ("md", "LVM")
"""How the kinds of layers begin that md and LVM make."""

DIGEST_CHARACTERS = 12
"""Of the digest of what a drive holds: enough to tell one from the next."""


def emptied(drive: Drive) -> Drive:
    """The same drive as if it held nothing: what a plan would make of it then is what is wanted of it."""
    return replace(
        drive,
        table=Table("none"),
        signatures=(),
        partitions=(),
        free=(),
        layers=(),
        loaders=(),
        uses=(),
        superblock_copy_bytes=None,
        superblock_digest=None,
        waiting=None,
    )


def with_makers(machine: Machine) -> Machine:
    """The same machine as if it had every program that makes a filesystem: none is needed for one that is
    there."""
    makers = {program for kind in MADE.values() for program in kind.makers}
    missing = tuple((program, "") for program in sorted(makers) if not machine.has_tool(program))
    return replace(machine, tools=(*machine.tools, *missing))


def as_it_is(
    requests: Sequence[VolumeRequest], drive: Drive, layers: Sequence[Layer | None] = ()
) -> tuple[VolumeRequest, ...]:
    """The requests, where they name no filesystem with the one that is there: advice may change, and what is
    made does not. `layers` are what the volumes lie on, where that is no partitions."""
    there = {part.number: _held(drive, part) for part in drive.partitions}
    if layers:
        there = {number: _on_layer(layer) for number, layer in enumerate(layers, 1)}
    return tuple(
        replace(asked, filesystem=held)
        if asked.filesystem is None and (held := there.get(number)) in MADE
        else asked
        for number, asked in enumerate(requests, 1)
    )


def opened_on(drive: Drive, device: str) -> Layer | None:
    """What the encrypted container on a partition is open as; None where it is closed."""
    return next((layer for layer in drive.layers if (layer.kind, layer.below) == ("LUKS", device)), None)


def array_on(drive: Drive) -> Layer | None:
    """What md or LVM have put together on the one partition of a drive; None where nothing, or several."""
    part = partition_path(drive.path, NUMBER)
    found = [layer for layer in drive.layers if layer.below == part and layer.kind.startswith(ARRAYS)]
    return found[0] if len(found) == 1 else None


def _on_layer(layer: Layer | None) -> str | None:
    return layer.signatures[0].kind if layer and len(layer.signatures) == 1 else None


def _held(drive: Drive, part: Partition) -> str | None:
    """The filesystem on a partition, or in the open container there."""
    return _on_layer(opened_on(drive, part.path)) or part.filesystem


def layout_differences(plan: Plan, *drives: Drive) -> tuple[Message, ...]:
    """What the table and the filesystems on the plan's drives, in its order, have otherwise than the plan's;
    none where they hold it."""
    found = [_of_member(member, drive) for member, drive in zip(plan.members, drives, strict=True)]
    right = tuple(drive.path for drive, said in zip(drives, found, strict=True) if not said)
    every = tuple(said for one in found for said in one)
    is_half = every and right and plan.stripe and plan.stripe.mirrors
    return (
        (
            *every,
            tn(
                "{drives:and} matches, and may contain all files of a mirror whose other drives are missing",
                "{drives:and} match, and may contain all files of a mirror whose other drives are missing",
                drives=right,
                count=len(right),
            ),
        )
        if is_half
        else every
    )


def _of_member(member: Member, drive: Drive) -> tuple[Message, ...]:
    return tuple(_layout_differences(member.after, drive, 2 * grain_bytes(member.drive.geometry)))


def _layout_differences(wanted: Layout, drive: Drive, tolerance_bytes: int) -> Iterator[Message]:
    kind = drive.table.kind if drive.table else "unread"
    if drive.signatures:
        held = tuple(printable(one.kind, 40) for one in drive.signatures)
        yield t("{drive} has {held:and} instead of a partition table", drive=drive.path, held=held)
        return
    if kind != wanted.table:
        yield t(
            "{drive} has table {found} instead of {wanted}",
            drive=drive.path,
            found=kind,
            wanted=wanted.table,
        )
        return
    numbers = [part.number for part in drive.partitions]
    if numbers != [slot.number for slot in wanted.partitions]:
        yield t(
            "{drive} has {found} partitions instead of {wanted}",
            drive=drive.path,
            found=len(numbers),
            wanted=len(wanted.partitions),
        )
        return
    for slot in wanted.partitions:
        yield from _slot_differences(slot, drive, tolerance_bytes)


def _slot_differences(slot: Slot, drive: Drive, tolerance_bytes: int) -> Iterator[Message]:
    device = partition_path(drive.path, slot.number)
    part = drive.partition(device)
    if part is None:
        yield t("{device} does not exist", device=device)
        return
    if abs(part.size_bytes - slot.size_bytes) > tolerance_bytes:
        yield OTHER_SIZE(device=device, found=part.size_bytes, wanted=slot.size_bytes)
    if part.type != slot.type:
        yield _other(device, t("the partition type"), part.type, slot.type)
    if slot.opened is None:
        yield from held_differences(device, part.signatures, slot.filesystem, slot.label)
    elif [one.kind for one in part.signatures] != [CONTAINER]:
        held = "+".join(one.kind for one in part.signatures)
        yield _other(device, t("the content"), held, CONTAINER)
    elif layer := opened_on(drive, device):
        yield from held_differences(layer.path, layer.signatures, slot.filesystem, slot.label)


def held_differences(
    device: str, found: Sequence[Signature], filesystem: str | None, label: str | None
) -> Iterator[Message]:
    """How what is on a device differs from a filesystem with a label."""
    held = "+".join(one.kind for one in found)
    if held != (filesystem or "") or any(one.ambivalent for one in found):
        yield _other(device, t("the filesystem"), held, filesystem)
    elif filesystem in MEMBER_KINDS.values():
        # What is called so is the array, by a name that is drawn.
        return
    elif (there := found[0].label if found else None) != label and (there or label):
        yield _other(device, t("the label"), there, label)


def _other(device: str, what: Message, found: str | None, wanted: str | None) -> Message:
    def shown(text: str | None) -> Value:
        return printable(text, 80) if text else t("nothing")

    return t(
        "{device}: {what} is {found} instead of {wanted}",
        device=device,
        what=what,
        found=shown(found),
        wanted=shown(wanted),
    )


def replace_value(*drives: Drive | Identity) -> str:
    """What `replace` has to be so that what these drives hold now may be lost: once one holds something else,
    the same value says nothing of that. It hangs on no order."""
    values = (f"{drive.token}:{(drive.content_digest or '')[:DIGEST_CHARACTERS]}" for drive in drives)
    return " + ".join(sorted(values))


def may_replace(
    value: str, held: Sequence[Drive | Identity], others: Sequence[Drive | Identity] = ()
) -> bool:
    """Whether the document says that what is on all of these drives now may be lost, and nothing else but
    what is on some of the `others`, which are blank as far as anybody recognises."""
    if not held or any(drive.content_digest is None for drive in (*held, *others)):
        return False
    more = chain.from_iterable(combinations(others, count) for count in range(len(others) + 1))
    return any(value == replace_value(*held, *some) for some in more)


def shape_of(drive: Drive, mount_points: dict[str, tuple[str, ...]]) -> Shape:
    """The drive as it is; `mount_points` are those of fstab by device."""
    volumes = tuple(
        VolumeShape(
            part.path,
            part.size_bytes,
            "+".join(one.kind for one in part.signatures) or None,
            part.signatures[0].label if len(part.signatures) == 1 else None,
            mount_points.get(part.path, ()),
        )
        for part in drive.partitions
    )
    whole = tuple(
        VolumeShape(drive.path, drive.size_bytes or 0, one.kind, one.label, mount_points.get(drive.path, ()))
        for one in drive.signatures
    )
    above = tuple(
        VolumeShape(
            layer.path,
            layer.size_bytes or 0,
            _on_layer(layer),
            layer.signatures[0].label if len(layer.signatures) == 1 else None,
            mount_points.get(layer.path, ()),
        )
        for layer in drive.layers
        if layer.kind.startswith(ARRAYS)
    )
    return Shape(drive.table.kind if drive.table else "unread", (*whole, *volumes, *above))


def shapes_wanted(plan: Plan, mount_points: dict[str, tuple[str, ...]]) -> tuple[Shape, ...]:
    """Each drive as the plan would have it, in the plan's order."""
    return tuple(
        Shape(
            member.after.table,
            (
                *(_slot_shape(member, slot, mount_points) for slot in member.after.partitions),
                *_above(plan, mount_points),
            ),
        )
        for member in plan.members
    )


def _slot_shape(member: Member, slot: Slot, mount_points: dict[str, tuple[str, ...]]) -> VolumeShape:
    device = partition_path(member.drive.path, slot.number)
    filesystem, label = (slot.filesystem, slot.label) if slot.opened is None else (CONTAINER, None)
    return VolumeShape(device, slot.size_bytes, filesystem, label, mount_points.get(device, ()))


def _above(plan: Plan, mount_points: dict[str, tuple[str, ...]]) -> Iterator[VolumeShape]:
    """What is to lie on an array or in a group of the plan."""
    sizes = {one.device: one.size_bytes for one in logical_volumes(plan)}
    if plan.stripe and plan.stripe.device:
        sizes[plan.stripe.device] = together_bytes(plan)
    for volume in plan.volumes:
        if volume.path in sizes:
            places = mount_points.get(volume.path, ())
            yield VolumeShape(volume.path, sizes[volume.path], volume.filesystem, volume.label, places)
