"""Findings about uses of a drive and unread facts."""

import shlex
from collections.abc import Iterator

from wizard.filesystems import partition_types
from wizard.model.finding import Commands, Finding, Severity, command
from wizard.model.machine import Drive, Obstacle, Use
from wizard.model.run import Waiting
from wizard.model.said import Message, Sentence, t

FORBIDDEN = t("The system denies this even to root, as in a container. Run diskwright outside the container.")


OTHER_BLOCKS = t(
    "Do not write to the drive. Attach the drive as when the table was created: another USB bridge may show "
    "other or fewer blocks."
)

ESSENTIAL = ("drive", "size_bytes", "geometry", "table", "partitions", "signatures", "uses")
"""Fields required before any write."""

NOT_CHECKED = Sentence("Cannot read the drive's {what}. Limits that depend on this were not checked.")

NAMES = {
    "drive": t("drive contents"),
    "size_bytes": t("size"),
    "geometry": t("block sizes"),
    "table": t("partition table"),
    "partitions": t("partitions"),
    "signatures": t("drive contents"),
    "uses": t("current use"),
    "free": t("free space"),
    "content_digest": t("drive contents"),
    "contents": t("drive contents"),
    "notice": t("waiting run, if any"),
    "layers": t("storage layers (LUKS, LVM, md)"),
    "zones": t("zones"),
    "smart": t("health (SMART)"),
    "ata": t("identity (ATA)"),
    "nvme_formats": t("block formats (NVMe)"),
}
"""Fields that the probe can fail to read."""


def find_use(drive: Drive) -> Iterator[Finding]:
    """Yield write protection, waiting runs, uses and unread facts."""
    if drive.read_only:
        yield Finding(
            "drive-read-only",
            Severity.INFO,
            drive.path,
            t("{drive} is read-only: the kernel rejects writes.", drive=drive),
            t("The drive can be inspected, but not set up."),
            t("the kernel's view in sysfs"),
            t(
                "Check for a write-protect switch. A migration waiting for `keep` or `undo` also locks the "
                "drive: see its status first. Otherwise, blockdev removes a software lock."
            ),
            (*command("diskwright", "status"), *command("blockdev", "--setrw", drive.path)),
        )
    if drive.waiting:
        yield _waiting(drive.path, drive.waiting)
    for part in filter(partition_types.is_half_moved, drive.partitions):
        yield Finding(
            "move-unfinished",
            Severity.DANGER,
            part.path,
            t("{part} is in an unfinished move with all its data. Do not format the partition.", part=part),
            t("The partition cannot be mounted until the move is finished. No data is lost."),
            t("the partition table, and the move's journal on the drive"),
            t("Continue the move; on another computer, from the drive's journal."),
            (
                *command("diskwright", "resume"),
                *command("diskwright", "resume", "--from-drive", drive.path),
            ),
        )
    security = drive.ata.security or 0 if drive.ata else 0
    if security & (PASSWORD_SET | LOCKED):
        locked = security & LOCKED
        yield Finding(
            "drive-locked",
            Severity.DANGER if locked else Severity.INFO,
            drive.path,
            t("{drive} is locked by an ATA password.", drive=drive)
            if locked
            else t("{drive} has an ATA password and locks when powered off.", drive=drive),
            t("A locked drive neither reads nor writes."),
            t("ACS-4, IDENTIFY word 128"),
            t("Unlock the drive in the firmware, or with hdparm."),
            command("hdparm", "--security-unlock", "PASSWORD", drive.path) if locked else (),
        )
    for device, mark in drive.marks:
        if mark.unclean or mark.kind == "swsuspend" or (mark.kind, mark.version) == ("xfs", "4"):
            code, severity, sentence, why, remedy = STATES[mark.kind]
            source = t("superblocks and LVM metadata")
            clears = command("ntfsfix", "--clear-dirty", device, unused=device)
            commands = clears if mark.kind == "ntfs" else ()
            yield Finding(code, severity, device, sentence(device=device), why, source, remedy, commands)
    yield from (_use(use, drive) for use in drive.uses)
    yield from _unread(drive)


PASSWORD_SET, LOCKED = 2, 4
"""Bits of Ata.security."""

STATES: dict[str, tuple[str, Severity, Sentence, Message, Message]] = {
    "ntfs": (
        "content-unclean",
        Severity.WARNING,
        Sentence("The NTFS on {device} is marked for a check: not unmounted, or damaged."),
        t("Linux mounts the filesystem read-only or not at all, and cannot resize."),
        t("Check the filesystem on Windows with chkdsk. Without Windows, ntfsfix clears the mark."),
    ),
    "swsuspend": (
        "content-hibernated",
        Severity.WARNING,
        Sentence("The swap on {device} contains the memory of a hibernated system."),
        t("Changed filesystems are damaged when the system resumes."),
        t("Boot and shut down that system."),
    ),
    "xfs": (
        "content-deprecated",
        Severity.INFO,
        Sentence("The XFS on {device} has the old format, version 4."),
        t("Linux drops this format in September 2030, and distributions may do so earlier."),
        t("Copy the files to a new filesystem before then."),
    ),
}
"""Code, severity, fact, consequence and remedy by kind of content."""


