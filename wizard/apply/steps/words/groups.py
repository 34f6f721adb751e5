"""What is said of LVM's volume groups and logical volumes."""

from wizard.model.said import Sentence

NO_DEVICE_MAPPER = Sentence(
    "apply.steps.groups.no-device-mapper",
    "This kernel cannot have LVM's volumes: it has no device mapper, and no module of it. Nothing was "
    "written.",
)
UNREADABLE = Sentence("apply.steps.groups.unreadable", "LVM said what diskwright cannot read: {said}")

# Whether a name is free, and whether what is there is the run's own.
TAKEN = Sentence(
    "apply.steps.groups.taken",
    "{node} is taken by another volume group: make the plan again. Nothing was written.",
)
GROUP_TAKEN = Sentence(
    "apply.steps.groups.group-taken",
    "There is a volume group {name} already, on {places}: make the plan again. Nothing was written.",
)
STRANGER = Sentence(
    "apply.steps.groups.stranger",
    "{node} stands on the drive of this plan and is not what it makes: it was not touched.",
)
NOT_OWN = Sentence(
    "apply.steps.groups.not-own",
    "{device} was not touched: it is not the logical volume that this run made.",
)
HAS_MORE = Sentence(
    "apply.steps.groups.has-more",
    "The volume group {name} was not touched: it has {names}, which this run did not make.",
)
NOT_APART = Sentence(
    "apply.steps.groups.not-apart",
    "{node} could not be taken apart: {name} is not the volume group that this run made.",
)
NO_GROUP = Sentence("apply.steps.groups.no-group", "The plan has no volume group.")

# How making one ends.
OTHER_PARTS = Sentence(
    "apply.steps.groups.other-parts", "The volume group {name} has {seen:list} instead of {planned:list}."
)
NO_PARTS = Sentence("apply.steps.groups.no-parts", "no physical volume")
MADE = Sentence(
    "apply.steps.groups.made",
    "The volume group {name} has exactly the planned physical volume.",
    "The volume group {name} has exactly the planned {count} physical volumes.",
)
VOLUME_MADE = Sentence(
    "apply.steps.groups.volume-made",
    "{device} has exactly {size} bytes, and LVM and the kernel find it as planned.",
)

# Checks, and what they saw.
DATA = Sentence(
    "apply.steps.groups.data", "LVM finds the data of {device} in {name}, beginning {offset} bytes in"
)
ROOM = Sentence(
    "apply.steps.groups.room", "LVM finds {name} on that alone, with {room} bytes in pieces of {extent}"
)
LINEAR = Sentence("apply.steps.groups.linear", "LVM finds {device} linear, in one piece of {size} bytes")
ALIGNED = Sentence("apply.steps.groups.aligned", "The kernel finds {device} aligned")
OFFSET = Sentence("apply.steps.groups.offset", "an offset of {offset} bytes")
DIFFERS = Sentence("apply.steps.groups.differs", "{key} is {seen}, not {wanted}")
NOTHING = Sentence("apply.steps.groups.nothing", "nothing")
SAME = Sentence("apply.steps.groups.same", "no difference")
