"""What is doubtful about several drives as one volume, in sentences for the plan to repeat."""

from collections.abc import Iterator, Sequence

from wizard.layout.before import doubts_of
from wizard.layout.several import words
from wizard.layout.steps.commands import array_uuid
from wizard.model.finding import NOT_JUDGED, Recorded, Recording
from wizard.model.machine import Drive
from wizard.model.plan import Stripe
from wizard.model.said import Said, in_a_row


def drive_doubts(
    drives: Sequence[Drive], recordings: Sequence[Recording], used_bytes: int, stripe: Stripe
) -> Iterator[Said]:
    """What is doubtful about drives of which `used_bytes` each are used together."""
    mirrors = stripe.mirrors
    judged = recordings or (NOT_JUDGED,) * len(drives)
    for drive, recording in zip(drives, judged, strict=True):
        doubts = doubts_of(drive, recording, keep=False)
        yield from (words.OF_DRIVE(drive=drive.path, doubt=doubt) for doubt in doubts)
    for drive, recording in zip(drives, judged, strict=True):
        if recording.verdict is Recorded.YES:
            yield (words.SHINGLED_MIRROR if mirrors else words.SHINGLED_STRIPE)(drive=drive.path)
        elif recording.verdict is Recorded.LIKELY:
            yield (words.LIKELY_MIRROR if mirrors else words.LIKELY_STRIPE)(drive=drive.path)
    yield from _mixture_doubts(drives, stripe)
    for drive in drives:
        idle = (drive.size_bytes or 0) - used_bytes
        if idle > used_bytes // 50:
            yield words.UNUSED(idle=idle, drive=drive.path)


def _mixture_doubts(drives: Sequence[Drive], stripe: Stripe) -> Iterator[Said]:
    turning = tuple(drive.path for drive in drives if drive.rotational)
    still = tuple(drive.path for drive in drives if drive.rotational is False)
    slow = words.MIRROR_SLOW() if stripe.mirrors else words.STRIPE_SLOW()
    if turning and still:
        yield words.MIXED(
            turning=words.ROTATE(drives=turning, count=len(turning)),
            still=words.ROTATE_NOT(drives=still, count=len(still)),
            slow=slow,
        )
    if loose := tuple(drive.path for drive in drives if drive.bus == "usb" or drive.removable):
        yield (words.LOOSE_MIRROR if stripe.mirrors else words.LOOSE_STRIPE)(drives=loose)
    buses = sorted({drive.bus for drive in drives if drive.bus and drive.bus != "usb"})
    if len(buses) > 1:
        yield words.BUSES_DIFFER(buses=tuple(buses), slow=slow)


def stripe_doubts(stripe: Stripe) -> Iterator[Said]:
    """What could not be known of the machine that is to use it."""
    if stripe.mirrors:
        yield in_a_row(words.NOBODY_TOLD(), _told_by(stripe))
    match stripe.kind:
        case "md":
            line = f"ARRAY /dev/md/{stripe.name} metadata=1.2 UUID={array_uuid(stripe.uuids[0])}"
            yield in_a_row(words.ASSEMBLED(device=stripe.device), words.MDADM_CONF(line=line))
        case "lvm":
            yield words.ACTIVATED(name=stripe.name)
        case "btrfs":
            yield words.SCANNED()


def _told_by(stripe: Stripe) -> Said:
    """What tells of a drive of the mirror that fails."""
    return words.MDADM_MAILS() if stripe.kind == "md" else words.BTRFS_COUNTS()
