"""What is doubtful about several drives as one volume, in sentences for the plan to repeat."""

from collections.abc import Iterator, Sequence

from wizard.layout.before import doubts_of
from wizard.layout.steps.commands import array_uuid
from wizard.model.finding import Recorded, Recording
from wizard.model.machine import Drive
from wizard.model.plan import Stripe
from wizard.model.units import format_capacity


def drive_doubts(
    drives: Sequence[Drive], recordings: Sequence[Recording], used_bytes: int, stripe: Stripe
) -> Iterator[str]:
    """What is doubtful about drives of which `used_bytes` each are used together."""
    noun = "mirror" if stripe.mirrors else "stripe"
    for drive in drives:
        yield from (f"{drive.path}: {doubt[:1].lower()}{doubt[1:]}" for doubt in doubts_of(drive, keep=False))
    for drive, recording in zip(drives, recordings, strict=False):
        if recording.verdict in (Recorded.YES, Recorded.LIKELY):
            likely = "likely " if recording.verdict is Recorded.LIKELY else ""
            yield (
                f"{drive.path} is {likely}shingled: under long writing it stalls, and every drive of the "
                f"{noun} waits for it."
            )
    yield from _mixture_doubts(drives, stripe)
    for drive in drives:
        idle = (drive.size_bytes or 0) - used_bytes
        if idle > used_bytes // 50:
            yield (
                f"{format_capacity(idle)} of {drive.path} stay unused: every drive gives as much as the "
                "smallest one has."
            )


def _mixture_doubts(drives: Sequence[Drive], stripe: Stripe) -> Iterator[str]:
    turning = [drive.path for drive in drives if drive.rotational]
    still = [drive.path for drive in drives if drive.rotational is False]
    slow = (
        "a mirror writes as slowly as its slowest drive"
        if stripe.mirrors
        else "a stripe is as fast as its slowest drive"
    )
    if turning and still:
        yield (
            f"{', '.join(turning)} rotate{'s' * (len(turning) == 1)} and {', '.join(still)} "
            f"do{'es' * (len(still) == 1)} not: {slow}, so the fast ones are wasted."
        )
    if loose := [drive.path for drive in drives if drive.bus == "usb" or drive.removable]:
        slipped = (
            "the drive out of the mirror, in which it must be put again"
            if stripe.mirrors
            else "the whole volume away"
        )
        yield (
            f"{', '.join(loose)} can be unplugged: a cable that slips takes {slipped}, in the middle of a "
            "write."
        )
    buses = sorted({drive.bus for drive in drives if drive.bus and drive.bus != "usb"})
    if len(buses) > 1:
        yield f"The drives are attached in different ways ({', '.join(buses)}): {slow}."


def stripe_doubts(stripe: Stripe) -> Iterator[str]:
    """What could not be known of the machine that is to use it."""
    if stripe.mirrors:
        yield (
            (
                "Whether anybody is told when a drive of the mirror fails could not be known: it then goes "
                "on in silence, with one copy less. "
            )
            + (
                "mdadm --monitor sends mail where it is set up."
                if stripe.kind == "md"
                else (
                    "`btrfs device stats` counts errors, and with a drive gone it is mounted only with the "
                    "option degraded."
                )
            )
        )
    match stripe.kind:
        case "md":
            (uuid,) = stripe.uuids
            yield (
                "Whether this system puts the array together at a start could not be known: mdadm's udev "
                "rules do so wherever mdadm stays installed, and then fstab finds it by UUID, also when "
                f"{stripe.device} has another number. If it is needed before that (in the initramfs), add "
                f"`ARRAY /dev/md/{stripe.name} metadata=1.2 UUID={array_uuid(uuid)}` to mdadm.conf "
                "(/etc/mdadm/mdadm.conf, or /etc/mdadm.conf) and make the initramfs again."
            )
        case "lvm":
            yield (
                "Whether this system activates the volume group at a start could not be known: LVM's udev "
                f"rules do so wherever lvm2 stays installed; elsewhere `vgchange --activate y {stripe.name}` "
                "does."
            )
        case "btrfs":
            yield (
                "Whether this system knows all devices of a Btrfs at a start could not be known: udev's "
                "rules tell the kernel of them wherever btrfs-progs stays installed; elsewhere `btrfs device "
                "scan` does, before mounting."
            )
