"""Who uses the drive, what could not be read of it, and whether it is dying."""

from collections.abc import Iterator

from wizard.model.finding import Finding, Severity
from wizard.model.machine import Drive, Use
from wizard.model.names import printable
from wizard.model.units import format_moment
from wizard.model.waiting import Waiting

ESSENTIAL = ("drive", "size_bytes", "geometry", "table", "partitions", "signatures", "uses")
"""Fields without which nothing may be written."""

OTHER_BLOCKS = "was made for logical blocks"
CONTRADICTING = ("The chain of logical partitions", "The table states", "Neither copy of its GPT")
"""How the probe begins, or words, what it says of a table that it could read and not follow."""


def find_use(drive: Drive, *, root: bool) -> Iterator[Finding]:
    """One finding a use, one a reason for something unread; read-only; failing health."""
    if drive.smart.passed is False:
        yield Finding(
            "health-failing",
            Severity.DANGER,
            drive.path,
            f"{drive.path} says of itself that it is failing: its SMART health check has not passed.",
            "The drive expects to lose data soon, or already has.",
            "smartctl, the drive's own overall health assessment",
            f"Copy everything off it now and replace it. `smartctl -x {drive.path}` shows what failed.",
        )
    if drive.read_only:
        yield Finding(
            "drive-read-only",
            Severity.INFO,
            drive.path,
            f"The kernel lets nothing be written to {drive.path}.",
            "It can be inspected, but not set up.",
            "the attribute ro of the block device in sysfs",
            "Look for a write-protect switch. A migration that waits for `keep` or `undo` locks it, too: "
            f"`diskwright status` tells. `blockdev --setrw {drive.path}` lifts a lock that software set.",
        )
    if drive.waiting:
        yield _waiting(drive.path, drive.waiting)
    carries_system = any(use.kind == "running-system" for use in drive.uses)
    yield from (_use(use, carries_system=carries_system) for use in drive.uses)
    yield from _unread(drive, root=root)


def _waiting(path: str, waiting: Waiting) -> Finding:
    run, told = printable(waiting.run, 60), printable(waiting.told, 200)
    of = f"the run {run}, begun {printable(format_moment(waiting.begun), 40)}: {told}"
    source = f"the notice at byte {waiting.start_bytes} of the drive"
    if not waiting.bare:
        return Finding(
            "drive-left",
            Severity.INFO,
            path,
            f"{path} was left by {of}. What was withheld then was written to since.",
            "Nobody can tell which part of what the run made is whole.",
            source,
            f"Where the run's folder is, `diskwright status {run}` tells how it stands.",
        )
    return Finding(
        "drive-waiting",
        Severity.WARNING,
        path,
        f"{path} waits to be kept or taken back; on it is {of}.",
        "To everything else it looks empty, or as it was before: all is written but what it is recognised "
        "by.",
        source,
        f"`diskwright keep {run}` puts it to use, `diskwright undo {run}` puts back what was there before, "
        "where "
        f"the run's folder is. Where that is lost, `diskwright keep --from-drive {path}` shows what it would "
        "write to put it to use; what was there before is gone with the folder.",
    )


def _use(use: Use, *, carries_system: bool) -> Finding:
    subject, by = use.subject, printable(use.by)
    sentence, remedy = {
        "mounted": (f"{subject} is mounted on {by}.", f"`umount {by}` when nothing needs it."),
        "swap": (
            f"{subject} is used as swap space.",
            f"`swapoff {subject}` when memory suffices without it.",
        ),
        "holder": (
            f"{subject} carries the block device {by}.",
            f"Stop {by} first (`cryptsetup close`, `vgchange -an`, `mdadm --stop`).",
        ),
        "loop-backing": (
            f"{subject} carries the loop device {by}.",
            f"`losetup --detach {by}` when nothing needs it.",
        ),
        "raid-member": (
            f"{subject} is an active member of {by}.",
            f"Take it out of {by}, or stop {by}, first.",
        ),
        "running-system": (
            f"{subject} carries the running system ({by}).",
            "Nothing can be done while the system runs from it: start from another medium.",
        ),
    }.get(
        use.kind,
        (
            f"{subject} is held open by {by}, for itself alone.",
            f"`fuser -v {subject}` names the program; end it.",
        ),
    )
    if carries_system and use.kind in ("mounted", "swap"):
        remedy = "The running system may need it; only another medium to start from makes the drive free."
    code = f"use-{use.kind}" if use.kind in _KINDS else "use-opened"
    why = "Whoever uses a device writes to it without asking; nothing else may change it meanwhile."
    return Finding(
        code,
        Severity.INFO,
        subject,
        sentence,
        why,
        "/proc/*/mountinfo, /proc/swaps, sysfs and an exclusive open",
        remedy,
    )


_KINDS = ("mounted", "swap", "holder", "loop-backing", "raid-member", "running-system", "opened")


def _unread(drive: Drive, *, root: bool) -> Iterator[Finding]:
    """One finding for all reasons that concern the same and have the same remedy: a drive that fails to read
    has many."""
    reasons: dict[str, list[str]] = {}
    for unread in drive.unread:
        reasons.setdefault(unread.why, []).append(unread.what)
    alike: dict[tuple[str, ...], list[str]] = {}
    for why, what in reasons.items():
        alike.setdefault((_remedy(why, root=root), *what), []).append(why)
    for (remedy, *what), whys in alike.items():
        essential = any(name in ESSENTIAL for name in what)
        yield Finding(
            "drive-unread",
            Severity.WARNING if essential and root else Severity.INFO,
            drive.path,
            f"Not read of {drive.path}: {', '.join(printable(name, 40) for name in what)}. "
            f"{' '.join(map(_sentence, whys))}",
            "Nothing is written to a drive that is not known."
            if essential
            else "What depends on it is missing below, or less sure.",
            "the system's answer",
            remedy,
        )


def _sentence(why: str) -> str:
    said = printable(why, 200).rstrip(".")
    return f"{said[:1].upper()}{said[1:]}."


def _remedy(why: str, *, root: bool) -> str:
    if not root:
        return "Run diskwright as root to read everything."
    if any(word in why.lower() for word in ("permitted", "denied")):
        return "The system forbids it even to root, as in a container: run diskwright outside of it."
    if "not installed" in why:
        return "Install what is missing to know more; nothing else depends on it."
    if "unknown usb bridge" in why.lower():
        return (
            "Nothing is amiss: smartctl does not know this bridge and leaves it alone. Without the bridge "
            "more can be known."
        )
    if OTHER_BLOCKS in why:
        return (
            "Attach the drive as it was when the table was made: another USB bridge may show other blocks. "
            "Until then write nothing to it."
        )
    if why.startswith(CONTRADICTING):
        return (
            "Save what can be read, then plan the drive anew. Until then write nothing to it: there may be "
            "more than its table tells."
        )
    return "Check cable and power; `dmesg` tells what the kernel met."
