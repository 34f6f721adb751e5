"""What is said of drives that are other ones than a plan or a run knows, or are elsewhere."""

from wizard.model.said import Sentence

# Another drive than the plan's; `where` says what to do.
NOT_AT = Sentence("apply.plan.drives.not-at", "The drive of this plan is not at {drive}:")
NOT_SO_MANY = Sentence(
    "apply.plan.drives.not-so-many", "{drives:list} are not {number} drives: make the plan again."
)
OTHER_NAME = Sentence(
    "apply.plan.drives.other-name", "{known} is another name of {drive}: make the plan again for {drive}."
)
NO_MEDIUM = Sentence("apply.plan.drives.no-medium", "There is no medium in {drive}. {where}")
RESIZED = Sentence("apply.plan.drives.resized", "{drive} has changed its size: {difference}. {where}")
OTHER_DRIVE = Sentence(
    "apply.plan.drives.other-drive",
    "{drive} is not the drive that this plan was made for: {difference}. {where}",
)
STARTED_AGAIN = Sentence(
    "apply.plan.drives.started-again",
    "The machine was started again since this plan was made, and {drive} tells no serial number to know it "
    "by.",
)
ATTACHED_ANEW = Sentence(
    "apply.plan.drives.attached-anew",
    "{drive} was attached anew since this plan was made: its number since the start is {now}, not {before}. "
    "So it can be another drive now.",
)
SEEMS = Sentence("apply.plan.drives.seems", "The drive of the plan seems to be {drive} now.")

# What tells two drives apart: clauses of the sentences above.
OTHER_SERIAL = Sentence("apply.plan.drives.other-serial", "its serial is {seen}, not {known}")
OTHER_WWN = Sentence("apply.plan.drives.other-wwn", "its WWN is {seen}, not {known}")
OTHER_MODEL = Sentence("apply.plan.drives.other-model", "its model is {seen}, not {known}")
OTHER_SIZE = Sentence("apply.plan.drives.other-size", "its size in bytes is {seen}, not {known}")
OTHER_BLOCKS = Sentence("apply.plan.drives.other-blocks", "its block sizes are others")
NONE = Sentence("apply.plan.drives.none", "none")

# Where the plan's drive is, and what to do.
SHARED_SINCE = Sentence(
    "apply.plan.drives.shared-since",
    "{others:list} tells the serial number of {drive} too, which was not so when the plan was made.",
)
ANOTHER = Sentence("apply.plan.drives.another", "{drive} is another drive: {difference}")
CONTAINS_OTHER = Sentence(
    "apply.plan.drives.contains-other", "{drive} may be another drive: its content is not that of the run"
)
ATTACHED_AGAIN = Sentence(
    "apply.plan.drives.attached-again",
    "{drive} has no serial number of its own and was attached again, so it can be another drive",
)
AGAIN = Sentence("apply.plan.drives.again", "Make the plan again.")
NOW_AT = Sentence("apply.plan.drives.now-at", "That drive is {drive} now: make the plan again for it.")
NOWHERE = Sentence(
    "apply.plan.drives.nowhere", "It is not attached anywhere else: attach it, or make the plan again."
)

# Where a run's drive is, and what to do.
MAYBE_ANOTHER = Sentence(
    "apply.plan.drives.maybe-another",
    "{drive} may be another drive: it does not contain what the run {run} left on its drive. {where} Nothing "
    "was written.",
)
ATTACH_IT = Sentence("apply.plan.drives.attach-it", "Attach the run's drive.")
SIZE_BACK = Sentence(
    "apply.plan.drives.size-back",
    "Nothing of the run {run} is lost: give the drive its {bytes} bytes back, and say {commands}.",
)
NOT_ATTACHED = Sentence(
    "apply.plan.drives.not-attached",
    "The drive of the run {run} is not attached by another name either: attach it again.",
)
NAME_BACK = Sentence(
    "apply.plan.drives.name-back",
    "The drive of the run {run} is {now} now, and nothing of the run is lost. Detach it and whatever is "
    "{known}. Attach it again so that it is {known}, and say {commands}.",
)
BY_RESUME = Sentence("apply.plan.drives.by-resume", "`diskwright resume {run}`")
BY_UNDO = Sentence("apply.plan.drives.by-undo", "`diskwright undo {run}`")
BY_EITHER = Sentence("apply.plan.drives.by-either", "`diskwright keep {run}` or `diskwright undo {run}`")

# A run's drive that was found by another name.
FOUND_AS = Sentence(
    "apply.plan.drives.found-as",
    "The drive that was {known} is {drive} now: {why}. This run goes on there.",
)
SAME_NUMBER = Sentence("apply.plan.drives.same-number", "its serial number or WWN is the same")
HOLDS_LEFT = Sentence("apply.plan.drives.holds-left", "it holds what this run left on its drive")
TWO_AS_ONE = Sentence(
    "apply.plan.drives.two-as-one", "Two drives of the run would be one and the same. Nothing was written."
)
SEVERAL = Sentence(
    "apply.plan.drives.several",
    "{drives:and} could each be the drive of the run {run} that was {known}. Detach all but that one. "
    "Nothing was written.",
)
