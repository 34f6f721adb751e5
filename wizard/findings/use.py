"""Who uses the drive, what could not be read of it, and whether it is dying."""

from collections.abc import Iterator

from wizard.filesystems.kind import is_half_moved
from wizard.findings import messages as words
from wizard.model.ext import Waiting
from wizard.model.finding import Finding, Severity
from wizard.model.machine import Drive, Obstacle, Use
from wizard.model.said import Message, Sentence, t

FORBIDDEN = Sentence("The system forbids it even to root, as in a container: run diskwright outside of it.")

ESSENTIAL = ("drive", "size_bytes", "geometry", "table", "partitions", "signatures", "uses")
"""Fields without which nothing may be written."""


def find_use(drive: Drive, *, root: bool) -> Iterator[Finding]:
    """One finding a use, one a reason for something unread; read-only; failing health."""
    if drive.smart.passed is False:
        yield Finding(
            "health-failing",
            Severity.DANGER,
            drive.path,
            t("{drive} is failing: its own SMART health check has not passed.", drive=drive.path),
            t("The drive expects to lose data soon, or already has."),
            t("smartctl, the drive's own overall health assessment"),
            t(
                "Copy everything off it now and replace it. `smartctl -x {drive}` shows what failed.",
                drive=drive.path,
            ),
        )
    if drive.read_only:
        yield Finding(
            "drive-read-only",
            Severity.INFO,
            drive.path,
            t("{drive} is read-only: the kernel allows no writes.", drive=drive.path),
            t("It can be inspected, but not set up."),
            t("the attribute ro of the block device in sysfs"),
            t(
                "Look for a write-protect switch. A migration that waits for `keep` or "
                "`undo` locks it too: see `diskwright status`. `blockdev --setrw {drive}` "
                "lifts a lock set by software.",
                drive=drive.path,
            ),
        )
    if drive.waiting:
        yield _waiting(drive.path, drive.waiting)
    yield from _half_moved(drive)
    carries_system = any(use.kind == "running-system" for use in drive.uses)
    yield from (_use(use, carries_system=carries_system) for use in drive.uses)
    yield from _unread(drive, root=root)


def _half_moved(drive: Drive) -> Iterator[Finding]:
    for part in drive.partitions:
        if is_half_moved(part):
            yield Finding(
                "move-unfinished",
                Severity.DANGER,
                part.path,
                t(
                    "{part} is in the middle of a move, with everything in it. Do not format it.",
                    part=part.path,
                ),
                t("Nobody can mount it until the move is finished. Nothing is lost."),
                t("the move's own journal on the drive")
                if part.moving
                else t("the type of its entry in the partition table"),
                t(
                    "`sudo diskwright resume` goes on. On another computer: `sudo diskwright "
                    "resume --from-drive {drive}`.",
                    drive=drive.path,
                ),
            )


def _waiting(path: str, waiting: Waiting) -> Finding:
    run, begun, told = waiting.run, waiting.begun, waiting.told.rstrip(".")
    source = t("the notice at byte {start} of the drive", start=waiting.start_bytes)
    if not waiting.bare:
        return Finding(
            "drive-left",
            Severity.INFO,
            path,
            t(
                "{drive} was left by the run {run}, begun {begun:moment}: {told}. What was "
                "withheld then was written to since.",
                drive=path,
                run=run,
                begun=begun,
                told=told,
            ),
            t("Nobody can tell which part of the run's work is whole."),
            source,
            t("Where the run's folder is, `diskwright status {run}` tells how it stands.", run=run),
        )
    return Finding(
        "drive-waiting",
        Severity.WARNING,
        path,
        t(
            "{drive} waits for `keep` or `undo` of the run {run}, begun {begun:moment}: {told}.",
            drive=path,
            run=run,
            begun=begun,
            told=told,
        ),
        t(
            "To everything else it looks empty, or as before: only what it is recognised "
            "by is not written yet."
        ),
        source,
        t(
            "Where the run's folder is, `diskwright keep {run}` puts it to use, and "
            "`diskwright undo {run}` restores what was there. If the folder is lost, so "
            "is what was there before. `diskwright keep --from-drive {drive}` then shows "
            "what it would write to put it to use.",
            drive=path,
            run=run,
        ),
    )


