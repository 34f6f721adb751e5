"""How a volume group, or an md array, that is there differs from the one that is wanted. Pure.

What it is called, and where in it something lies, is drawn or given out anew each time, and is no difference.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wizard.layout.ensured import words
from wizard.layout.ensured.differences import held_differences
from wizard.layout.group.grouping import EXTENT_BYTES, group_room_bytes, logical_volumes
from wizard.layout.several.striping import room_bytes
from wizard.model.machine import Layer
from wizard.model.operations.arrays import MakeStripedVolume
from wizard.model.plan import Plan, Stripe, Volume
from wizard.model.said import Said, Sentence, t, tn
from wizard.model.units import MIB

SPREAD = Sentence("{kind} over {parts}")

ROUNDED = 100
"""md keeps some of its parts for itself, up to one part in so many, and `ROUNDED_BYTES`."""
ROUNDED_BYTES = 2 * MIB


@dataclass(frozen=True, slots=True)
class Logical:
    """A logical volume, there or wanted: `kind` is LVM's segtype."""

    name: str
    size_bytes: int
    kind: str = "linear"
    stripes: int = 1


@dataclass(frozen=True, slots=True)
class GroupSeen:
    """What LVM says of the parts: of each the group, empty for none; and of the first one's group every
    physical volume, and whether one is missing, with its logical volumes."""

    groups: tuple[tuple[str, str], ...]
    physical: frozenset[str] = frozenset()
    misses: bool = False
    volumes: tuple[Logical, ...] = ()


def logical_wanted(plan: Plan) -> tuple[Logical, ...]:
    """The logical volumes that a plan makes, in its volumes' order."""
    if plan.group:
        return tuple(Logical(one.name, one.size_bytes) for one in logical_volumes(plan))
    made = (step.operation for step in plan.steps)
    room = group_room_bytes(
        min(slot.size_bytes for member in plan.members for slot in member.after.partitions)
    )
    return tuple(
        Logical(one.name, room * one.stripes, "striped", one.stripes)
        for one in made
        if isinstance(one, MakeStripedVolume)
    )


def group_differences(wanted: Sequence[Logical], seen: GroupSeen) -> Iterator[Said]:
    """What differs from the group that is wanted on exactly these parts; nothing where it is so."""
    parts = tuple(part for part, _ in seen.groups)
    if without := tuple(part for part, group in seen.groups if not group):
        yield t("LVM finds no volume group on {devices:and}", devices=without)
        return
    if len({group for _, group in seen.groups}) > 1:
        yield t("{devices:and} belong to different volume groups", devices=parts)
        return
    if more := tuple(sorted(seen.physical - {*parts})):
        yield t("the volume group on {devices:and} lies on {more:and}, too", devices=parts, more=more)
    if seen.misses:
        yield t("the volume group on {devices:and} misses a physical volume", devices=parts)
    if strange := tuple(sorted({one.name for one in seen.volumes} - {one.name for one in wanted})):
        yield t("the volume group holds {names:and}, too", names=strange)
    for one in wanted:
        # LVM tells each segment of a logical volume, and all of them have to be so.
        segments = dict.fromkeys(there for there in seen.volumes if there.name == one.name)
        for there in segments or (None,):
            yield from _logical_differences(one, there)


def _logical_differences(wanted: Logical, there: Logical | None) -> Iterator[Said]:
    if there is None:
        yield t("the volume group has no logical volume {name}", name=wanted.name)
        return
    if (there.kind, there.stripes) != (wanted.kind, wanted.stripes):
        yield t(
            "{name} is {found} instead of {wanted}",
            name=wanted.name,
            found=SPREAD(kind=there.kind, parts=there.stripes),
            wanted=SPREAD(kind=wanted.kind, parts=wanted.stripes),
        )
    if abs(there.size_bytes - wanted.size_bytes) > EXTENT_BYTES * wanted.stripes:
        yield words.OTHER_SIZE(device=wanted.name, found=there.size_bytes, wanted=wanted.size_bytes)


@dataclass(frozen=True, slots=True)
class ArraySeen:
    """An md array that stands on the parts, by the kernel's words: `drives` are how many it is of, `misses`
    how many of them are not in it, `parts` those that are. `room_bytes` is what its parts could hold by
    level, None where that is not known."""

    device: str
    level: str
    drives: str
    state: str
    parts: frozenset[str]
    misses: int = 0
    size_bytes: int = 0
    room_bytes: int | None = None


IDLE = ("clear", "inactive", "suspended", "broken")
"""States in which nothing can be read (Documentation/admin-guide/md.rst, array_state)."""


def array_differences(stripe: Stripe, parts: Sequence[str], seen: ArraySeen) -> Iterator[Said]:
    """What differs from the array that is wanted on exactly these parts; nothing where it is so."""
    if seen.state in IDLE:
        yield words.NOT_RUNNING(devices=tuple(parts))
        return
    if seen.level != stripe.level:
        yield t(
            "{device} is {found} instead of {wanted}",
            device=seen.device,
            found=seen.level.upper(),
            wanted=stripe.level.upper(),
        )
    if seen.drives != str(len(parts)):
        yield t(
            "{device} is of {found} drives instead of {wanted}",
            device=seen.device,
            found=seen.drives,
            wanted=len(parts),
        )
    if seen.misses:
        yield tn(
            "{device} lacks a drive, or still copies to it",
            "{device} lacks {count} drives",
            device=seen.device,
            count=seen.misses,
        )
    if without := tuple(part for part in parts if part not in seen.parts):
        yield t("{device} runs without {devices:and}", device=seen.device, devices=without)
    if more := tuple(sorted(seen.parts - {*parts})):
        yield t("{device} runs with {devices:and}, too", device=seen.device, devices=more)
    room = seen.room_bytes
    if room is not None and room - seen.size_bytes > room // ROUNDED + ROUNDED_BYTES:
        yield words.OTHER_SIZE(device=seen.device, found=seen.size_bytes, wanted=room)


def array_room(stripe: Stripe, parts: Sequence[int]) -> int:
    """What an array of this level holds on parts that have so many bytes for data."""
    return room_bytes(stripe.kind, stripe.level, parts)


def content_differences(volume: Volume, layer: Layer) -> Iterator[Said]:
    """What a layer holds otherwise than the volume that is wanted on it."""
    yield from held_differences(layer.path, layer.signatures, volume.filesystem, volume.label or None)
