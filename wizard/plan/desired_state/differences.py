"""Compare a drive with the plan that a blank drive would get for the request. Pure.

Values that the request omits and each plan decides again, such as partition starts, are ignored.
"""

from collections.abc import Iterator, Sequence
from itertools import chain, combinations

from msgspec.structs import replace

from wizard.filesystems.registry import MADE
from wizard.findings.use import named_field
from wizard.model import layout
from wizard.model.ensure import Shape, VolumeShape, WantedVolume
from wizard.model.errors import partition_path
from wizard.model.geometry import Identity
from wizard.model.machine import Drive, Layer, Signature, Table, kinds_in
from wizard.model.said import Message, Sentence, Value, t, tn
from wizard.plan.plan import Plan
from wizard.plan.raid import striping
from wizard.plan.request.volume_request import places_of

CONTENT = t("the content")
OTHER_SIZE = Sentence("{device} has {found:round} instead of {wanted:round}")

UNKNOWN_CONTENTS = Sentence("the contents of {devices:and} are unknown; try `{command}`")


CONTAINER = "crypto_LUKS"
"""libblkid's TYPE of an encrypted container."""

ARRAYS = ("md", "LVM")
"""Prefixes of the kinds of md and LVM layers."""

DIGEST_CHARACTERS = 12
"""Characters of the content digest, enough to distinguish contents."""


def emptied(drive: Drive) -> Drive:
    """Return the drive as if empty. A plan for it describes the desired state."""
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
        data_at_bytes=None,
        lost=(),
    )


def as_it_is(
    requests: Sequence[WantedVolume], drive: Drive, layers: Sequence[Layer | None] = ()
) -> tuple[WantedVolume, ...]:
    """Fill in the existing filesystem in requests that name none, since recommendations may change but
    existing volumes stay as created. `layers`: devices of the volumes, if not partitions."""
    existing = {
        part.number: _on_layer(opened_on(drive, part.path)) or part.filesystem for part in drive.partitions
    }
    if layers:
        existing = {number: _on_layer(layer) for number, layer in enumerate(layers, 1)}
    return tuple(
        replace(asked, fs=found) if asked.fs is None and (found := existing.get(number)) in MADE else asked
        for number, asked in enumerate(requests, 1)
    )


def opened_on(drive: Drive, device: str) -> Layer | None:
    """Return the open device of an encrypted container, or None if closed."""
    return next((layer for layer in drive.layers if (layer.kind, layer.below) == ("LUKS", device)), None)


def array_on(drive: Drive) -> Layer | None:
    """Return the md or LVM device on the only partition of a drive. None if there is none, or more than
    one."""
    part = partition_path(drive.path, striping.NUMBER)
    found = [layer for layer in drive.layers if layer.below == part and layer.kind.startswith(ARRAYS)]
    return found[0] if len(found) == 1 else None


def _on_layer(layer: Layer | None) -> str | None:
    return layer.signatures[0].kind if layer and len(layer.signatures) == 1 else None


def layout_differences(plan: Plan, *drives: Drive) -> tuple[Message, ...]:
    """Return the differences of tables and filesystems from the plan, given its drives in order. Empty if
    they match."""
    found = [
        tuple(_layout_differences(member.after, drive, 2 * member.drive.geometry.grain_bytes))
        for member, drive in zip(plan.members, drives, strict=True)
    ]
    matching = tuple(drive.path for drive, messages in zip(drives, found, strict=True) if not messages)
    differences = tuple(message for one in found for message in one)
    if not (differences and matching and plan.stripe and plan.stripe.mirrors):
        return differences
    half = tn(
        "{drives:and} matches, and may contain all files of a mirror whose other drives are missing",
        "{drives:and} match, and may contain all files of a mirror whose other drives are missing",
        drives=matching,
        count=len(matching),
    )
    return (*differences, half)


def _layout_differences(wanted: layout.Layout, drive: Drive, tolerance_bytes: int) -> Iterator[Message]:
    kind = drive.table_kind
    if drive.signatures:
        yield other(drive.path, named_field("table"), kinds_in(drive.signatures), wanted.table)
        return
    if kind != wanted.table:
        yield other(drive.path, named_field("table"), kind, wanted.table)
        return
    numbers = [part.number for part in drive.partitions]
    if numbers != [slot.number for slot in wanted.partitions]:
        yield other(drive.path, t("the number of partitions"), len(numbers), len(wanted.partitions))
        return
    for slot, part in zip(wanted.partitions, drive.partitions, strict=True):
        device = part.path
        if abs(part.size_bytes - slot.size_bytes) > tolerance_bytes:
            yield OTHER_SIZE(device=device, found=part.size_bytes, wanted=slot.size_bytes)
        if part.type != slot.type:
            yield other(device, t("the partition type"), part.type, slot.type)
        if slot.opened is None:
            yield from held_differences(device, part.signatures, slot.filesystem, slot.label)
        elif [one.kind for one in part.signatures] != [CONTAINER]:
            yield other(device, CONTENT, kinds_in(part.signatures), CONTAINER)
        elif layer := opened_on(drive, device):
            yield from held_differences(layer.path, layer.signatures, slot.filesystem, slot.label)