def _use(use: Use, *, carries_system: bool) -> Finding:
    code, sentence, remedy = _used(use.kind, use.subject, use.by)
    if carries_system and use.kind in ("mounted", "swap"):
        remedy = t("The running system may need it. Only starting from another medium frees the drive.")
    return Finding(
        code,
        Severity.INFO,
        use.subject,
        sentence,
        t("Whoever uses a device writes to it without asking. Nothing else may change it meanwhile."),
        t("/proc/*/mountinfo, /proc/swaps, sysfs and an exclusive open"),
        remedy,
    )


def _used(kind: str, device: str, by: Message | str) -> tuple[str, Message, Message]:
    """Code, sentence and remedy of a use."""
    match kind:
        case "mounted":
            remedy = (
                t("Run `umount {by}` when nothing needs it.", by=by)
                if isinstance(by, str)
                else t("Another session or container has it mounted: unmount it there.")
            )
            return "use-mounted", t("{device} is mounted on {by}.", device=device, by=by), remedy
        case "swap":
            return (
                "use-swap",
                t("{device} is used as swap space.", device=device),
                t("Run `swapoff {device}` when memory suffices without it.", device=device),
            )
        case "holder":
            return (
                "use-holder",
                t("{device} carries the block device {by}.", device=device, by=by),
                t("Stop {by} first (`cryptsetup close`, `vgchange -an`, `mdadm --stop`).", by=by),
            )
        case "loop-backing":
            return (
                "use-loop-backing",
                t("{device} carries the loop device {by}.", device=device, by=by),
                t("Run `losetup --detach {by}` when nothing needs it.", by=by),
            )
        case "raid-member":
            return (
                "use-raid-member",
                t("{device} is an active member of {by}.", device=device, by=by),
                t("Take it out of {by}, or stop {by}, first.", by=by),
            )
        case "running-system":
            return (
                "use-running-system",
                t("{device} carries the running system ({by}).", device=device, by=by),
                t("Nothing can be done while the system runs from it: start from another medium."),
            )
        case _:
            return (
                "use-opened",
                t("{device} is held open by {by}, for itself alone.", device=device, by=by),
                t("`fuser -v {device}` names the program; end it.", device=device),
            )


REMEDIES = {
    Obstacle.DENIED: FORBIDDEN,
    Obstacle.FORBIDDEN: FORBIDDEN,
    Obstacle.NOT_INSTALLED: Sentence("Install what is missing to know more; nothing else depends on it."),
    Obstacle.UNKNOWN_BRIDGE: Sentence(
        "Nothing is wrong: smartctl does not know this USB bridge and leaves it "
        "alone. Without the bridge, more can be read."
    ),
    Obstacle.OTHER_BLOCKS: Sentence(
        "Write nothing to it. Attach the drive as it was when the table was made: "
        "another USB bridge may show other blocks."
    ),
    Obstacle.CONTRADICTORY: Sentence(
        "Write nothing to it: there may be more than its table tells. Save what can "
        "be read, then set the drive up anew."
    ),
}


def named_field(what: str) -> Message | str:
    """What a person knows the field by. A recording by another version may have a field of its own."""
    return words.NAMES[what]() if what in words.NAMES else what


def _unread(drive: Drive, *, root: bool) -> Iterator[Finding]:
    """One finding for all reasons that concern the same and have the same remedy: a drive that fails to read
    has many."""
    fields: dict[tuple[Message, Message], list[str]] = {}
    for unread in drive.unread:
        remedy = (
            REMEDIES.get(
                unread.obstacle, Sentence("Check cable and power; `dmesg` tells what the kernel met.")
            )
            if root
            else Sentence("Run diskwright as root to read everything.")
        )
        fields.setdefault((unread.why, remedy()), []).append(unread.what)
    alike: dict[tuple[Message, tuple[str, ...]], list[Message]] = {}
    for (why, said), what in fields.items():
        alike.setdefault((said, tuple(what)), []).append(why)
    for (said, names), whys in alike.items():
        essential = any(name in ESSENTIAL for name in names)
        yield Finding(
            "drive-unread",
            Severity.WARNING if essential and root else Severity.INFO,
            drive.path,
            t(
                "Not read of {drive}: {what:list}. {reasons:row}",
                drive=drive.path,
                what=tuple(map(named_field, names)),
                reasons=tuple(whys),
            ),
            t("Nothing is written to a drive that is not known.")
            if essential
            else t("What depends on it is missing below, or less sure."),
            t("the system's answer"),
            said,
        )
