"""Validate a striped plan, and the old layouts and signature erasure that all plans share.

Partitions, names, nodes and options of a striped plan all follow from drives, volume and stripe.
"""

from collections.abc import Iterator, Sequence

from wizard.model.errors import partition_path
from wizard.model.finding import NOT_JUDGED, Recorded, Recording
from wizard.model.geometry import Identity
from wizard.model.layout import Layout, Member, Stripe, Volume
from wizard.model.machine import Drive
from wizard.model.said import Message, Sentence, join, t, tn
from wizard.operations.layers import array_uuid
from wizard.operations.rules import uuid_fault
from wizard.operations.table import WipeSignatures
from wizard.plan.dangers import doubts_of
from wizard.plan.free_space import LARGEST_BYTES, is_container
from wizard.plan.plan import Plan
from wizard.plan.raid.striping import (
    FILESYSTEMS,
    METADATA,
    MOST_DRIVES,
    NUMBER,
    chunk_fault,
    is_array_node,
    layer_name,
    striped_after,
    striped_extents,
    striped_operations,
    striped_path,
    striped_table,
    striped_words,
)


def before_faults(before: Layout, *, fresh: bool) -> Iterator[str]:
    """Check an old layout. `fresh`: nothing is preserved."""
    position = 0
    for slot in before.slots:
        if (
            slot.start_bytes < position
            or slot.start_bytes < 0
            or slot.size_bytes <= 0
            or slot.end_bytes > LARGEST_BYTES
        ):
            yield "before.slots"
            return
        position = slot.start_bytes
        if slot.mount_point is not None or (slot.kept == fresh if slot.number else slot.kept):
            yield "before.slots"
    numbers = [slot.number for slot in before.partitions]
    if len(set(numbers)) != len(numbers) or any(number < 0 for number in numbers):
        yield "before.slots"
    if before.whole is not None:
        yield "before.whole"


def wipe_faults(member: Member, wipes: Sequence[WipeSignatures], *, fresh: bool) -> Iterator[str]:
    """Check the erasure of old signatures on one drive."""
    path = member.drive.path
    allowed = {path} | {
        partition_path(path, slot.number) for slot in member.before.partitions if not is_container(slot)
    }
    devices = [wipe.device for wipe in wipes]
    if (devices and not fresh) or len(set(devices)) != len(devices) or not allowed.issuperset(devices):
        yield "wipes"


def striped_faults(plan: Plan, stripe: Stripe) -> Iterator[str]:
    """Yield faults in an order in which each check may rely on the previous ones."""
    if not 2 <= len(plan.members) <= MOST_DRIVES:
        yield "members"
    for values in (
        plan.paths,
        [drive.serial for drive in _drives(plan) if drive.serial],
        [drive.wwn for drive in _drives(plan) if drive.wwn],
    ):
        if len(set(values)) != len(values):
            yield "members"
    if (
        any(_is_part(path, other) for path in plan.paths for other in plan.paths)
        or stripe.device in plan.paths
    ):
        yield "members"
    for member in plan.members:
        yield from before_faults(member.before, fresh=True)
    if len(plan.volumes) != 1:
        yield "volumes"
        return
    (volume,) = plan.volumes
    yield from _stripe_faults(plan, stripe, volume)
    yield from _volume_faults(plan, stripe, volume)
    yield from _derived_faults(plan, stripe, volume)


def _is_part(path: str, drive: str) -> bool:
    stem = partition_path(drive, 0)[:-1]
    return path.startswith(stem) and path[len(stem) :].isdigit()


def _drives(plan: Plan) -> list[Identity]:
    return [member.drive for member in plan.members]


def _stripe_faults(plan: Plan, stripe: Stripe, volume: Volume) -> Iterator[str]:
    """Check the values of the stripe itself."""
    if any(map(uuid_fault, stripe.uuids)) or len({*stripe.uuids, volume.uuid}) != len(stripe.uuids) + 1:
        yield "stripe.uuids"
    if stripe.kind == "md":
        yield from _array_faults(plan, stripe)
    wanted = {"md": 1, "btrfs": 0}[stripe.kind]
    if len(stripe.uuids) != wanted:
        yield "stripe.uuids"
        return
    match stripe.kind:
        case "md":
            matches = (
                is_array_node(stripe.device)
                and stripe.name == layer_name(volume.label)
                and not stripe.metadata
            )
        case "btrfs":
            possible = METADATA[:1] if stripe.mirrors else METADATA
            matches = (
                stripe == Stripe("btrfs", metadata=stripe.metadata, level=stripe.level)
                and stripe.metadata in possible
            )
    if not matches:
        yield "stripe"


def _array_faults(plan: Plan, stripe: Stripe) -> Iterator[str]:
    if len({drive.geometry.logical_block_bytes for drive in _drives(plan)}) > 1:
        yield "members"
    if stripe.chunk_bytes if stripe.mirrors else chunk_fault(stripe.chunk_bytes):
        yield "stripe.chunk_bytes"


def _volume_faults(plan: Plan, stripe: Stripe, volume: Volume) -> Iterator[str]:
    if volume.filesystem not in FILESYSTEMS[stripe.kind]:
        yield "volumes"
        return
    if volume.partition != NUMBER or volume.path != striped_path(_drives(plan), stripe):
        yield "volumes"
    try:
        options = striped_words(volume.filesystem, volume.mkfs_options, stripe, len(plan.members))
    except ValueError:
        options = ()
    if options != volume.mkfs_options:
        yield "volumes"