def held_differences(
    device: str, found: Sequence[Signature], filesystem: str | None, label: str | None
) -> Iterator[Message]:
    """Yield differences of a device's contents from a filesystem with a label."""
    contents = kinds_in(found)
    if contents != (filesystem or "") or any(one.ambivalent for one in found):
        yield other(device, CONTENT, contents, filesystem)
    elif filesystem in striping.MEMBER_KINDS.values():
        # The label is the name of the array, which is generated.
        return
    elif (current := found[0].label if found else None) != label and (current or label):
        yield other(device, t("the label"), current, label)


def other(device: str, what: Value, found: "Value | None", wanted: "Value | None") -> Message:
    """Return the difference of a property of a device."""
    shown, asked = (t("nothing") if value in (None, "") else value for value in (found, wanted))
    return t(
        "{device}: {what} is {found} instead of {wanted}",
        device=device,
        what=what,
        found=shown,
        wanted=asked,
    )


def replace_value(*drives: Drive | Identity) -> str:
    """Return the `replace` value that allows losing the current contents of these drives. A change of
    contents invalidates the value; the order of the drives does not matter."""
    values = (f"{drive.token}:{(drive.content_digest or '')[:DIGEST_CHARACTERS]}" for drive in drives)
    return " + ".join(sorted(values))


def may_replace(
    value: str, held: Sequence[Drive | Identity], others: Sequence[Drive | Identity] = ()
) -> bool:
    """Return True if `value` allows losing the current contents of all these drives. It may also include some
    of the `others`, which have no recognised contents."""
    if not held or any(drive.content_digest is None for drive in (*held, *others)):
        return False
    more = chain.from_iterable(combinations(others, count) for count in range(len(others) + 1))
    return any(value == replace_value(*held, *some) for some in more)


def shape_of(drive: Drive, mount_points: dict[str, tuple[str, ...]]) -> Shape:
    """Return the current state of the drive. `mount_points` are from fstab, by device."""
    found: list[tuple[str, int | None, tuple[Signature, ...]]] = [
        (drive.path, drive.size_bytes, (one,)) for one in drive.signatures
    ]
    found += [(part.path, part.size_bytes, part.signatures) for part in drive.partitions]
    found += [
        (layer.path, layer.size_bytes, layer.signatures if _on_layer(layer) else ())
        for layer in drive.layers
        if layer.kind.startswith(ARRAYS)
    ]
    volumes = (
        VolumeShape(
            path,
            size or 0,
            kinds_in(marks) or None,
            marks[0].label if len(marks) == 1 else None,
            mount_points.get(path, ()),
        )
        for path, size, marks in found
    )
    return Shape(drive.table_kind, tuple(volumes))


def shapes_wanted(plan: Plan) -> tuple[Shape, ...]:
    """Return the planned state of each drive, in the plan's order. Each member of a Btrfs, and the container
    of an encrypted volume, has the volume's mount points."""
    places = {
        volume.device: () if volume.mount_point == layout.NO_PLACE else places_of(volume)
        for volume in plan.volumes
    }
    if plan.stripe and plan.stripe.kind == "btrfs":
        places = dict.fromkeys(striping.parts_of(plan.drives), *places.values())
    sizes = striping.volume_sizes(plan) if plan.group or (plan.stripe and plan.stripe.device) else {}
    layered = [
        VolumeShape(one.path, sizes[index], one.filesystem, one.label, places[one.path])
        for index, one in enumerate(plan.volumes)
        if index in sizes
    ]
    shapes = []
    for member in plan.members:
        volumes = []
        for slot in member.after.partitions:
            device = member.node(slot.number)
            filesystem, label = (slot.filesystem, slot.label) if slot.opened is None else (CONTAINER, None)
            volumes.append(VolumeShape(device, slot.size_bytes, filesystem, label, places.get(device, ())))
        shapes.append(Shape(member.after.table, (*volumes, *layered)))
    return tuple(shapes)
