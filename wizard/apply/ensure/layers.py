"""Compare existing volume groups, md arrays and Btrfs with the request, and find volumes on further drives.

Never activates or assembles. Generated names and assigned positions inside are ignored.
"""

import re
from collections.abc import Iterator, Mapping, Sequence, Set

from wizard.apply.block.devices import sysfs_folder
from wizard.apply.resize import resized
from wizard.apply.steps.arrays import exported
from wizard.apply.steps.step_context import asked
from wizard.documents.files import UNREADABLE
from wizard.model import layout
from wizard.model.errors import Failed, Refused, partition_path
from wizard.model.machine import Drive, Layer
from wizard.model.said import MIB, Message, Sentence, failing, t, tn
from wizard.operations.layers import EXTENT_BYTES
from wizard.plan.desired_state import differences
from wizard.plan.plan import Plan
from wizard.plan.raid.striping import MEMBER_KINDS, NUMBER, room_bytes
from wizard.plan.settings.possible import HIDDEN
from wizard.probe.host import sysfs
from wizard.probe.host.uses import is_hidden
from wizard.process.program import run

LINEAR = "linear"
"""LVM's segtype of the volumes that diskwright creates."""

ROUNDED = 100
"""md reserves up to one part in this many of each member, plus `ROUNDED_BYTES`."""
ROUNDED_BYTES = 2 * MIB

IDLE = ("clear", "inactive", "suspended", "broken")
"""States in which the array is not readable (Documentation/admin-guide/md.rst, array_state)."""

SPACES = re.compile(r"(?m)^([A-Za-z+]+), (\w+): total=(\d+)")
"""A line of `btrfs filesystem df --raw` on a type of chunk."""

LAYOUT = t("the layout")
MISSES = Sentence("{what} is missing a device")
DEVICES = t("the number of devices")
APART = Sentence("{devices:and} belong to different volumes")


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


def together_faults(plan: Plan, drives: Sequence[Drive]) -> tuple[Message, ...]:
    """Describe differences beyond tables and labels, including unreadable volumes if their group or array is
    inactive. Raises Refused and Failed if they cannot be read."""
    parts = tuple(partition_path(drive.path, NUMBER) for drive in drives)
    found: list[Message] = []
    if plan.stripe:
        found += (md_faults if plan.stripe.kind == "md" else btrfs_faults)(plan.stripe, parts, drives)
    elif plan.group:
        found += group_faults({one.name: one.size_bytes for one in plan.logical_volumes}, parts[0])
    else:
        # Table and label do not show if a Btrfs requested on one partition spans several devices.
        for volume in plan.volumes:
            opened = differences.opened_on(drives[0], volume.device)
            device = opened.path if opened else "" if volume.encryption else volume.path
            if volume.filesystem == "btrfs" and device and (count := _number(device, "num_devices")) != 1:
                found.append(differences.other(device, DEVICES, count, 1))
    if found:
        return tuple(found)
    names = [one.name for one in plan.logical_volumes] or [one.label for one in plan.volumes]
    for name, volume, layer in zip(names, plan.volumes, layers_of(plan, drives), strict=False):
        if layer is None:
            command = "vgchange --activate y"
            found.append(differences.UNKNOWN_CONTENTS(devices=(name,), command=command))
        else:
            label = volume.label or None
            found += differences.held_differences(layer.path, layer.signatures, volume.filesystem, label)
    return tuple(found)


def _member_faults(what: Message | str, wanted: Sequence[str], found: Set[str]) -> Iterator[Message]:
    if lacking := tuple(one for one in wanted if one not in found):
        yield t("{what} lacks {members:and}", what=what, members=lacking)
    if more := tuple(sorted(found - {*wanted})):
        yield t("{what} also contains {members:and}", what=what, members=more)


def group_faults(wanted: Mapping[str, int], part: str) -> Iterator[Message]:
    """Yield differences from a group on exactly this partition, with linear volumes of the `wanted` sizes.
    Raises Failed."""
    name, group = _group_of(part), t("the volume group on {device}", device=part)
    if not name:
        yield t("LVM finds no volume group on {device}", device=part)
        return
    physical, misses = _physical_in(name)
    yield from _member_faults(group, (part,), physical)
    if misses:
        yield MISSES(what=group)
    # LVM reports each segment of a logical volume, and all of them must match.
    rows = asked("lvs", ("lv_name", "lv_size", "segtype"), name, run)
    segments = dict.fromkeys((row["lv_name"], row["segtype"], _digits(row["lv_size"])) for row in rows)
    yield from _member_faults(group, tuple(wanted), {volume for volume, *_ in segments})
    for volume, kind, size in segments:
        if volume in wanted and kind != LINEAR:
            yield differences.other(volume, LAYOUT, kind, LINEAR)
        if volume in wanted and abs(size - wanted[volume]) > EXTENT_BYTES:
            yield differences.OTHER_SIZE(device=volume, found=size, wanted=wanted[volume])


