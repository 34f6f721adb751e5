"""Who uses a drive, what could not be read of it, and whether it fails."""

from wizard.model.said import Sentence

FAILING = Sentence("diagnose.use.failing", "{drive} is failing: its own SMART health check has not passed.")
FAILING_WHY = Sentence("diagnose.use.failing-why", "The drive expects to lose data soon, or already has.")
FAILING_SOURCE = Sentence(
    "diagnose.use.failing-source", "smartctl, the drive's own overall health assessment"
)
FAILING_REMEDY = Sentence(
    "diagnose.use.failing-remedy",
    "Copy everything off it now and replace it. `smartctl -x {drive}` shows what failed.",
)

READ_ONLY = Sentence("diagnose.use.read-only", "{drive} is read-only: the kernel allows no writes.")
READ_ONLY_WHY = Sentence("diagnose.use.read-only-why", "It can be inspected, but not set up.")
READ_ONLY_SOURCE = Sentence("diagnose.use.read-only-source", "the attribute ro of the block device in sysfs")
READ_ONLY_REMEDY = Sentence(
    "diagnose.use.read-only-remedy",
    "Look for a write-protect switch. A migration that waits for `keep` or `undo` locks it too: see "
    "`diskwright status`. `blockdev --setrw {drive}` lifts a lock set by software.",
)

# A run of diskwright that waits on the drive.
WAITING = Sentence(
    "diagnose.use.waiting",
    "{drive} waits for `keep` or `undo` of the run {run}, begun {begun:moment}: {told}.",
)
WAITING_WHY = Sentence(
    "diagnose.use.waiting-why",
    "To everything else it looks empty, or as before: only what it is recognised by is not written yet.",
)
WAITING_REMEDY = Sentence(
    "diagnose.use.waiting-remedy",
    "Where the run's folder is, `diskwright keep {run}` puts it to use, and `diskwright undo {run}` "
    "restores what was there. If the folder is lost, so is what was there before. `diskwright keep "
    "--from-drive {drive}` then shows what it would write to put it to use.",
)
LEFT = Sentence(
    "diagnose.use.left",
    "{drive} was left by the run {run}, begun {begun:moment}: {told}. What was withheld then was written "
    "to since.",
)
LEFT_WHY = Sentence("diagnose.use.left-why", "Nobody can tell which part of the run's work is whole.")
LEFT_REMEDY = Sentence(
    "diagnose.use.left-remedy",
    "Where the run's folder is, `diskwright status {run}` tells how it stands.",
)
NOTICE = Sentence("diagnose.use.notice", "the notice at byte {start} of the drive")

# Uses.
MOUNTED = Sentence("diagnose.use.mounted", "{device} is mounted on {by}.")
MOUNTED_REMEDY = Sentence("diagnose.use.mounted-remedy", "Run `umount {by}` when nothing needs it.")
HIDDEN_REMEDY = Sentence(
    "diagnose.use.hidden-remedy", "Another session or container has it mounted: unmount it there."
)
SWAP = Sentence("diagnose.use.swap", "{device} is used as swap space.")
SWAP_REMEDY = Sentence("diagnose.use.swap-remedy", "Run `swapoff {device}` when memory suffices without it.")
HOLDER = Sentence("diagnose.use.holder", "{device} carries the block device {by}.")
HOLDER_REMEDY = Sentence(
    "diagnose.use.holder-remedy",
    "Stop {by} first (`cryptsetup close`, `vgchange -an`, `mdadm --stop`).",
)
LOOP = Sentence("diagnose.use.loop", "{device} carries the loop device {by}.")
LOOP_REMEDY = Sentence("diagnose.use.loop-remedy", "Run `losetup --detach {by}` when nothing needs it.")
MEMBER = Sentence("diagnose.use.member", "{device} is an active member of {by}.")
MEMBER_REMEDY = Sentence("diagnose.use.member-remedy", "Take it out of {by}, or stop {by}, first.")
SYSTEM = Sentence("diagnose.use.system", "{device} carries the running system ({by}).")
SYSTEM_REMEDY = Sentence(
    "diagnose.use.system-remedy",
    "Nothing can be done while the system runs from it: start from another medium.",
)
SYSTEM_MAY_NEED_IT = Sentence(
    "diagnose.use.system-may-need-it",
    "The running system may need it. Only starting from another medium frees the drive.",
)
OPENED = Sentence("diagnose.use.opened", "{device} is held open by {by}, for itself alone.")
OPENED_REMEDY = Sentence("diagnose.use.opened-remedy", "`fuser -v {device}` names the program; end it.")
USE_WHY = Sentence(
    "diagnose.use.use-why",
    "Whoever uses a device writes to it without asking. Nothing else may change it meanwhile.",
)
USE_SOURCE = Sentence(
    "diagnose.use.use-source", "/proc/*/mountinfo, /proc/swaps, sysfs and an exclusive open"
)

