"""Compare an existing volume group, md array or Btrfs with the requested one. Pure.

Generated names and assigned positions inside are ignored.
"""

from collections.abc import Iterator, Mapping, Sequence, Set

from wizard.model.errors import FrozenStruct
from wizard.model.layout import Stripe
from wizard.model.said import MIB, Message, Sentence, t, tn
from wizard.operations.layers import EXTENT_BYTES
from wizard.plan.desired_state import differences

LINEAR = "linear"

ROUNDED = 100
"""md reserves up to one part in this many of each member, plus `ROUNDED_BYTES`."""
ROUNDED_BYTES = 2 * MIB


class Logical(FrozenStruct):
    """An existing logical volume. `kind` is LVM's segtype."""

    name: str
    size_bytes: int
    kind: str = LINEAR


class GroupSeen(FrozenStruct):
    """LVM's report on a partition and the volume group. `physical`: all of its physical volumes, or empty.
    `misses`: a member is missing. `volumes`: its logical volumes."""

    part: str
    physical: frozenset[str] = frozenset()
    misses: bool = False
    volumes: tuple[Logical, ...] = ()


def group_differences(wanted: Mapping[str, int], seen: GroupSeen) -> Iterator[Message]:
    """Yield differences from a group on exactly this partition, with linear volumes of the `wanted` sizes."""
    if not seen.physical:
        yield t("LVM finds no volume group on {device}", device=seen.part)
        return
    group = t("the volume group on {device}", device=seen.part)
    yield from _member_differences(group, (seen.part,), seen.physical)
    if seen.misses:
        yield MISSES(what=group)
    yield from _member_differences(group, tuple(wanted), {one.name for one in seen.volumes})
    for name, size_bytes in wanted.items():
        # LVM reports each segment of a logical volume, and all of them must match.
        for current in dict.fromkeys(current for current in seen.volumes if current.name == name):
            if current.kind != LINEAR:
                yield differences.other(name, LAYOUT, current.kind, LINEAR)
            if abs(current.size_bytes - size_bytes) > EXTENT_BYTES:
                yield differences.OTHER_SIZE(device=name, found=current.size_bytes, wanted=size_bytes)


class ArraySeen(FrozenStruct):
    """An existing md array on the partitions, as the kernel reports it. `drives`: nominal number of members.
    `misses`: number of missing members. `parts`: active members. `room_bytes`: possible size at this level,
    None if unknown."""

    device: str
    level: str
    drives: str
    state: str
    parts: frozenset[str]
    misses: int = 0
    size_bytes: int = 0
    room_bytes: int | None = None


IDLE = ("clear", "inactive", "suspended", "broken")
"""States in which the array is not readable (Documentation/admin-guide/md.rst, array_state)."""


def array_differences(stripe: Stripe, parts: Sequence[str], seen: ArraySeen) -> Iterator[Message]:
    """Yield differences from the requested array on exactly these partitions."""
    if seen.state in IDLE:
        yield differences.not_running(parts)
        return
    if seen.level != stripe.level:
        yield differences.other(seen.device, LAYOUT, seen.level.upper(), stripe.level.upper())
    if seen.drives != str(len(parts)):
        yield differences.other(seen.device, DEVICES, seen.drives, len(parts))
    if seen.misses:
        yield tn(
            "{device} is missing a drive or still copying to it",
            "{device} is missing {count} drives",
            device=seen.device,
            count=seen.misses,
        )
    yield from _member_differences(seen.device, parts, seen.parts)
    room = seen.room_bytes
    if room is not None and room - seen.size_bytes > room // ROUNDED + ROUNDED_BYTES:
        yield differences.OTHER_SIZE(device=seen.device, found=seen.size_bytes, wanted=room)


LAYOUT = t("the layout")
MISSES = Sentence("{what} is missing a device")
DEVICES = t("the number of devices")


def _member_differences(what: Message | str, wanted: Sequence[str], found: Set[str]) -> Iterator[Message]:
    if lacking := tuple(one for one in wanted if one not in found):
        yield t("{what} lacks {members:and}", what=what, members=lacking)
    if more := tuple(sorted(found - {*wanted})):
        yield t("{what} also contains {members:and}", what=what, members=more)


class BtrfsMember(FrozenStruct):
    """A device of a Btrfs, from its superblock: filesystem UUID, device number, number of devices, and last
    generation."""

    device: str
    uuid: str
    number: int
    devices: int
    generation: int


class BtrfsSeen(FrozenStruct):
    """Devices and profiles of a Btrfs. `profiles`: profiles in capitals by type (DATA, METADATA, SYSTEM).

    `newest`: newest generation of all devices, read before each device's own. `used`: devices in use by the
    kernel, None if not mounted. `misses`: the kernel reports a missing device.
    """

    members: tuple[BtrfsMember, ...]
    profiles: Mapping[frozenset[str], frozenset[str]]
    newest: int
    used: frozenset[str] | None = None
    misses: bool = False


def btrfs_differences(stripe: Stripe, seen: BtrfsSeen) -> Iterator[Message]:
    """Yield differences from the requested Btrfs."""
    devices = tuple(member.device for member in seen.members)
    if len({member.uuid for member in seen.members}) > 1:
        yield t("{devices:and} belong to different volumes", devices=devices)
        return
    for member in seen.members:
        if member.devices != len(devices):
            yield differences.other(member.device, DEVICES, member.devices, len(devices))
    if len({member.number for member in seen.members}) < len(devices):
        yield t("{devices:and} have the same Btrfs device ID, so some are copies", devices=devices)
    if seen.used is not None:
        mounted = t("the mounted Btrfs")
        yield from _member_differences(mounted, devices, seen.used)
        if seen.misses:
            yield MISSES(what=mounted)
    # While mounted, the superblocks of one commit are written one after another.
    least = seen.newest - (0 if seen.used is None else 1)
    if outdated := tuple(member.device for member in seen.members if member.generation < least):
        yield t("{devices:and} missed the latest writes to the other drives", devices=outdated)
    metadata = "RAID1" if stripe.mirrors else stripe.metadata.upper()
    for types in sorted(seen.profiles, key=sorted):
        found = seen.profiles[types]
        # Mixed data and metadata are never created.
        wanted = {frozenset({"DATA"}): stripe.level.upper()}.get(types, metadata)
        if found != {wanted} or len(types) != 1:
            now, then = (f"{'+'.join(sorted(types))} {'+'.join(sorted(one))}" for one in (found, {wanted}))
            yield differences.other(devices[0], LAYOUT, now, then)
