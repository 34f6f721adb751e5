"""From several drives and one wish to a plan that stripes one volume over all of them. Pure, as the planner for one drive is."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from wizard.filesystems.registry import MADE
from wizard.layout.commands import array_uuid
from wizard.layout.planner import (
    HOST_MANAGED,
    Mode,
    doubts_of,
    known_identity,
    layout_before,
    old_wipes,
    option_words,
    refuse_missing,
    refuse_obstacles,
    volume_of,
)
from wizard.layout.refusals import refuse_content, refuse_drive
from wizard.layout.steps import Context, steps_of
from wizard.layout.striping import (
    FILESYSTEMS,
    METADATA,
    MOST_DRIVES,
    NUMBER,
    USUAL_CHUNK_BYTES,
    chunk_fault,
    group_name,
    layer_name,
    striped_after,
    striped_extents,
    striped_operations,
    striped_path,
    striped_table,
    striped_words,
    volume_node,
)
from wizard.layout.wish import Wish, check_wishes, told_apart
from wizard.model.errors import BadInput, Refused
from wizard.model.finding import Recorded, Recording
from wizard.model.machine import Drive, Machine
from wizard.model.names import printable
from wizard.model.plan import Identity, Layout, Member, Plan, Stripe, Volume
from wizard.model.units import format_capacity, format_exact

Kind = Literal["md", "lvm", "btrfs"]

PROGRAMS = {
    "md": {"mdadm": "mdadm"},
    "lvm": {"pvcreate": "lvm2", "vgcreate": "lvm2", "lvcreate": "lvm2", "lvs": "lvm2"},
    "btrfs": {"btrfs": "btrfs-progs"},
}
"""What each kind needs besides the filesystem's own programs, and the package that brings it: it has this name in Debian, Fedora, Arch,
openSUSE and Alpine alike.
"""

HIGHEST_ARRAY = 127
"""md arrays without a number of their own get the highest that is free, from this one downwards (mdadm(8))."""


@dataclass(frozen=True, slots=True)
class StripeWish:
    """How a person wants to stripe. `chunk_bytes` and `metadata` None take what is usual."""

    kind: Kind
    chunk_bytes: int | None = None
    metadata: str | None = None


def make_striped_plan(
    machine: Machine,
    drives: Sequence[Drive],
    wish: Wish,
    asked: StripeWish,
    mode: Mode | None,
    draw_uuid: Callable[[], str],
    recordings: Sequence[Recording] = (),
    arrays: Sequence[str] = (),
) -> Plan:
    """The plan that stripes one volume over `drives`, in their order. `recordings` are what is known of how each of them records,
    `arrays` the nodes that other arrays have.

    Raises Refused where a drive must not be touched, holds anything while `mode` is None, or does not go together with the others;
    BadInput for a wish that cannot be.
    """
    (wish,) = told_apart((wish,))
    check_wishes((wish,))
    _check_asked(asked, wish, drives, mode)
    refuse_obstacles(machine, (wish,))
    for program, package in PROGRAMS[asked.kind].items():
        refuse_missing(machine, program, package)
    identities, befores = _refuse_drives(machine, drives, mode)
    _refuse_mixture(asked.kind, drives)
    taken = {*arrays, *(path for drive in machine.drives for path in (drive.path, *(layer.path for layer in drive.layers)))}
    stripe = _stripe(asked, taken, wish.final_label, len(drives), draw_uuid)
    volume = _volume(drives, identities, wish, stripe, draw_uuid())
    extents = striped_extents(identities)
    kind = MADE[volume.filesystem]
    least = max(kind.minimum_bytes, kind.striped_minimum_bytes)
    if sum(extent.size_bytes for extent in extents) < least:
        raise BadInput(f"The drives have too little room together: {volume.filesystem} needs {format_exact(least)}.")
    tables = [striped_table(*of, stripe, volume) for of in zip(identities, befores, extents, strict=True)]
    members = [
        Member(identity, before, striped_after(identity, table, stripe, volume))
        for identity, before, table in zip(identities, befores, tables, strict=True)
    ]
    wipes = [wipe for drive, before in zip(drives, befores, strict=True) for wipe in old_wipes(drive, before)]
    operations = striped_operations(identities, wipes, tables, stripe, volume)
    first, *others = members
    context = Context(first.drive, first.before, first.after, tuple(others))
    doubts = (*_all_doubts(drives, recordings, extents[0].size_bytes), *_stripe_doubts(stripe), *wish.doubts)
    return Plan(
        first.drive, first.before, first.after, (volume,), steps_of(operations, context), doubts, others=tuple(others), stripe=stripe
    )


def _check_asked(asked: StripeWish, wish: Wish, drives: Sequence[Drive], mode: Mode | None) -> None:
    """Raises BadInput for what cannot be meant."""
    if not 2 <= len(drives) <= MOST_DRIVES:
        raise BadInput(f"Striping takes from 2 to {MOST_DRIVES} drives; {len(drives)} {'was' if len(drives) == 1 else 'were'} named.")
    if mode is Mode.USE_FREE:
        raise BadInput("Striping takes whole drives: --use-free does not go with --stripe.")
    if wish.size_bytes is not None:
        raise BadInput("A striped volume takes all of its drives: leave the size out.")
    kind, filesystem = asked.kind, wish.choice.filesystem
    if filesystem not in FILESYSTEMS[kind]:
        hint = " Btrfs stripes by itself: say --stripe btrfs." if filesystem == "btrfs" else ""
        raise BadInput(f"--stripe {kind} takes {' or '.join(FILESYSTEMS[kind])}, not {printable(filesystem, 30)}.{hint}")
    if kind == "btrfs" and asked.chunk_bytes is not None:
        raise BadInput("Btrfs chooses its own chunk (64 KiB): --chunk does not go with --stripe btrfs.")
    if kind != "btrfs" and asked.metadata is not None:
        raise BadInput(f"--metadata is for --stripe btrfs; {kind} keeps no records of a filesystem.")
    if asked.chunk_bytes is not None and (fault := chunk_fault(asked.chunk_bytes)):
        raise BadInput(f"A chunk of {format_exact(asked.chunk_bytes)} {fault}; {format_exact(USUAL_CHUNK_BYTES)} is usual.")
    if asked.metadata is not None and asked.metadata not in METADATA:
        raise BadInput(f"Btrfs's metadata can be {' or '.join(METADATA)} here, not {printable(asked.metadata, 30)!r}.")


def _refuse_drives(machine: Machine, drives: Sequence[Drive], mode: Mode | None) -> tuple[list[Identity], list[Layout]]:
    identities, befores = [], []
    for drive in drives:
        size_bytes, geometry = refuse_drive(drive)
        if drive.zoned == HOST_MANAGED:
            raise Refused(f"{drive.path} is a host-managed zoned drive: nothing can be striped over it.")
        refuse_content(drive, chosen=mode is not None)
        identities.append(known_identity(machine, drive, size_bytes, geometry))
        befores.append(layout_before(drive, size_bytes, geometry, keep=False))
    for what, names in (
        ("node", [drive.path for drive in drives]),
        ("serial number", [drive.serial for drive in drives if drive.serial]),
        ("WWN", [drive.wwn for drive in drives if drive.wwn]),
    ):
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise Refused(
                f"Two of the drives have the same {what}, {printable(twice, 40)}: it is one drive named twice, or nothing tells them apart."
            )
    return identities, befores


def _refuse_mixture(kind: Kind, drives: Sequence[Drive]) -> None:
    """Drives whose logical blocks differ: what md or LVM make of them has the larger ones, and the smaller drive's data could not be
    read without the others; LVM refuses it by itself (lvmconfig devices/allow_mixed_block_sizes). Btrfs writes 4096 bytes at least.
    """
    blocks = {drive.path: drive.geometry.logical_block_bytes for drive in drives if drive.geometry}
    if len(set(blocks.values())) > 1 and kind != "btrfs":
        named = ", ".join(f"{path} {size}" for path, size in blocks.items())
        raise Refused(f"The drives have logical blocks of different sizes in bytes ({named}): {kind} over them would not be sound.")


def _stripe(asked: StripeWish, taken: Collection[str], label: str, count: int, draw_uuid: Callable[[], str]) -> Stripe:
    chunk = asked.chunk_bytes or USUAL_CHUNK_BYTES
    match asked.kind:
        case "btrfs":
            return Stripe("btrfs", metadata=asked.metadata or METADATA[0])
        case "md":
            device = next(node for number in range(HIGHEST_ARRAY, -1, -1) if (node := f"/dev/md{number}") not in taken)
            return Stripe("md", device, layer_name(label), chunk, (draw_uuid(),))
        case "lvm":
            uuids = tuple(draw_uuid() for _ in range(count))
            return Stripe("lvm", volume_node(label, uuids[0]), group_name(label, uuids[0]), chunk, uuids)


def _volume(drives: Sequence[Drive], identities: Sequence[Identity], wish: Wish, stripe: Stripe, uuid: str) -> Volume:
    words, _ = option_words(wish)
    try:
        final = striped_words(wish.choice.filesystem, words, stripe, len(drives))
    except ValueError:
        raise BadInput(f"The block size advised for {wish.choice.filesystem} is no plain number of bytes.") from None
    return replace(volume_of(drives[0], wish, NUMBER, uuid), path=striped_path(identities, stripe), mkfs_options=final)


def _all_doubts(drives: Sequence[Drive], recordings: Sequence[Recording], used_bytes: int) -> Iterator[str]:
    for drive in drives:
        yield from (f"{drive.path}: {doubt[:1].lower()}{doubt[1:]}" for doubt in doubts_of(drive, keep=False))
    for drive, recording in zip(drives, recordings, strict=False):
        if recording.verdict in (Recorded.YES, Recorded.LIKELY):
            likely = "likely " if recording.verdict is Recorded.LIKELY else ""
            yield f"{drive.path} is {likely}shingled: under long writing it stalls, and every drive of the stripe waits for it."
    turning = [drive.path for drive in drives if drive.rotational]
    still = [drive.path for drive in drives if drive.rotational is False]
    if turning and still:
        yield (
            f"{', '.join(turning)} rotate{'s' * (len(turning) == 1)} and {', '.join(still)} do{'es' * (len(still) == 1)} not: a stripe is "
            "as fast as its slowest drive, so the fast ones are wasted."
        )
    if loose := [drive.path for drive in drives if drive.bus == "usb" or drive.removable]:
        yield f"{', '.join(loose)} can be unplugged: a cable that slips takes the whole volume away, in the middle of a write."
    buses = sorted({drive.bus for drive in drives if drive.bus and drive.bus != "usb"})
    if len(buses) > 1:
        yield f"The drives are attached in different ways ({', '.join(buses)}): the stripe is as fast as the slowest of them."
    for drive in drives:
        idle = (drive.size_bytes or 0) - used_bytes
        if idle > used_bytes // 50:
            yield f"{format_capacity(idle)} of {drive.path} stay unused: every drive gives as much as the smallest one has."


def _stripe_doubts(stripe: Stripe) -> Iterator[str]:
    match stripe.kind:
        case "md":
            (uuid,) = stripe.uuids
            yield (
                "Whether this system puts the array together at a start could not be known: mdadm's udev rules do so wherever mdadm stays "
                f"installed, and then fstab finds it by UUID, also when {stripe.device} has another number. If it is needed before that "
                f"(in the initramfs), add `ARRAY /dev/md/{stripe.name} metadata=1.2 UUID={array_uuid(uuid)}` to mdadm.conf "
                "(/etc/mdadm/mdadm.conf, or /etc/mdadm.conf) and make the initramfs again."
            )
        case "lvm":
            yield (
                "Whether this system activates the volume group at a start could not be known: LVM's udev rules do so wherever lvm2 stays "
                f"installed; elsewhere `vgchange --activate y {stripe.name}` does."
            )
        case "btrfs":
            yield (
                "Whether this system knows all devices of a Btrfs at a start could not be known: udev's rules tell the kernel of them "
                "wherever btrfs-progs stays installed; elsewhere `btrfs device scan` does, before mounting."
            )


__all__ = ["StripeWish", "make_striped_plan"]