def _digits(text: str | None) -> int:
    return int(text) if text and text.isdigit() else 0


def _physical_in(group: str) -> tuple[frozenset[str], bool]:
    """Return the physical volumes of a group, and True if one is missing, whose name is then not a device
    node. Raises Failed."""
    rows = asked("pvs", ("pv_name", "vg_name", "pv_missing"), "--all", run)
    own = [row for row in rows if row.get("vg_name") == group]
    return frozenset(row["pv_name"] for row in own), any(row.get("pv_missing") for row in own)


def _group_of(part: str) -> str:
    """Return the volume group of a physical volume; empty if none. Raises Failed."""
    (row,) = asked("pvs", ("pv_name", "vg_name"), part, run) or ({},)
    return row.get("vg_name", "")


def md_faults(stripe: layout.Stripe, parts: Sequence[str], drives: Sequence[Drive]) -> Iterator[Message]:
    """Yield differences from the requested array on exactly these partitions, as the kernel reports it."""
    arrays = [differences.array_on(drive) for drive in drives]
    nodes = [drive.partition(part) for drive, part in zip(drives, parts, strict=True)]
    uuids = {one.uuid for node in nodes if node for one in node.signatures}
    found = {layer.path: layer for layer in arrays if layer}
    if len(uuids) > 1 or len(found) > 1:
        yield APART(devices=tuple(parts))
        return
    unknown = differences.UNKNOWN_CONTENTS(devices=tuple(parts), command="mdadm --assemble --scan")
    if not found:
        yield unknown
        return
    ((path, layer),) = found.items()
    folder = sysfs_folder(path)
    level, disks, state, degraded = (
        sysfs.text(folder / "md" / name) or "" for name in ("level", "raid_disks", "array_state", "degraded")
    )
    if state in IDLE:
        yield unknown
        return
    if level != stripe.level:
        yield differences.other(path, LAYOUT, level.upper(), stripe.level.upper())
    if disks != str(len(parts)):
        yield differences.other(path, DEVICES, disks, len(parts))
    if misses := _digits(degraded):
        yield tn(
            "{device} is missing a drive or still copying to it",
            "{device} is missing {count} drives",
            device=path,
            count=misses,
        )
    yield from _member_faults(
        path, parts, {sysfs.node_of(slave.name) for slave in (folder / "slaves").glob("*")}
    )
    places = [
        node.size_bytes - own.offset_bytes
        for node, own in zip(nodes, arrays, strict=True)
        if node and own and own.offset_bytes is not None
    ]
    room, size = room_bytes(stripe.kind, stripe.level, places), layer.size_bytes or 0
    if len(places) == len(parts) and room - size > room // ROUNDED + ROUNDED_BYTES:
        yield differences.OTHER_SIZE(device=path, found=size, wanted=room)


def _number(part: str, name: str) -> int:
    return resized.number_in(run((*resized.BTRFS_SUPERBLOCK, part)).output, name)


def _profile_faults(stripe: layout.Stripe, parts: Sequence[str], place: str) -> Iterator[Message]:
    """Yield differences of the profiles, by the kernel if mounted at `place`, because the metadata then
    changes all the time. Raises Failed."""
    if place:
        spaces = SPACES.findall(run(("btrfs", "filesystem", "df", "--raw", place)).output)
        # GlobalReserve is not a chunk, but a reserve in metadata chunks.
        chunks = {
            (frozenset(types.upper().split("+")), profile)
            for types, profile, size in spaces
            if types != "GlobalReserve" and int(size)
        }
        if not spaces:
            raise Failed(resized.NOT_TOLD(program="btrfs", what=(place,)))
    else:
        chunks = {*resized.chunks_in(run((*resized.BTRFS_CHUNKS, *parts)).output)}
    metadata = "RAID1" if stripe.mirrors else stripe.metadata.upper()
    for types in sorted({types for types, _ in chunks}, key=sorted):
        profiles = {profile.upper() for other, profile in chunks if other == types}
        # Mixed data and metadata are never created.
        wanted = {frozenset({"DATA"}): stripe.level.upper()}.get(types, metadata)
        if profiles != {wanted} or len(types) != 1:
            now, then = (f"{'+'.join(sorted(types))} {'+'.join(sorted(one))}" for one in (profiles, {wanted}))
            yield differences.other(parts[0], LAYOUT, now, then)


