"""What is said of the state of the filesystem, and of what it is."""

from wizard.model.said import Sentence

# What is out of order on it.
CUT_OFF = Sentence(
    "migrate.state.cut-off",
    "{device} is smaller than the filesystem on it: {has:exact} of {needs:exact}.",
)
CUT_OFF_WHY = Sentence("migrate.state.cut-off-why", "Its end is missing, with whatever lay there.")
CUT_OFF_REMEDY = Sentence(
    "migrate.state.cut-off-remedy",
    "Find out what made the partition or volume smaller, and put that right first.",
)
COUNTS = Sentence("migrate.state.counts", "The superblock of {device} says that more is free than there is.")
COUNTS_WHY = Sentence(
    "migrate.state.counts-why", "No plan can rely on wrong numbers, and more than these can be wrong."
)
COUNTS_REMEDY = Sentence(
    "migrate.state.counts-remedy",
    "Make an image of {device} first, then have it checked: `e2fsck -f {device}`.",
)
HALF_DONE = Sentence("migrate.state.half-done", "A change to {device} was begun and not finished. {change}")
WIDENED = Sentence("migrate.state.widened", "Its block numbers were being made 64 bits wide.")
CHECKSUMS_OR_OPEN = Sentence(
    "migrate.state.checksums-or-open",
    "Checksums were switched on and never written everywhere, or it was not unmounted.",
)
RESIZED_OR_MARKED = Sentence(
    "migrate.state.resized-or-marked", "It was being resized, or marked for a check by hand."
)
HALF_DONE_WHY = Sentence(
    "migrate.state.half-done-why", "What comes next could rely on what is only half there."
)
ERRORS = Sentence("migrate.state.errors", "{device} is marked as damaged.")
ERRORS_WHY = Sentence(
    "migrate.state.errors-why",
    "The kernel or a check found errors on it ({recorded} recorded) that nobody has repaired.",
)
DAMAGED = Sentence("migrate.state.damaged", "{device} is damaged, and not marked as such: {found}")
DAMAGED_WHY = Sentence(
    "migrate.state.damaged-why", "What is converted or copied relies on what the damaged part should say."
)
REPAIR = Sentence(
    "migrate.state.repair",
    "Have it repaired with --repair, on a copy of what changes or with an undo file. A backup first is wise.",
)
RECORDED = Sentence(
    "migrate.state.recorded",
    "The kernel recorded one error on {device} since its errors were last cleared.",
    "The kernel recorded {count} errors on {device} since they were last cleared.",
)
RECORDED_WHY = Sentence(
    "migrate.state.recorded-why",
    "Damage, or a failing drive, can lie behind them. The first step checks everything, and stops where it "
    "finds damage.",
)
RECORDED_REMEDY = Sentence(
    "migrate.state.recorded-remedy", "Look at the drive's health with `diskwright inspect`."
)
PENDING = Sentence(
    "migrate.state.pending", "The journal of {device} holds changes that are not in their places yet."
)
PENDING_WHY = Sentence(
    "migrate.state.pending-why",
    "It was not unmounted in order. Mounting it, or the first step of a migration, puts them there.",
)
PENDING_REMEDY = Sentence(
    "migrate.state.pending-remedy",
    "For a copy to a fresh filesystem, mount and unmount it once. For every other way nothing needs to be "
    "done.",
)
NOT_CLEAN = Sentence("migrate.state.not-clean", "{device} was not unmounted in order.")
NOT_CLEAN_WHY = Sentence(
    "migrate.state.not-clean-why",
    "Without a journal, only a whole check tells whether it is sound; the first step does that.",
)
NOT_CLEAN_REMEDY = Sentence("migrate.state.not-clean-remedy", "Nothing needs to be done.")

# What it is that cannot be converted.
EXTERNAL = Sentence("migrate.state.external", "The journal of {device} lies on another device.")
EXTERNAL_WHY = Sentence("migrate.state.external-why", "A snapshot of one of the two would not fit the other.")
EXTERNAL_REMEDY = Sentence(
    "migrate.state.external-remedy",
    "Take the journal off first, on the unmounted and clean filesystem: `tune2fs -O ^has_journal {device}`. "
    "The migration gives it a journal of its own.",
)
EXTERNAL_FREED = Sentence(
    "migrate.state.external-freed",
    "The other device is free then, and undoing the migration does not change that.",
)
EXTERNAL_OTHERS = Sentence(
    "migrate.state.external-others",
    "To mount it as ext4, or to copy it to a fresh one, nothing of that is needed.",
)
BARRED = Sentence(
    "migrate.state.barred",
    "{device} is in the middle of another migration, and barred until that is finished.",
)
BARRED_WHY = Sentence(
    "migrate.state.barred-why", "A part of it is new and a part is old; every repair would destroy it."
)
BARRED_REMEDY = Sentence(
    "migrate.state.barred-remedy",
    "Go on with `diskwright resume`, or undo it with `diskwright undo`; `diskwright status` lists the runs.",
)
UNKNOWN = Sentence(
    "migrate.state.unknown",
    "{device} has features that a migration was never tried with: {features:list}.",
)
UNKNOWN_WHY = Sentence("migrate.state.unknown-why", "A step could do harm to what it does not know.")
FRESH = Sentence("migrate.state.fresh", "Use the fresh way, which only reads it.")
FIRST = Sentence("migrate.state.first", "{device} has the very first form of ext2.")
FIRST_WHY = Sentence(
    "migrate.state.first-why",
    "Its superblock has no room for what a newer one says, and tune2fs damages it when it widens the inodes.",
)
INCOMPLETE = Sentence(
    "migrate.state.incomplete", "{device} has extents, but its old files are still mapped block by block."
)
INCOMPLETE_LACKS = Sentence("migrate.state.incomplete-lacks", "{device} lacks what every new ext4 has.")
INCOMPLETE_WHY = Sentence(
    "migrate.state.incomplete-why", "It seems to have been an ext3, and was not converted to the end."
)
INCOMPLETE_REMEDY = Sentence("migrate.state.incomplete-remedy", "The full way converts what is left.")
