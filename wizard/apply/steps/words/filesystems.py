"""What is said of erasing, of filesystems that are made and read back, of mounting them and of swap."""

from wizard.model.said import Sentence

# Erasing.
STILL_SHOWS = Sentence(
    "apply.steps.filesystems.still-shows", "{device} still shows {kinds:list} after it was wiped."
)
STILL_THERE = Sentence(
    "apply.steps.filesystems.still-there", "{device} still shows {kinds:list} after it was emptied."
)
EMPTIED = Sentence("apply.steps.filesystems.emptied", "Every zone of {device} is empty.")
ERASED = Sentence("apply.steps.filesystems.erased", "Erased {kinds:list} from {device}.")
SHOWS_NOTHING = Sentence("apply.steps.filesystems.shows-nothing", "{device} shows nothing any more.")
HAD_NOTHING = Sentence("apply.steps.filesystems.had-nothing", "{device} had no signature.")
ZEROED = Sentence(
    "apply.steps.filesystems.zeroed", "Wrote zeros over the mark {kind} at byte {byte} of {device}."
)
STRANGER = Sentence(
    "apply.steps.filesystems.stranger",
    "{device} holds {seen:list} where the plan knew {known:list}: it was not touched.",
)

# Making one.
DRAWS = Sentence(
    "apply.steps.filesystems.draws",
    "{device} gets a UUID that {program} draws, and then the planned one.",
)
MADE = Sentence("apply.steps.filesystems.made", "{device} is recognised as {filesystem} with UUID {uuid}.")
MADE_CLEAN = Sentence(
    "apply.steps.filesystems.made-clean",
    "{device} is recognised as {filesystem} with UUID {uuid}, and its own check finds it clean.",
)
NOT_RECOGNISED = Sentence(
    "apply.steps.filesystems.not-recognised",
    "{device} is not recognised as planned: {differences:semicolons}.",
)
NOT_STRIPED = Sentence(
    "apply.steps.filesystems.not-striped", "{device} is not striped as planned: {differences:semicolons}."
)

# How what is read back differs.
NOT_THERE = Sentence("apply.steps.filesystems.not-there", "the partition is not there")
SHOWS = Sentence("apply.steps.filesystems.shows", "it shows {kinds:list} instead of exactly one filesystem")
NOTHING = Sentence("apply.steps.filesystems.nothing", "nothing")
TYPE = Sentence("apply.steps.filesystems.type", "its type is {seen!r}, not {wanted!r}")
UUID = Sentence("apply.steps.filesystems.uuid", "its UUID is {seen!r}, not {wanted!r}")
LABEL = Sentence("apply.steps.filesystems.label", "its label is {seen!r}, not {wanted!r}")
PROFILE = Sentence("apply.steps.filesystems.profile", "its data are not {profile}")
STRIPE = Sentence("apply.steps.filesystems.stripe", "its superblock says {seen}, not {wanted}")
NO_STRIPE = Sentence("apply.steps.filesystems.no-stripe", "nothing of a stripe")
STRIPED = Sentence("apply.steps.filesystems.striped", "{unit:exact} to a drive and {width:exact} to all")

# Subvolumes.
OTHER_SUBVOLUMES = Sentence(
    "apply.steps.filesystems.other-subvolumes",
    "{device} has other subvolumes than planned: {differences:semicolons}.",
)
SUBVOLUMES = Sentence("apply.steps.filesystems.subvolumes", "{device} has the subvolumes {names:list}.")
SUBVOLUME_MISSING = Sentence("apply.steps.filesystems.subvolume-missing", "{name} is missing")
SUBVOLUME_UNPLANNED = Sentence("apply.steps.filesystems.subvolume-unplanned", "{name} was not planned")
NOT_UNMOUNTED = Sentence(
    "apply.steps.filesystems.not-unmounted", "{device} could not be unmounted from {place} again."
)
PLACE_TAKEN = Sentence("apply.steps.filesystems.place-taken", "{place} is taken: nothing was mounted there.")

# Mounting, and swap.
NO_FOLDER = Sentence("apply.steps.filesystems.no-folder", "The folder {place} could not be made: {why}.")
NOT_MOUNTED = Sentence(
    "apply.steps.filesystems.not-mounted", "{place} is not mounted as planned: {differences:semicolons}."
)
MOUNTED = Sentence(
    "apply.steps.filesystems.mounted",
    "{device} is mounted at {place} with every option that was advised.",
)
NO_SWAP = Sentence("apply.steps.filesystems.no-swap", "the kernel does not list it as swap")
NOT_IN_USE = Sentence(
    "apply.steps.filesystems.not-in-use", "{device} is not in use as planned: {differences:semicolons}."
)
SWAPS = Sentence("apply.steps.filesystems.swaps", "The kernel swaps to {device}.")
