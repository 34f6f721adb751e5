"""What is doubtful about several drives as one volume, in sentences for the plan to repeat."""

from collections.abc import Iterator, Sequence

from wizard.layout.before import doubts_of
from wizard.layout.steps.commands import array_uuid
from wizard.model.finding import NOT_JUDGED, Recorded, Recording
from wizard.model.machine import Drive
from wizard.model.plan import Stripe
from wizard.model.said import Said, Sentence, in_a_row, t, tn


def drive_doubts(
    drives: Sequence[Drive], recordings: Sequence[Recording], used_bytes: int, stripe: Stripe
) -> Iterator[Said]:
    """What is doubtful about drives of which `used_bytes` each are used together."""
    mirrors = stripe.mirrors
    judged = recordings or (NOT_JUDGED,) * len(drives)
    for drive, recording in zip(drives, judged, strict=True):
        doubts = doubts_of(drive, recording, keep=False)
        yield from (t("{drive}: {doubt}", drive=drive.path, doubt=doubt) for doubt in doubts)
    for drive, recording in zip(drives, judged, strict=True):
        if recording.verdict is Recorded.YES:
            yield (
                Sentence(
                    "{drive} is shingled: under long writing it stalls, and every drive of the "
                    "mirror waits for it."
                )
                if mirrors
                else Sentence(
                    "{drive} is shingled: under long writing it stalls, and every drive of the "
                    "stripe waits for it."
                )
            )(drive=drive.path)
        elif recording.verdict is Recorded.LIKELY:
            yield (
                Sentence(
                    "{drive} is likely shingled: under long writing it stalls, and every drive "
                    "of the mirror waits for it."
                )
                if mirrors
                else Sentence(
                    "{drive} is likely shingled: under long writing it stalls, and every drive "
                    "of the stripe waits for it."
                )
            )(drive=drive.path)
    yield from _mixture_doubts(drives, stripe)
    for drive in drives:
        idle = (drive.size_bytes or 0) - used_bytes
        if idle > used_bytes // 50:
            yield t(
                "{idle:size} of {drive} stay unused: every drive gives as much as the smallest one has.",
                idle=idle,
                drive=drive.path,
            )


def _mixture_doubts(drives: Sequence[Drive], stripe: Stripe) -> Iterator[Said]:
    turning = tuple(drive.path for drive in drives if drive.rotational)
    still = tuple(drive.path for drive in drives if drive.rotational is False)
    slow = (
        t("a mirror writes as slowly as its slowest drive")
        if stripe.mirrors
        else t("a stripe is as fast as its slowest drive")
    )
    if turning and still:
        yield t(
            "{turning} and {still}: {slow}, so the fast ones are wasted.",
            turning=tn("{drives:list} rotates", "{drives:list} rotate", drives=turning, count=len(turning)),
            still=tn("{drives:list} does not", "{drives:list} do not", drives=still, count=len(still)),
            slow=slow,
        )
    if loose := tuple(drive.path for drive in drives if drive.bus == "usb" or drive.removable):
        yield (
            Sentence(
                "{drives:list} can be unplugged: a cable that slips in a write takes the "
                "drive out of the mirror. It then has to be put into the mirror again."
            )
            if stripe.mirrors
            else Sentence(
                "{drives:list} can be unplugged: a cable that slips takes the whole volume "
                "away, in the middle of a write."
            )
        )(drives=loose)
    buses = sorted({drive.bus for drive in drives if drive.bus and drive.bus != "usb"})
    if len(buses) > 1:
        yield t(
            "The drives are attached in different ways ({buses:list}): {slow}.", buses=tuple(buses), slow=slow
        )


def stripe_doubts(stripe: Stripe) -> Iterator[Said]:
    """What could not be known of the machine that is to use it."""
    if stripe.mirrors:
        yield in_a_row(
            t(
                "Whether anybody is told when a drive of the mirror fails could not be "
                "known. Unless somebody is, it then goes on in silence, with one copy less."
            ),
            _told_by(stripe),
        )
    match stripe.kind:
        case "md":
            line = f"ARRAY /dev/md/{stripe.name} metadata=1.2 UUID={array_uuid(stripe.uuids[0])}"
            yield in_a_row(
                t(
                    "Whether this system puts the array together at a start could not be known. "
                    "mdadm's udev rules do so wherever mdadm stays installed. fstab then finds "
                    "it by UUID, also when {device} has another number.",
                    device=stripe.device,
                ),
                t(
                    "If it is needed before that (in the initramfs), add `{line}` to mdadm.conf "
                    "(/etc/mdadm/mdadm.conf, or /etc/mdadm.conf). Then make the initramfs again.",
                    line=line,
                ),
            )
        case "lvm":
            yield t(
                "Whether this system activates the volume group at a start could not be "
                "known. LVM's udev rules do so wherever lvm2 stays installed; elsewhere "
                "`vgchange --activate y {name}` does.",
                name=stripe.name,
            )
        case "btrfs":
            yield t(
                "Whether this system knows all devices of a Btrfs at a start could not be "
                "known. udev's rules tell the kernel of them wherever btrfs-progs stays "
                "installed. Elsewhere `btrfs device scan` does, before mounting."
            )


def _told_by(stripe: Stripe) -> Said:
    """What tells of a drive of the mirror that fails."""
    return (
        t("mdadm --monitor sends mail where it is set up.")
        if stripe.kind == "md"
        else t(
            "`btrfs device stats` counts errors, and with a drive gone it is mounted "
            "only with the option degraded."
        )
    )