# What could not be read.
UNREAD = Sentence("diagnose.use.unread", "Not read of {drive}: {what:list}. {reasons:row}")
NAMES = {
    "drive": Sentence("diagnose.use.name-drive", "the drive itself"),
    "size_bytes": Sentence("diagnose.use.name-size-bytes", "its size"),
    "geometry": Sentence("diagnose.use.name-geometry", "its block sizes"),
    "table": Sentence("diagnose.use.name-table", "the partition table"),
    "partitions": Sentence("diagnose.use.name-partitions", "the partitions"),
    "signatures": Sentence("diagnose.use.name-signatures", "what the drive and its partitions hold"),
    "uses": Sentence("diagnose.use.name-uses", "what uses it"),
    "free": Sentence("diagnose.use.name-free", "its free space"),
    "content_digest": Sentence("diagnose.use.name-content-digest", "a checksum of what it holds"),
    "contents": Sentence("diagnose.use.name-contents", "what the drive holds"),
    "notice": Sentence("diagnose.use.name-notice", "whether a run waits on it"),
    "layers": Sentence("diagnose.use.name-layers", "what lies on it in layers (LUKS, LVM, md)"),
    "zones": Sentence("diagnose.use.name-zones", "its zones"),
    "smart": Sentence("diagnose.use.name-smart", "the drive's health (SMART)"),
    "ata": Sentence("diagnose.use.name-ata", "its identity (ATA)"),
    "nvme_formats": Sentence("diagnose.use.name-nvme-formats", "its block formats (NVMe)"),
}
"""What a person knows each field by that the probe can fail to read."""
ESSENTIAL_WHY = Sentence("diagnose.use.essential-why", "Nothing is written to a drive that is not known.")
UNREAD_WHY = Sentence("diagnose.use.unread-why", "What depends on it is missing below, or less sure.")
UNREAD_SOURCE = Sentence("diagnose.use.unread-source", "the system's answer")
AS_ROOT = Sentence("diagnose.use.as-root", "Run diskwright as root to read everything.")
FORBIDDEN = Sentence(
    "diagnose.use.forbidden",
    "The system forbids it even to root, as in a container: run diskwright outside of it.",
)
NOT_INSTALLED = Sentence(
    "diagnose.use.not-installed", "Install what is missing to know more; nothing else depends on it."
)
UNKNOWN_BRIDGE = Sentence(
    "diagnose.use.unknown-bridge",
    "Nothing is wrong: smartctl does not know this USB bridge and leaves it alone. Without the bridge, "
    "more can be read.",
)
OTHER_BLOCKS = Sentence(
    "diagnose.use.other-blocks",
    "Write nothing to it. Attach the drive as it was when the table was made: another USB bridge may show "
    "other blocks.",
)
CONTRADICTORY = Sentence(
    "diagnose.use.contradictory",
    "Write nothing to it: there may be more than its table tells. Save what can be read, then set the "
    "drive up anew.",
)
CHECK_CABLE = Sentence(
    "diagnose.use.check-cable", "Check cable and power; `dmesg` tells what the kernel met."
)
HALF_MOVED = Sentence(
    "diagnose.use.half-moved", "{part} is in the middle of a move, with everything in it. Do not format it."
)
HALF_MOVED_WHY = Sentence(
    "diagnose.use.half-moved-why", "Nobody can mount it until the move is finished. Nothing is lost."
)
HALF_MOVED_SOURCE = Sentence("diagnose.use.half-moved-source", "the type of its entry in the partition table")
HALF_MOVED_JOURNAL = Sentence("diagnose.use.half-moved-journal", "the move's own journal on the drive")
HALF_MOVED_REMEDY = Sentence(
    "diagnose.use.half-moved-remedy",
    "`sudo diskwright resume` goes on. On another computer: `sudo diskwright resume --from-drive {drive}`.",
)
