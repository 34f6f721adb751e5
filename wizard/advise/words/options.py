"""What is said of options: where they do not fit, and what a person may ask for."""

from wizard.model.said import Sentence

ROTATING = Sentence("advise.options.rotating", "It is for drives that rotate.")
NOT_ROTATING = Sentence("advise.options.not-rotating", "It is for drives that do not rotate.")
SHINGLED = Sentence("advise.options.shingled", "It is for shingled drives.")
NOT_SHINGLED = Sentence("advise.options.not-shingled", "It does not suit a shingled drive.")
ZONED = Sentence("advise.options.zoned", "It is for drives whose zones the host must manage.")
NOT_ZONED = Sentence("advise.options.not-zoned", "It does not suit a drive whose zones the host must manage.")
ALL_SEQUENTIAL = Sentence(
    "advise.options.all-sequential", "It is for drives on which no zone takes any write."
)
DISCARD = Sentence("advise.options.discard", "It is for drives that take discards.")
NOT_ROOT = Sentence("advise.options.not-root", "It is not for the filesystem the system itself lives on.")

NO_FILESYSTEM = Sentence(
    "advise.options.no-filesystem",
    "The kernel ({release}) has no {titles:and}.",
    "The kernel ({release}) has none of {titles:and}.",
)
NO_VERSION = Sentence("advise.options.no-version", "{text} is no kernel version: write it as 6.2.")
KERNEL_UNKNOWN = Sentence(
    "advise.options.kernel-unknown",
    "The kernel's version could not be read, and {option} is not in every kernel.",
)
KERNEL_OLD = Sentence("advise.options.kernel-old", "Kernel {since} is the first to take it; {release} runs.")
KERNEL_NEW = Sentence(
    "advise.options.kernel-new", "Kernels from {until} on no longer take it; {release} runs."
)
ROTATION_UNTOLD = Sentence("advise.options.rotation-untold", "Nothing says whether the drive rotates.")
LOOP = Sentence(
    "advise.options.loop", "A loop device leaves the order of requests to the drive that holds its file."
)
NOT_HAD = Sentence("advise.options.not-had", "The kernel does not offer it for this drive.")
SIZE_UNKNOWN = Sentence("advise.options.size-unknown", "The volume's size is not known.")
AT_LEAST = Sentence("advise.options.at-least", "It is for volumes of {least:exact} and more.")
AT_MOST = Sentence("advise.options.at-most", "It is for volumes up to {most:exact}.")

TOGETHER = Sentence("advise.options.together", "{one} and {other} cannot be used together.")
OTHER_FILESYSTEM = Sentence(
    "advise.options.other-filesystem", "{option} is for {filesystems:list}, not for {filesystem}."
)
NO_DANGER = Sentence(
    "advise.options.no-danger",
    "No option that was asked for has the danger {phrase}: type what the refusal says, exactly.",
)
UNKNOWN = Sentence(
    "advise.options.unknown",
    "There is no option {option}; `diskwright options {filesystem}` lists them by id.",
)
NOT_ASKED = Sentence("advise.options.not-asked", "{option} ({text}) cannot be asked for here: {why}")
TUNES = Sentence(
    "advise.options.tunes", "it changes a filesystem that exists already, and makes or mounts none."
)
SCHEDULER = Sentence("advise.options.scheduler", "it is a scheduler, and diskwright sets none.")
DEFAULT = Sentence("advise.options.default", "{option} is nothing to ask for. {why}")
REFUSED = Sentence("advise.options.refused", "{option} is not possible: {why}")
NOT_HERE = Sentence("advise.options.not-here", "{option} is not possible here. {why}")
NOT_FOR_SYSTEM = Sentence(
    "advise.options.not-for-system",
    "{option} puts data at risk, and a volume that the system lives on does not get it. {why}",
)
DANGEROUS = Sentence(
    "advise.options.dangerous",
    "{option} puts data at risk. {why} To have it all the same, type its danger back exactly: "
    '--danger "{phrase}"',
)
NEEDED = Sentence("advise.options.needed", "{option} cannot stand beside {advised}, which the drive needs.")
MADE_DANGEROUS = Sentence(
    "advise.options.made-dangerous",
    "The volume for {purpose} is made with {option}; its danger was typed back. {why}",
)
MADE_ASKED = Sentence(
    "advise.options.made-asked",
    "The volume for {purpose} is made with {option}; it was asked for, and is not recommended. {why}",
)
MOUNTED_DANGEROUS = Sentence(
    "advise.options.mounted-dangerous",
    "The volume for {purpose} is mounted with {option}; its danger was typed back. {why}",
)
MOUNTED_ASKED = Sentence(
    "advise.options.mounted-asked",
    "The volume for {purpose} is mounted with {option}; it was asked for, and is not recommended. {why}",
)
