"""What is said of md arrays and LVM's striped volumes: made, checked, put together and taken apart."""

from wizard.model.said import Sentence

# Whether a name or a UUID is free, and whether what is there is the run's own.
TAKEN = Sentence(
    "apply.steps.arrays.taken",
    "{device} is taken by another array: make the plan again. Nothing was written.",
)
UUID_TAKEN = Sentence(
    "apply.steps.arrays.uuid-taken",
    "Another array has the UUID {uuid}: make the plan again. Nothing was written.",
)
STRANGER = Sentence(
    "apply.steps.arrays.stranger",
    "{node} stands on the drives of this plan and is not what it makes: it was not touched.",
)
NOT_OWN = Sentence(
    "apply.steps.arrays.not-own", "{device} was not touched: it is not the array that this run made."
)
WITHOUT = Sentence("apply.steps.arrays.without", "{device} runs without {parts:list}.")

# How making one ends.
NOT_ON_PARTS = Sentence(
    "apply.steps.arrays.not-on-parts", "{device} does not stand on the parts that it was made of."
)
MADE = Sentence(
    "apply.steps.arrays.made",
    "{device} is a {level} over {drives} drives, and mdadm finds it as planned.",
)
STRIPED = Sentence(
    "apply.steps.arrays.striped",
    "{device} is striped over {drives} drives, and LVM finds it as planned.",
)
STRIPES_NOTHING = Sentence("apply.steps.arrays.stripes-nothing", "The plan stripes nothing.")
NO_DRIVE = Sentence("apply.steps.arrays.no-drive", "{part} is on none of the plan's drives.")

# On stand-ins.
COPIED = Sentence("apply.steps.arrays.copied", "mdadm calls {part} copied already, which it is not.")
NOT_UNSEEN = Sentence("apply.steps.arrays.not-unseen", "udev could not be told to leave {node} alone: {why}.")
NO_OFFSET = Sentence("apply.steps.arrays.no-offset", "mdadm does not say where the data of {part} begin.")
NOT_SET = Sentence("apply.steps.arrays.not-set", "{file} did not take {text}: {why}.")

# Checks, and what they saw.
MD_FOUND = Sentence(
    "apply.steps.arrays.md-found", "mdadm finds {device} a {level} of {drives} with the planned UUID"
)
MIRROR_PART = Sentence(
    "apply.steps.arrays.mirror-part",
    "mdadm finds on {part} its part of that array, with a bitmap and aligned",
)
STRIPED_PART = Sentence(
    "apply.steps.arrays.striped-part",
    "mdadm finds on {part} its part of that array, with its chunk and aligned",
)
MIRROR_SEEN = Sentence("apply.steps.arrays.mirror-seen", "{where}, a bitmap")
MIRROR_WITHOUT = Sentence("apply.steps.arrays.mirror-without", "{where}, no bitmap")
STRIPED_SEEN = Sentence("apply.steps.arrays.striped-seen", "{chunk} bytes, {where}")
CHUNKLESS = Sentence("apply.steps.arrays.chunkless", "no chunk, {where}")
NO_DATA = Sentence("apply.steps.arrays.no-data", "its data cannot be found")
ALIGNED = Sentence("apply.steps.arrays.aligned", "its data {offset} bytes in, aligned")
NOT_ALIGNED = Sentence("apply.steps.arrays.not-aligned", "its data {offset} bytes in, not aligned")
LVM_FOUND = Sentence(
    "apply.steps.arrays.lvm-found", "LVM finds {name} striped over {parts}, {chunk:exact} each"
)
KERNEL_FOUND = Sentence(
    "apply.steps.arrays.kernel-found",
    "The kernel advises for {device} what it was made with, and finds it aligned",
)
KERNEL_SEEN = Sentence("apply.steps.arrays.kernel-seen", "at least {least}, at best {best}, offset {offset}")
SUM_TELLS_NOTHING = Sentence(
    "apply.steps.arrays.sum-tells-nothing",
    "{seen}: a drive's own optimal I/O size cannot be meant, so the kernel's sum of them tells nothing",
)
KERNEL_UNREAD = Sentence(
    "apply.steps.arrays.kernel-unread", "What the kernel says of {node} could not be read: {why}."
)
