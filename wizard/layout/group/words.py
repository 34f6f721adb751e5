"""What is said of volumes in one volume group of LVM's."""

from wizard.model.said import Sentence

LOGICAL = Sentence("layout.group.logical", "Make the logical volume {device}: {size:size} ({size} bytes).")
LOGICAL_FOUND = Sentence(
    "layout.group.logical-found", "LVM finds {device} as a linear volume of exactly {size} bytes."
)
ALIGNED = Sentence("layout.group.aligned", "The kernel finds {device} aligned.")

GROUP = Sentence("layout.group.group", "group of {volumes}")
NO_ROLE = Sentence(
    "layout.group.no-role",
    "The volume '{label}' has the role '{role}', which none in a volume group has: leave one of them out.",
)
TOO_LARGE = Sentence(
    "layout.group.too-large",
    "The volume group can give out {room:size} ({room} bytes), and {needed:size} are needed. It gives room "
    "in pieces of {piece:exact}. Ask for less.",
)

# Why a plan that was read is none that the planner makes.
TABLE_DIFFERS = Sentence(
    "layout.group.table-differs", "the table does not follow from its volume group and what stays"
)
SEVERAL_PARTITIONS = Sentence("layout.group.several-partitions", "its volumes do not lie in one partition")
UUID_FAULT = Sentence("layout.group.uuid-fault", "its physical volume has the UUID '{uuid}', which {fault}")
SAME_UUID = Sentence("layout.group.same-uuid", "two things in it have the same UUID")
OTHER_GROUP = Sentence(
    "layout.group.other-group",
    "its volume group has a name or a place that does not follow from its volumes",
)
VOLUME_ELSEWHERE = Sentence(
    "layout.group.volume-elsewhere", "a volume is at '{path}', which is not in its volume group"
)
ROLE_OR_CONTAINER = Sentence(
    "layout.group.role-or-container",
    "{path} has a role or is encrypted, which nothing in a volume group is",
)
OTHER_COUNT = Sentence("layout.group.other-count", "it makes {made} logical volumes for {volumes} volumes")
OTHER_SIZE = Sentence("layout.group.other-size", "{path} has {size} bytes, which is no size that it can have")
GROUP_TOO_SMALL = Sentence(
    "layout.group.group-too-small", "its logical volumes are larger than its volume group"
)
