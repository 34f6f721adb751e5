"""What is said of a new ext4 and of the copy in it."""

from wizard.model.said import Sentence

NOT_MADE = Sentence(
    "apply.migration.to_fresh.not-made", "{target} does not hold the ext4 that was to be made."
)
MADE = Sentence("apply.migration.to_fresh.made", "{target} holds a new ext4 with the UUID {uuid}.")
NOT_SAME = Sentence("apply.migration.to_fresh.not-same", "The copy on {target} is not the same:")
HOLDS_ALL = Sentence(
    "apply.migration.to_fresh.holds-all",
    "{target} holds everything that {source} does. {entries:,d} files, folders and links with {size:size} of "
    "content were read back and are the same.",
)
NOT_TOUCHED = Sentence("apply.migration.to_fresh.not-touched", "{target} was not touched: {why}.")
ITSELF = Sentence("apply.migration.to_fresh.itself", "it is the old filesystem itself")
HOLDS = Sentence("apply.migration.to_fresh.holds", "it holds {kinds:list}")
NOT_READ = Sentence("apply.migration.to_fresh.not-read", "{device} cannot be read: {why}.")
NO_ROOM = Sentence(
    "apply.migration.to_fresh.no-room", "{target} has {free:size} free, and {needed:size} are to be copied."
)
NO_INODES = Sentence(
    "apply.migration.to_fresh.no-inodes",
    "{target} has room for {free:,d} files, and {needed:,d} are to be copied.",
)
WOULD_WRITE = Sentence(
    "apply.migration.to_fresh.would-write", "Step {step} would write to {device}, which is only read."
)
MANIFESTS_SAME = Sentence("apply.migration.to_fresh.manifests-same", "the manifests of both are the same")
STATUS = Sentence("apply.migration.to_fresh.status", "{program} ended with status {status}")
UNCHANGED = Sentence("apply.migration.to_fresh.unchanged", "its superblock says what it said")
CHANGED = Sentence("apply.migration.to_fresh.changed", "its superblock was written to meanwhile")
ONLY_READ = Sentence("apply.migration.to_fresh.only-read", "{device} was only read.")
NO_WAY_BACK = Sentence(
    "apply.migration.to_fresh.no-way-back",
    "There is nothing to undo: {device} was only read, and {target} held nothing before. `{command}` empties "
    "it again.",
)
NOTHING_TO_KEEP = Sentence(
    "apply.migration.to_fresh.nothing-to-keep",
    "There is nothing to keep: {device} was only read, and the copy on {target} stays as it is.",
)
COPIED = Sentence(
    "apply.migration.to_fresh.copied",
    "{target} is an ext4 with everything that {device} holds; every check holds. {device} was only read. "
    "Mount the new one by UUID={uuid} where the old one was.",
)