def _waiting(path: str, waiting: Waiting) -> Finding:
    words = shlex.split(waiting.run)  # Quoted for the shell.
    if waiting.bare:
        code, severity = "drive-waiting", Severity.WARNING
        found = Sentence(
            "{drive} is waiting for `keep` or `undo` of run {run}, begun {begun:moment}: {told}."
        )
        why = t(
            "Other programs see an empty or unchanged drive: only the identifying "
            "signatures have not been written yet."
        )
        remedy = t(
            "Keep the result, or undo the run. Without the run's folder, the old contents are lost, and only "
            "the result on the drive can be kept."
        )
        commands = (
            *command("diskwright", "keep", *words),
            *command("diskwright", "undo", *words),
            *command("diskwright", "keep", "--from-drive", path),
        )
    else:
        code, severity = "drive-left", Severity.INFO
        found = Sentence(
            "{drive} was left by run {run}, begun {begun:moment}: {told}. The blocks "
            "withheld by the run have since been written."
        )
        why = t("It is unknown which part of the run's result is intact.")
        remedy = t("If the run's folder exists, its status shows the state.")
        commands = command("diskwright", "status", *words)
    return Finding(
        code,
        severity,
        path,
        found(drive=path, run=waiting.run, begun=waiting.begun, told=waiting.told.rstrip(".")),
        why,
        t("the recovery label at byte {start} of the drive", start=waiting.start_bytes),
        remedy,
        commands,
    )


USED, CLOSE = Sentence("{device} is used by {by}."), Sentence("Close {by} first.")

USES = {
    "mounted": (Sentence("{device} is mounted on {by}."), Sentence("Unmount {by} when unused.")),
    "swap": (
        Sentence("{device} is used as swap space."),
        Sentence("Deactivate the swap space if memory suffices without it."),
    ),
    "holder": (USED, CLOSE),
    "loop-backing": (USED, CLOSE),
    "raid-member": (USED, Sentence("First remove the device from {by}, or stop {by}.")),
    "running-system": (
        Sentence("{device} contains the running system ({by})."),
        Sentence("No changes are possible while the system runs from this device: boot from another medium."),
    ),
    "opened": (
        Sentence("{device} is opened exclusively by {by}."),
        Sentence("End the program that uses the device."),
    ),
}
"""Fact and remedy by kind of use."""


def _use(use: Use, drive: Drive) -> Finding:
    kind = use.kind if use.kind in USES else "opened"
    values = {"device": use.subject, "by": use.by}
    found, remedy = (
        sentence(**{field: values[field] for field in sentence.fields}) for sentence in USES[kind]
    )
    by = str(use.by)
    ends: tuple[str, ...] = ()
    match use.kind:
        case "mounted":
            ends = "umount", by
        case "swap":
            ends = "swapoff", use.subject
        case "loop-backing":
            ends = "losetup", "--detach", by
        case "holder" | "raid-member" if use.subject == drive.path or drive.partition(use.subject):
            ends = "diskwright", "release", drive.path
        case "opened":
            ends = "fuser", "-v", use.subject
    if not isinstance(use.by, str):
        ends = ()
        if kind == "mounted":
            remedy = t("Unmount it in the other session or container.")
    if drive.runs_system and kind in ("mounted", "swap"):
        ends = ()
        remedy = t("The running system may need it. Boot from another medium to free the drive.")
    return Finding(
        f"use-{kind}",
        Severity.INFO,
        use.subject,
        found,
        t("A program that uses a device may write at any time. Other programs must not change the device."),
        t("/proc/*/mountinfo, /proc/swaps, sysfs and an exclusive open"),
        remedy,
        command(*ends, unused=ends[-1] if kind == "loop-backing" else "") if ends else (),
    )


REMEDIES = {
    Obstacle.DENIED: FORBIDDEN,
    Obstacle.FORBIDDEN: FORBIDDEN,
    Obstacle.NOT_INSTALLED: t("Install the missing tool for more information; this is optional."),
    Obstacle.UNKNOWN_BRIDGE: t(
        "No fault: smartctl does not support this USB bridge and skips the drive. "
        "Without the bridge, more data is readable."
    ),
    Obstacle.OTHER_BLOCKS: OTHER_BLOCKS,
    Obstacle.CONTROLLER: t(
        "No fault: a RAID controller hides the drives. smartctl lists their addresses and reads one of them."
    ),
    Obstacle.CONTRADICTORY: t(
        "Do not write to the drive: it may contain more than the table shows. Save "
        "all readable data, then set up the drive again."
    ),
}


RUN_AS_ROOT = t("Run diskwright as root to read everything.")
CABLE = t("Check the cable and power. The kernel log shows errors.")
READS: dict[Message, Commands] = {
    CABLE: command("dmesg"),
    REMEDIES[Obstacle.CONTROLLER]: command("smartctl", "--scan-open"),
}
"""Commands by remedy."""


def named_field(what: str) -> Message | str:
    """Return the display name of a field. Other versions may record unknown ones."""
    return NAMES.get(what, what)


def _unread(drive: Drive) -> Iterator[Finding]:
    """Merge reasons with equal subjects and remedies, since a failing drive has many."""
    fields: dict[tuple[Message, Message], list[str]] = {}
    for unread in drive.unread:
        remedy = RUN_AS_ROOT if unread.without_root else REMEDIES.get(unread.obstacle, CABLE)
        fields.setdefault((unread.why, remedy), []).append(unread.what)
    alike: dict[tuple[Message, tuple[str, ...]], list[Message]] = {}
    for (why, remedy_text), what in fields.items():
        alike.setdefault((remedy_text, tuple(what)), []).append(why)
    for (remedy_text, names), whys in alike.items():
        essential = any(name in ESSENTIAL for name in names)
        yield Finding(
            "drive-unread",
            Severity.WARNING if essential and remedy_text != RUN_AS_ROOT else Severity.INFO,
            drive.path,
            t(
                "Not read from {drive}: {what:list}. {reasons:row}",
                drive=drive,
                what=tuple(dict.fromkeys(map(named_field, names))),
                reasons=tuple(whys),
            ),
            t("Without this information, diskwright does not write to a drive.")
            if essential
            else t("Dependent information below is missing or less certain."),
            t("the system's response"),
            remedy_text,
            READS.get(remedy_text, ()),
        )
