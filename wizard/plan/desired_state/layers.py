"""Compare an existing volume group, md array or Btrfs with the requested one. Pure.

Names and positions inside are drawn or assigned each time, so they are ignored.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from wizard.model.machine import Layer
from wizard.model.operations import MakeStripedVolume
from wizard.model.plan import Plan, Stripe, Volume
from wizard.model.said import MIB, Message, Sentence, t, tn
from wizard.plan.desired_state import differences
from wizard.plan.desired_state.differences import held_differences
from wizard.plan.raid.lvm import EXTENT_BYTES, group_room_bytes, logical_volumes
from wizard.plan.raid.striping import room_bytes

SPREAD = Sentence("{kind} across {parts}")

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


def group_differences(wanted: Sequence[Logical], seen: GroupSeen) -> Iterator[Message]:
    """What differs from the group that is wanted on exactly these parts; nothing where it is so."""
    parts = tuple(part for part, _ in seen.groups)
    if without := tuple(part for part, group in seen.groups if not group):
        yield t("LVM finds no volume group on {devices:and}", devices=without)
        return
    if len({group for _, group in seen.groups}) > 1:
        yield t("{devices:and} belong to different volume groups", devices=parts)
        return
    if more := tuple(sorted(seen.physical - {*parts})):
        yield t("the volume group on {devices:and} also uses {more:and}", devices=parts, more=more)
    if seen.misses:
        yield t("the volume group on {devices:and} is missing a physical volume", devices=parts)
    if strange := tuple(sorted({one.name for one in seen.volumes} - {one.name for one in wanted})):
        yield t("the volume group also contains {names:and}", names=strange)
    for one in wanted:
        # LVM tells each segment of a logical volume, and all of them have to be so.
        segments = dict.fromkeys(there for there in seen.volumes if there.name == one.name)
        for there in segments or (None,):
            yield from _logical_differences(one, there)


def _logical_differences(wanted: Logical, there: Logical | None) -> Iterator[Message]:
    if there is None:
        yield t("the volume group lacks logical volume {name}", name=wanted.name)
        return
    if (there.kind, there.stripes) != (wanted.kind, wanted.stripes):
        yield t(
            "{name} is {found} instead of {wanted}",
            name=wanted.name,
            found=SPREAD(kind=there.kind, parts=there.stripes),
            wanted=SPREAD(kind=wanted.kind, parts=wanted.stripes),
        )
    if abs(there.size_bytes - wanted.size_bytes) > EXTENT_BYTES * wanted.stripes:
        yield differences.OTHER_SIZE(device=wanted.name, found=there.size_bytes, wanted=wanted.size_bytes)


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


def array_differences(stripe: Stripe, parts: Sequence[str], seen: ArraySeen) -> Iterator[Message]:
    """What differs from the array that is wanted on exactly these parts; nothing where it is so."""
    if seen.state in IDLE:
        yield differences.NOT_RUNNING(devices=tuple(parts))
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
            "{device} has {found} drives instead of {wanted}",
            device=seen.device,
            found=seen.drives,
            wanted=len(parts),
        )
    if seen.misses:
        yield tn(
            "{device} is missing a drive or still copying to it",
            "{device} is missing {count} drives",
            device=seen.device,
            count=seen.misses,
        )
    if without := tuple(part for part in parts if part not in seen.parts):
        yield t("{device} runs without {devices:and}", device=seen.device, devices=without)
    if more := tuple(sorted(seen.parts - {*parts})):
        yield t("{device} also includes {devices:and}", device=seen.device, devices=more)
    room = seen.room_bytes
    if room is not None and room - seen.size_bytes > room // ROUNDED + ROUNDED_BYTES:
        yield differences.OTHER_SIZE(device=seen.device, found=seen.size_bytes, wanted=room)


def array_room(stripe: Stripe, parts: Sequence[int]) -> int:
    """What an array of this level holds on parts that have so many bytes for data."""
    return room_bytes(stripe.kind, stripe.level, parts)


def content_differences(volume: Volume, layer: Layer) -> Iterator[Message]:
    """What a layer holds otherwise than the volume that is wanted on it."""
    yield from held_differences(layer.path, layer.signatures, volume.filesystem, volume.label or None)


OTHER_DEVICES = Sentence("{device}: the Btrfs uses {found} devices instead of {wanted}")

SINGLES = frozenset({"SYSTEM", "METADATA"})
"""What Btrfs keeps for itself; both are kept alike."""


@dataclass(frozen=True, slots=True)
class BtrfsMember:
    """One device of a Btrfs, by its superblock: the filesystem's UUID, the device's number in it, on how many
    devices it lies, and the generation of what was written last."""

    device: str
    uuid: str
    number: int
    devices: int
    generation: int


@dataclass(frozen=True, slots=True)
class BtrfsSeen:
    """The members, and how it keeps what is written: by what it is (DATA, METADATA, SYSTEM) the profiles, in
    capitals.

    `newest` is the newest generation of any member, read before each member's own. `used` are the devices
    that the kernel works with, None where it is not mounted; `misses` that it knows of one that is not there.
    """

    members: tuple[BtrfsMember, ...]
    profiles: Mapping[frozenset[str], frozenset[str]]
    newest: int
    used: frozenset[str] | None = None
    misses: bool = False


def alone_differences(device: str, devices: int) -> Iterator[Message]:
    """That a Btrfs which is wanted on one device alone lies on so many."""
    if devices != 1:
        yield OTHER_DEVICES(device=device, found=devices, wanted=1)


def btrfs_differences(stripe: Stripe, seen: BtrfsSeen) -> Iterator[Message]:
    """What differs from the Btrfs that is wanted; nothing where it is so."""
    devices = tuple(member.device for member in seen.members)
    if len({member.uuid for member in seen.members}) > 1:
        yield t("{devices:and} belong to different Btrfs filesystems", devices=devices)
        return
    for member in seen.members:
        if member.devices != len(devices):
            yield OTHER_DEVICES(device=member.device, found=member.devices, wanted=len(devices))
    if len({member.number for member in seen.members}) < len(devices):
        yield t("{devices:and} have the same Btrfs device ID, so some are copies", devices=devices)
    yield from _use_differences(devices, seen)
    # Of a mounted one the superblocks of one commit are written one after the other.
    least = seen.newest - (0 if seen.used is None else 1)
    if behind := tuple(member.device for member in seen.members if member.generation < least):
        yield t("{devices:and} missed the latest writes to the other drives", devices=behind)
    yield from _profile_differences(stripe, seen)


def _use_differences(devices: tuple[str, ...], seen: BtrfsSeen) -> Iterator[Message]:
    if seen.used is None:
        return
    if without := tuple(device for device in devices if device not in seen.used):
        yield t("the Btrfs is mounted without {devices:and}", devices=without)
    if more := tuple(sorted(seen.used - {*devices})):
        yield t("the mounted Btrfs also uses {devices:and}", devices=more)
    if seen.misses:
        yield t("the kernel reports a missing Btrfs device")


def _profile_differences(stripe: Stripe, seen: BtrfsSeen) -> Iterator[Message]:
    records = "RAID1" if stripe.mirrors else stripe.metadata.upper()
    for holds in sorted(seen.profiles, key=sorted):
        found = seen.profiles[holds]
        # What holds files and records alike is never made so.
        wanted = {frozenset({"DATA"}): stripe.level.upper()}.get(holds, records)
        if found != {wanted} or len(holds) != 1:
            what = t("metadata") if holds <= SINGLES else t("files")
            yield t(
                "the Btrfs stores {what} as {found:and} instead of {wanted}",
                what=what,
                found=tuple(sorted(found)),
                wanted=wanted,
            )
