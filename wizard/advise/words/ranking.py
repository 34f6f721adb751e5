"""What is said of the ranking for one drive and one purpose, and of what a filesystem cannot do at all."""

from wizard.model.said import Sentence

ON_ZONES = Sentence(
    "advise.ranking.on-zones",
    "It is the only filesystem made here that can live on such a drive. It writes everything in new places, "
    "zone after zone. It takes the whole drive, without a partition table. Data are kept once; files cannot "
    "be exempted from copy-on-write (nodatacow), nor their space reserved (fallocate).",
)
NO_PARTITIONS = Sentence(
    "advise.ranking.no-partitions",
    "This kernel takes no partitions on the drive, which it calls host-aware. From kernel 6.8 on, it is a "
    "disk like any other. Boot such a kernel, or make the filesystem by hand on the whole drive, which takes "
    "any write.",
)
NOT_ON_ZONES = Sentence(
    "advise.ranking.not-on-zones", "What speaks for it on other drives does not count here."
)
HIDDEN_ZONES = Sentence(
    "advise.ranking.hidden-zones",
    "Its model is one whose zones the host must manage, but the kernel shows no zones. Writes out of order "
    "may fail. Connect it to a controller that passes zones on, and look again.",
)

UP_TO_FIRST = Sentence(
    "advise.ranking.up-to-first", "It moves up to the first place because {others:and} cannot be used here."
)
UP_TO_SECOND = Sentence(
    "advise.ranking.up-to-second", "It moves up to the second place because {others:and} cannot be used here."
)
BECAUSE = Sentence("advise.ranking.because", "{why}")
FIRST_BARRED = Sentence(
    "advise.ranking.first-barred", "{title} would come first for this work, but cannot be used here."
)
SECOND_BARRED = Sentence(
    "advise.ranking.second-barred", "{title} would come second for this work, but cannot be used here."
)

UNREAD = Sentence("advise.ranking.unread", "The drive could not be read: {why}")
CONTENT_UNREAD = Sentence(
    "advise.ranking.content-unread",
    "What the drive holds could not be read, so it may be failing. Save its data before anything else. {why}",
)
LIKELY_SHINGLED = Sentence(
    "advise.ranking.likely-shingled",
    "The drive is likely shingled, but not surely; the advice is the one for shingled drives.",
)
OTHERWISE = Sentence(
    "advise.ranking.otherwise", "If it is not, {usual} would come before {shingled} for this work."
)
FILESYSTEMS_UNREAD = Sentence(
    "advise.ranking.filesystems-unread",
    "Which filesystems the kernel has could not be read; mounting will tell.",
)
SIZE_UNREAD = Sentence(
    "advise.ranking.size-unread", "The drive's size could not be read, so no limit of size was checked."
)
BLOCKS_UNREAD = Sentence(
    "advise.ranking.blocks-unread", "The drive's block sizes could not be read, so they were not checked."
)
ROTATION_UNTOLD = Sentence(
    "advise.ranking.rotation-untold",
    "Nothing says whether the drive rotates; what depends on that is left out.",
)
ZONES_UNREAD = Sentence(
    "advise.ranking.zones-unread", "Whether the drive has zones that the host must manage could not be read."
)

ROTATES = Sentence(
    "advise.ranking.rotates",
    "This purpose is for drives that do not rotate, and this one does. A purpose named after what it will "
    "hold fits it better.",
)
UNPROVEN = Sentence(
    "advise.ranking.unproven",
    "No study ran both often enough, like for like, to show {first} faster than {second} at this work. A "
    "trial would tell: `t` on the plan, or `diskwright trial`.",
)
TRIAL_IN_CACHE = Sentence(
    "advise.ranking.trial-in-cache",
    "A trial of minutes stays within a shingled drive's cache. `--seconds` and `--most-bytes` let it run for "
    "hours.",
)
SHINGLED = Sentence(
    "advise.ranking.shingled",
    "Shingled drives write long runs fast. Once their cache is full, rewriting in place is slow, whatever "
    "filesystem they have.",
)
SHINGLED_SYSTEM = Sentence(
    "advise.ranking.shingled-system",
    "A shingled drive is a poor home for a system, which rewrites small blocks all day. Another drive would "
    "serve better.",
)
DISCARDS = Sentence(
    "advise.ranking.discards",
    "The drive takes discards. Let fstrim.timer send them once a week "
    "(systemctl enable --now fstrim.timer). The mount option discard sends them at every deletion, and is "
    "not recommended. Since kernel 6.2, Btrfs discards by itself in the background.",
)

NO_DRIVER = Sentence(
    "advise.ranking.no-driver",
    "The running kernel ({release}) has no {title}: boot one that has, or install its module.",
)
LARGE_BLOCKS = Sentence(
    "advise.ranking.large-blocks",
    "The drive's logical blocks have {size} bytes; a {title} block has at most 4096.",
)
FILE_MISSING = Sentence("advise.ranking.file-missing", "{path} is missing, and {program} needs it: {how}.")
TOO_SMALL = Sentence(
    "advise.ranking.too-small", "There is room for {room:size}, and {title} needs {least} MiB: {why}."
)
TOO_LARGE = Sentence("advise.ranking.too-large", "{size:size} is more than {title} can address.")