def _derived_faults(plan: Plan, stripe: Stripe, volume: Volume) -> Iterator[str]:
    """Derive tables, layouts and operations again, and compare."""
    drives = _drives(plan)
    extents = striped_extents(drives)
    if not extents:
        yield "members"
        return
    tables = [
        striped_table(member.drive, member.before, extent, stripe, volume)
        for member, extent in zip(plan.members, extents, strict=True)
    ]
    for member, table in zip(plan.members, tables, strict=True):
        if member.after != striped_after(member.drive, table, stripe, volume):
            yield "after"
    yield from _ordered_wipe_faults(plan)
    operations = tuple(step.operation for step in plan.steps)
    if operations != striped_operations(drives, plan.wipes, tables, stripe, volume):
        yield "steps"


def _ordered_wipe_faults(plan: Plan) -> Iterator[str]:
    """Check that all signature erasures are on the plan's drives and follow each drive's rules."""
    left = list(plan.wipes)
    for member in plan.members:
        own = [wipe for wipe in left if _is_on(member, wipe.device)]
        left = [wipe for wipe in left if wipe not in own]
        yield from wipe_faults(member, own, fresh=True)
    if left:
        yield "wipes"


def _is_on(member: Member, device: str) -> bool:
    path = member.drive.path
    return device == path or any(
        device == partition_path(path, slot.number) for slot in member.before.partitions
    )


def drive_doubts(
    drives: Sequence[Drive], recordings: Sequence[Recording], used_bytes: int, stripe: Stripe
) -> Iterator[Message]:
    """Yield doubts about drives that are used together with `used_bytes` each."""
    known_recordings = recordings or (NOT_JUDGED,) * len(drives)
    for drive, recording in zip(drives, known_recordings, strict=True):
        doubts = doubts_of(drive, recording, preserve=False)
        yield from (t("{drive}: {doubt}", drive=drive.path, doubt=doubt) for doubt in doubts)
    for drive, recording in zip(drives, known_recordings, strict=True):
        if recording.verdict is Recorded.YES:
            yield t(
                "{drive} is shingled (SMR): long writes stall, and every drive of the volume waits.",
                drive=drive.path,
            )
        elif recording.verdict is Recorded.LIKELY:
            yield t(
                "{drive} is likely shingled (SMR): long writes stall, and every drive of the volume waits.",
                drive=drive.path,
            )
    yield from _mixture_doubts(drives, stripe)
    for drive in drives:
        idle = (drive.size_bytes or 0) - used_bytes
        if idle > used_bytes // 50:
            yield t(
                "{idle:size} of {drive} remains unused. Every drive contributes as much as "
                "the smallest drive.",
                idle=idle,
                drive=drive.path,
            )


def _mixture_doubts(drives: Sequence[Drive], stripe: Stripe) -> Iterator[Message]:
    rotating = tuple(drive.path for drive in drives if drive.rotational)
    solid = tuple(drive.path for drive in drives if drive.rotational is False)
    slow = (
        t("a mirror writes only as fast as the slowest drive")
        if stripe.mirrors
        else t("a stripe is only as fast as the slowest drive")
    )
    if rotating and solid:
        yield t(
            "{turning}, but {still}: {slow}, so the fast drives are wasted.",
            turning=tn("{drives:list} rotates", "{drives:list} rotate", drives=rotating, count=len(rotating)),
            still=tn("{drives:list} does not", "{drives:list} do not", drives=solid, count=len(solid)),
            slow=slow,
        )
    if unpluggable := tuple(drive.path for drive in drives if drive.bus == "usb" or drive.removable):
        yield (
            Sentence(
                "{drives:list} can be unplugged. A loose cable during a write removes the "
                "drive from the mirror. You must then add the drive again."
            )
            if stripe.mirrors
            else Sentence(
                "{drives:list} can be unplugged. A loose cable during a write disconnects the whole volume."
            )
        )(drives=unpluggable)
    buses = sorted({drive.bus for drive in drives if drive.bus and drive.bus != "usb"})
    if len(buses) > 1:
        yield t("The drives use different buses ({buses:list}): {slow}.", buses=tuple(buses), slow=slow)


def stripe_doubts(stripe: Stripe) -> Iterator[Message]:
    """Yield unknown facts about the machine that will use the volume."""
    if stripe.mirrors:
        yield join(
            t(
                "Notification of a failed mirror drive is unconfirmed. Without notification, "
                "the mirror continues silently with one copy less."
            ),
            _failure_report(stripe),
        )
    match stripe.kind:
        case "md":
            line = f"ARRAY /dev/md/{stripe.name} metadata=1.2 UUID={array_uuid(stripe.uuids[0])}"
            yield join(
                t(
                    "Assembly of the array at boot is unconfirmed. mdadm's udev rules assemble "
                    "the array if mdadm remains installed. fstab then finds the array by UUID, "
                    "even if {device} is renumbered.",
                    device=stripe.device,
                ),
                t(
                    "If the initramfs needs the array, add `{line}` to /etc/mdadm/mdadm.conf or "
                    "/etc/mdadm.conf. Then rebuild the initramfs.",
                    line=line,
                ),
            )
        case "btrfs":
            yield t(
                "Detection of all Btrfs devices at boot is unconfirmed. udev rules scan for "
                "devices if btrfs-progs remains installed. Otherwise run `btrfs device scan` "
                "before mounting."
            )


def _failure_report(stripe: Stripe) -> Message:
    """Describe how a failed mirror drive is reported."""
    return (
        t("mdadm --monitor sends mail if configured.")
        if stripe.kind == "md"
        else t(
            "`btrfs device stats` counts errors. With a drive missing, mounting requires the option degraded."
        )
    )
