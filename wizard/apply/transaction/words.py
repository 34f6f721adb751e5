"""What is said of a change that is made on a snapshot of a filesystem, put on its device, and undone."""

from wizard.model.said import Sentence

# Beginning it.
HAS_BEGUN = Sentence(
    "apply.transaction.has-begun", "The run {run} has begun its change already. Nothing was written."
)
OTHER_KIND = Sentence(
    "apply.transaction.other-kind", "{device} holds no filesystem of this kind. Nothing was written."
)
OTHER_CHANGE = Sentence(
    "apply.transaction.other-change",
    "{device} is in the middle of another run's change: resume or undo that one. Nothing was written.",
)
NOT_MADE = Sentence("apply.transaction.not-made", "{folder} cannot be made: {why}. Nothing was written.")
NOT_ROOTS = Sentence(
    "apply.transaction.not-roots", "{folder} does not belong to root alone. Nothing was written."
)

# Finding it again.
EARLIER = Sentence(
    "apply.transaction.earlier",
    "The run {run} was begun by an earlier version of diskwright. Only that can go on with it or take it "
    "back.",
)
NONE = Sentence("apply.transaction.none", "The run {run} has no transaction.")
OTHER_FILESYSTEM = Sentence(
    "apply.transaction.other-filesystem",
    "{device} does not hold the filesystem of the run {run}. Nothing was written.",
)
NOT_THERE = Sentence(
    "apply.transaction.not-there", "The filesystem {uuid} is not there. Nothing was written."
)
THERE_TWICE = Sentence(
    "apply.transaction.there-twice",
    "The filesystem {uuid} is there {times} times: {devices:list}. Nothing was written.",
)
SNAPSHOT_GONE = Sentence(
    "apply.transaction.snapshot-gone",
    "The snapshot is gone. The drive has not changed; what was done on it is begun again.",
)
NOT_GIVEN_UP = Sentence(
    "apply.transaction.not-given-up",
    "The change is {phase}: it can be resumed or undone, not given up. Nothing was written.",
)
NOTHING_TO_KEEP = Sentence(
    "apply.transaction.nothing-to-keep",
    "The change is {phase}: there is nothing to keep. Nothing was written.",
)
OTHER_COUNT = Sentence(
    "apply.transaction.other-count",
    "The snapshot's store holds {found} chunks, and the kernel counted {counted}. The drive has not changed.",
)

# Putting it on the device.
SAVED = Sentence(
    "apply.transaction.saved",
    "What the drive holds where it will change, {size:exact}, is kept in {folder}.",
)
BARRED = Sentence("apply.transaction.barred", "From here on the filesystem is barred until it is whole.")
HOLDS = Sentence("apply.transaction.holds", "The drive holds what was written to it")
READ_AGAIN = Sentence("apply.transaction.read-again", "{size:exact} were read again from it")
LEFT = Sentence("apply.transaction.left", "The filesystem is left as it is: {why}. Nothing was written.")
MEDDLED = Sentence(
    "apply.transaction.meddled",
    "In the middle of the change somebody wrote to the filesystem's superblock, which was barred. Nothing "
    "was written.",
)

# Taking it back.
USED = Sentence("apply.transaction.used", "it was written to since, as by mounting it for writing")
NOT_AS_WRITTEN = Sentence(
    "apply.transaction.not-as-written", "what the change wrote is no longer as it was written"
)
NO_UNDO = Sentence("apply.transaction.no-undo", "The change cannot be undone: {why}. Nothing was written.")
KEPT_DAMAGED = Sentence(
    "apply.transaction.kept-damaged",
    "What is kept in {folder} of {device} was changed or damaged: it is not written to the drive.",
)
