"""What is said where a plan is written in the words of other tools."""

from wizard.model.said import Sentence

WHICH_DRIVE = Sentence(
    "layout.exported.which-drive", "The plan is for {drives:and}; name one of them with --device."
)
NO_SUCH_DRIVE = Sentence(
    "layout.exported.no-such-drive", "The plan is not for {drive}; it is for {drives:and}."
)
NO_TABLE = Sentence("layout.exported.no-table", "{drive} gets no partition table by this plan.")
ONLY_GPT = Sentence(
    "layout.exported.only-gpt", "systemd-repart makes a GPT only, and {drive} has another table."
)

# What another format has no words for.
NO_FILESYSTEM = Sentence(
    "layout.exported.no-filesystem", "Not in it: the {filesystem} '{label}' on {device}, and its options."
)
NO_OPTIONS = Sentence(
    "layout.exported.no-options",
    "Not in it: for the {filesystem} on {device} the options {options}, and the UUID {uuid}.",
)
NO_UUID = Sentence("layout.exported.no-uuid", "Not in it: the UUID {uuid} of the {filesystem} on {device}.")
NO_CONTAINER = Sentence(
    "layout.exported.no-container", "Not in it: the encrypted container on {device}, and its header."
)
NO_STRIPE = Sentence("layout.exported.no-stripe", "Not in it: the array over several drives, made by {kind}.")
NO_GROUP = Sentence("layout.exported.no-group", "Not in it: the volume group {name} of LVM's.")
NO_SUBVOLUMES = Sentence(
    "layout.exported.no-subvolumes", "Not in it: the subvolumes {names:and} on {device}."
)
NO_MOUNT = Sentence(
    "layout.exported.no-mount", "Not in it: that {device} is mounted at {place}, and who may write there."
)
NEW_TABLE_UUID = Sentence(
    "layout.exported.new-table-uuid", "Not in it: the UUID of the table on {drive}; another one is drawn."
)
OTHER_START = Sentence(
    "layout.exported.other-start", "Not in it: where {device} starts; it comes to start at 1 MiB."
)
OTHER_NUMBERS = Sentence(
    "layout.exported.other-numbers", "Not in it: the numbers of the partitions of {drive}; they run from 1."
)
ROUNDED = Sentence(
    "layout.exported.rounded", "Not in it: the exact place of {device}, which is rounded to {step:exact}."
)
NO_NAME = Sentence("layout.exported.no-name", "Not in it: the name '{name}' of {device}.")
NO_ATTRIBUTES = Sentence("layout.exported.no-attributes", "Not in it: the attributes {bits} of {device}.")
MAY_GROW = Sentence(
    "layout.exported.may-grow",
    "systemd-repart up to version 252 may mark {device} as one whose filesystem grows (attribute 59).",
)