def btrfs_faults(stripe: layout.Stripe, parts: Sequence[str], drives: Sequence[Drive]) -> Iterator[Message]:
    """Yield differences from the requested Btrfs. Raises Refused and Failed."""
    # Read the generation first, so it is not newer than the other values.
    newest = max(_number(part, "generation") for part in parts)
    texts = {part: run((*resized.BTRFS_SUPERBLOCK, part)).output for part in parts}
    ids, counts, generations = (
        {part: resized.number_in(text, name) for part, text in texts.items()}
        for name in ("dev_item.devid", "num_devices", "generation")
    )
    held = {device: mark.uuid for drive in drives for device, mark in drive.marks}
    if len({held.get(part) for part in parts}) > 1:
        yield APART(devices=tuple(parts))
        return
    for part, count in counts.items():
        if count != len(parts):
            yield differences.other(part, DEVICES, count, len(parts))
    if len({*ids.values()}) < len(parts):
        yield t("{devices:and} have the same Btrfs device ID, so some are copies", devices=tuple(parts))
    uses = [use for drive in drives for use in drive.uses if use.kind == "mounted" and use.subject in parts]
    if hidden := next(filter(is_hidden, uses), None):
        raise Refused(HIDDEN(device=hidden.subject))
    if uses:
        # What the kernel uses (sysfs-fs-btrfs).
        folder, mounted = sysfs.SYS / "fs/btrfs" / (held.get(parts[0]) or ""), t("the mounted Btrfs")
        with failing(UNREADABLE, Refused, file=folder):
            used = {sysfs.node_of(entry.name) for entry in (folder / "devices").iterdir()}
        yield from _member_faults(mounted, parts, used)
        if any(sysfs.text(file) not in (None, "0") for file in folder.glob("devinfo/*/missing")):
            yield MISSES(what=mounted)
    # While mounted, the superblocks of one commit are written one after another.
    least = newest - bool(uses)
    if outdated := tuple(part for part, generation in generations.items() if generation < least):
        yield t("{devices:and} missed the latest writes to the other drives", devices=outdated)
    yield from _profile_faults(stripe, parts, str(uses[0].by) if uses else "")


REACHES_FURTHER = Sentence(
    "{device} is one of {count} devices of a {kind} volume whose others are not listed, so no data is "
    "replaced"
)
MAY_REACH_FURTHER = Sentence(
    "{device} is a {kind} and may belong to a volume on further drives; no data is replaced"
)

PARTS = frozenset(
    {
        "LDM_member", "LVM1_member", "bcache", "ceph_bluestore", "drbd", "jbd", "stratis", "xfs_external_log",
        "zfs_member",
    }
)  # fmt: skip
"""libblkid's types of content that may belong to a volume on further drives, such as an external journal.
Firmware RAIDs are similar."""


def reaching_faults(drives: Sequence[Drive]) -> tuple[Message, ...]:
    """Report each Btrfs, md array and volume group that extends beyond these drives, and content that may.
    Raises Failed if the tools do not report this."""
    held = [(device, mark.kind, mark.uuid) for drive in drives for device, mark in drive.marks]
    members = {device for device, kind, _ in held if kind == MEMBER_KINDS["lvm"]}
    faults = []
    for device, kind, uuid in held:
        title, count, listed = "", 0, [other[1:] for other in held].count((kind, uuid))
        if kind == "btrfs":
            title, count = "Btrfs", _number(device, "num_devices")
        elif kind == MEMBER_KINDS["md"]:
            found = exported(run(("mdadm", "--examine", "--export", device)).output).get("MD_DEVICES", "")
            if not found.isdigit():
                raise Failed(resized.NOT_TOLD(program="mdadm", what=("MD_DEVICES",)))
            title, count = "md", int(found)
        elif kind == MEMBER_KINDS["lvm"] and (name := _group_of(device)):
            physical, _ = _physical_in(name)
            title, count, listed = "LVM", len(physical), len(physical & members)
        elif kind.endswith("_raid_member") or kind in PARTS:
            faults.append(MAY_REACH_FURTHER(device=device, kind=kind))
        if count > listed:
            faults.append(REACHES_FURTHER(device=device, count=count, kind=title))
    return tuple(faults)
