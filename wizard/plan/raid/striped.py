"""Plan one volume across several drives, striped or mirrored. Pure."""

from collections.abc import Iterator, Sequence

from wizard.filesystems.registry import MADE
from wizard.model.drive_facts import HOST_MANAGED
from wizard.model.errors import BadInput, Refused
from wizard.model.layout import Stripe
from wizard.model.machine import Drive
from wizard.model.said import Message, Sentence, join, t
from wizard.operations.layers import array_uuid
from wizard.plan import dangers, refusals
from wizard.plan.derive import Places
from wizard.plan.plan import Plan
from wizard.plan.planning import Planning, with_doubts
from wizard.plan.raid import striping
from wizard.plan.request import plan_request

PROGRAMS = {"md": ("mdadm",), "btrfs": ("btrfs",)}
"""Tools required for each kind."""


def striped_plan(planning: Planning, request: plan_request.NewVolumes, asked: Stripe) -> Plan:
    """Plan one volume striped or mirrored over all drives, in this order.

    Raises Refused if a drive must not be changed, is not empty and the mode is None, or does not match the
    others. Raises BadInput for an impossible request.
    """
    machine, drives = planning.machine, planning.drives
    (spec,) = request.specs
    if asked.kind == "md":
        dangers.refuse_lacking(machine.kernel, asked.level)
    dangers.refuse_missing(machine, PROGRAMS[asked.kind])
    for drive in drives:
        refusals.refuse_drive(drive)
        if drive.zoned == HOST_MANAGED:
            raise Refused(refusals.HOST_MANAGED_ZONES(drive=drive))
        refusals.refuse_content(drive, chosen=request.mode is not None)
    if twice := striping.listed_twice(drives):
        same = Sentence(
            "{number} is the path, serial number or WWN of two drives. Either one drive is listed twice, "
            "or the drives are indistinguishable."
        )
        raise Refused(same(number=twice))
    identities = [dangers.known_identity(machine, drive) for drive in drives]
    device, uuids = "", tuple[str, ...]()
    if asked.kind == "md":
        # md would use the largest block, so data on drives with smaller blocks would be unreadable without
        # the others. Btrfs writes at least 4096 bytes.
        blocks = {drive.path: drive.geometry.logical_block_bytes for drive in identities}
        if len(set(blocks.values())) > 1:
            mixed = Sentence(
                "The drives have different logical block sizes in bytes ({drives:list}). "
                "md cannot combine them safely."
            )
            raise Refused(mixed(drives=tuple(f"{path} {size}" for path, size in blocks.items())))
        layers = (layer.path for drive in machine.drives for layer in drive.layers)
        used = {*planning.arrays, *(drive.path for drive in machine.drives), *layers}
        nodes = (f"/dev/md{number}" for number in range(striping.HIGHEST_ARRAY, -1, -1))
        device, uuids = next(node for node in nodes if node not in used), (planning.draw_uuid(),)
    volume = planning.volume(spec, striping.NUMBER)
    stripe, volume = striping.across(identities, asked, volume, device, uuids)
    extents = striping.striped_extents(identities)
    kind = MADE[volume.filesystem]
    least = max(kind.minimum_bytes, kind.striped_minimum_bytes)
    if striping.room_bytes(asked.kind, asked.level, [extent.size_bytes for extent in extents]) < least:
        small = Sentence("The drives are too small together: {filesystem} needs {least:exact}.")
        raise BadInput(small(filesystem=kind.name, least=least))
    plan = planning.finished(Places(extents, "gpt"), (volume,), stripe=stripe)
    return with_doubts(
        plan, *_together_doubts(planning, extents[0].size_bytes, stripe), *_stripe_doubts(stripe)
    )


def _together_doubts(planning: Planning, used_bytes: int, stripe: Stripe) -> Iterator[Message]:
    drives = planning.drives
    for drive, recording in zip(drives, planning.recordings, strict=True):
        if recording.is_shingled:
            yield t(
                "{drive} is shingled (SMR), or probably so: long writes stall, and every drive of the volume "
                "waits.",
                drive=drive,
            )
    yield from _mixture_doubts(drives, stripe)
    for drive in drives:
        idle = (drive.size_bytes or 0) - used_bytes
        if idle > used_bytes // 50:
            yield t(
                "{idle:size} of {drive} remains unused. Every drive contributes as much as "
                "the smallest drive.",
                idle=idle,
                drive=drive,
            )


def _mixture_doubts(drives: Sequence[Drive], stripe: Stripe) -> Iterator[Message]:
    rotating = tuple(drive.path for drive in drives if drive.rotational)
    solid = tuple(drive.path for drive in drives if drive.rotational is False)
    slow = t("The drives together write only as fast as the slowest.")
    if rotating and solid:
        mixed = Sentence("Some drives rotate ({rotating:list}), others do not ({solid:list}).")
        yield join(mixed(rotating=rotating, solid=solid), slow)
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
        yield join(t("The drives use different buses ({buses:list}).", buses=tuple(buses)), slow)


def _stripe_doubts(stripe: Stripe) -> Iterator[Message]:
    if stripe.mirrors:
        reports = {
            "md": t("mdadm --monitor sends mail if configured."),
            "btrfs": t(
                "`btrfs device stats` counts errors. With a drive missing, mounting requires the option "
                "degraded."
            ),
        }
        yield join(
            t(
                "Notification of a failed mirror drive is unconfirmed. Without notification, "
                "the mirror continues silently with one copy less."
            ),
            reports[stripe.kind],
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
