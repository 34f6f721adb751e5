"""What is checked after the last step of a plan, and what was seen."""

from wizard.model.said import Sentence

# What is to hold.
NO_TABLE = Sentence("apply.plan.checks.no-table", "{drive} has no table, as planned")
TABLE = Sentence("apply.plan.checks.table", "{drive} has the planned table")
KERNEL = Sentence("apply.plan.checks.kernel", "The kernel sees the same partitions")
ONE_LINE = Sentence("apply.plan.checks.one-line", "fstab has exactly one line for {what}")
SUBVOLUMES = Sentence("apply.plan.checks.subvolumes", "{device} has its planned subvolumes")
MOUNTED = Sentence("apply.plan.checks.mounted", "{device} is mounted at {place} as advised")
SWAP = Sentence("apply.plan.checks.swap", "{device} is in use as swap")
MADE = Sentence("apply.plan.checks.made", "{device} is {filesystem} with its planned UUID and label")
SPREAD = Sentence(
    "apply.plan.checks.spread", "{device} is spread over the drives as planned, by its own superblock"
)
ALIGNED = Sentence("apply.plan.checks.aligned", "{device} is aligned")
ALIGNED_KERNEL = Sentence("apply.plan.checks.aligned-kernel", "{device} is aligned by the kernel's rule")
ALIGNED_OPTIMAL = Sentence("apply.plan.checks.aligned-optimal", "{device} is aligned by parted (opt)")
ALIGNED_MINIMAL = Sentence(
    "apply.plan.checks.aligned-minimal",
    "{device} is aligned by parted (min, since the drive's optimal I/O size of {bytes} bytes cannot be "
    "meant)",
)
CLEAN = Sentence("apply.plan.checks.clean", "{device} is clean")

# What was seen.
UNREAD = Sentence("apply.plan.checks.unread", "it could not be read")
OFF = Sentence("apply.plan.checks.off", "{count} byte off", "{count} bytes off")
AT_BYTE = Sentence("apply.plan.checks.at-byte", "byte {byte}")
NO_PARTED = Sentence(
    "apply.plan.checks.no-parted", "parted is not installed, so only the kernel's rule was asked"
)
IS_ALIGNED = Sentence("apply.plan.checks.is-aligned", "aligned")
NOT_ALIGNED = Sentence("apply.plan.checks.not-aligned", "not aligned")
NOTHING_WRONG = Sentence("apply.plan.checks.nothing-wrong", "{tool} found nothing wrong")
NO_DEVICE_ERROR = Sentence(
    "apply.plan.checks.no-device-error", "checked before it was mounted, and no device error since"
)
ERRORS_SINCE = Sentence(
    "apply.plan.checks.errors-since",
    "checked before it was mounted, and {count} error since",
    "checked before it was mounted, and {count} errors since",
)
WITHOUT_COMPLAINT = Sentence(
    "apply.plan.checks.without-complaint", "checked before it was mounted, and mounted without complaint"
)
