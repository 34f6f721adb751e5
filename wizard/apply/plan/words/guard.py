"""Why a plan may not be carried out, or a run not gone on with or undone."""

from wizard.model.said import Sentence

ALL = Sentence("apply.plan.guard.all", "{pieces:semicolons}")
ALL_AND_MORE = Sentence("apply.plan.guard.all-and-more", "{pieces:semicolons}; and {more} more")

# What the plan names.
NOT_OURS = Sentence(
    "apply.plan.guard.not-ours",
    "{drive} is not a drive that this run may touch; those are {drives:list}. Nothing was written.",
)
NAMES_OTHER = Sentence(
    "apply.plan.guard.names-other",
    "The plan is for {drives:list} but names {device} too; such a plan is not applied. Nothing was written.",
)
NOT_TRUSTED = Sentence(
    "apply.plan.guard.not-trusted",
    "{node} cannot be trusted to be on the drive of this plan: {reason}. Nothing was written.",
)

# What the drive holds.
UNREAD = Sentence(
    "apply.plan.guard.unread", "What {drive} holds could not be read. {reasons:row} Nothing was written."
)
NO_REASON = Sentence("apply.plan.guard.no-reason", "No reason was given.")
CHANGED = Sentence(
    "apply.plan.guard.changed",
    "{drive} has changed since the plan was made: its table or a filesystem's mark is another now. Make the "
    "plan again. Nothing was written.",
)
OTHER_LAYOUT = Sentence(
    "apply.plan.guard.other-layout",
    "{drive} does not hold what the plan shows as before: its layout is another now. Make the plan again. "
    "Nothing was written.",
)
OTHER_ZONES = Sentence(
    "apply.plan.guard.other-zones",
    "{drive} is {zoned}, which the plan does not fit. Make the plan again. Nothing was written.",
)
UNKNOWN_ZONES = Sentence(
    "apply.plan.guard.unknown-zones",
    "{drive} is not known to be zoned, which the plan does not fit. Make the plan again. Nothing was "
    "written.",
)
USED_SINCE = Sentence(
    "apply.plan.guard.used-since",
    "{device} was used since the plan was made: the superblock of what it holds is another now. A mount, a "
    "check or a write does that. What of that is new, the plan would destroy unseen. Look at it, and make "
    "the plan again. Nothing was written.",
)

# Where it is to be mounted.
TAKEN = Sentence(
    "apply.plan.guard.taken", "{place} is taken: {device} is mounted there. Nothing was written."
)
LINK = Sentence(
    "apply.plan.guard.link",
    "{place} is or goes through a symbolic link; name the real place {real}. Nothing was written.",
)
NOT_EMPTY = Sentence(
    "apply.plan.guard.not-empty",
    "{place} is not empty: what lies there would be hidden. Choose another mount point. Nothing was written.",
)
NO_PLACE = Sentence(
    "apply.plan.guard.no-place", "{place} cannot be a mount point: {why}. Nothing was written."
)
NOT_MADE = Sentence(
    "apply.plan.guard.not-made",
    "{place} cannot be made: {folder} is no folder that can be written. Nothing was written.",
)

# A run that cannot go on; the pieces name what is otherwise than it was left.
CHANGED_AT = Sentence(
    "apply.plan.guard.changed-at",
    "{device} was changed at byte {byte} since the run {run} ended: it cannot go on safely. Make a new plan. "
    "Nothing was written.",
)
TABLE_CHANGED = Sentence(
    "apply.plan.guard.table-changed",
    "{drive} was changed since the run ended: {differences}. Make a new plan. Nothing was written.",
)
LEFT_CHANGED = Sentence(
    "apply.plan.guard.left-changed",
    "{drive} was changed since the run ended: {differences}. Nothing was written.",
)
NEITHER = Sentence("apply.plan.guard.neither", "{part} is neither of the old table nor of the new one")
NO_LONGER_EMPTY = Sentence("apply.plan.guard.no-longer-empty", "{drive} is no longer empty")
HOLDS_NEW = Sentence("apply.plan.guard.holds-new", "{drive} holds {kind}, which it did not hold before")
NO_LONGER_HOLDS = Sentence("apply.plan.guard.no-longer-holds", "{device} no longer holds what was made there")
HOLDS_OTHER = Sentence("apply.plan.guard.holds-other", "{device} holds what this run did not make")
STRANGER = Sentence(
    "apply.plan.guard.stranger",
    "{node} holds {kinds:list}, which the run {run} did not make there: it was not touched. If that is old "
    "and not wanted, `wipefs --all {node}` erases it. Nothing was written.",
)
GONE = Sentence(
    "apply.plan.guard.gone",
    "{node} no longer holds what the run {run} made there: it was not touched. Nothing was written.",
)

# Putting back what was saved.
NOT_BACK = Sentence(
    "apply.plan.guard.not-back",
    "The run {name} cannot be undone: {final} was begun, and what that wrote over is lost. Nothing was "
    "written.",
)
WOULD_DESTROY = Sentence(
    "apply.plan.guard.would-destroy",
    "{device} was changed at byte {byte} since the run {run} ended; putting back what was there before could "
    "destroy that. Nothing was written.",
)
BACK_BEFORE = Sentence("apply.plan.guard.back-before", "{drive} was put back before.")
WROTE_BACK = Sentence(
    "apply.plan.guard.wrote-back",
    "Wrote {count} saved region back to {drive}.",
    "Wrote {count} saved regions back to {drive}.",
)
NOT_AS_WRITTEN = Sentence(
    "apply.plan.guard.not-as-written", "{drive} does not read as it was written at byte {byte}."
)
BACK_OTHER_MARK = Sentence(
    "apply.plan.guard.back-other-mark",
    "The saved bytes are back on {drive}, but its table or a mark is not what the plan found.",
)
BACK_OTHER_LAYOUT = Sentence(
    "apply.plan.guard.back-other-layout",
    "The saved bytes are back on {drive}, but its layout is not the one that the plan found.",
)
BACK = Sentence("apply.plan.guard.back", "{drive} holds what it held before, byte for byte.")
AT_RESTART = Sentence("apply.plan.guard.at-restart", "The kernel takes that over at a restart.")
NOT_SEEN = Sentence(
    "apply.plan.guard.not-seen",
    "The environment in {folder} sees it only where it was made with --system-site-packages (pipx, too).",
)
