"""What is said of how a run of a plan ended, and of what is left to decide."""

from wizard.model.said import Sentence

# How it ended, behind its headline.
DONE = Sentence(
    "apply.plan.told.done",
    "The drive is set up as it was shown, and was checked.",
    "The drives are set up as they were shown, and were checked.",
)
FAILED = Sentence(
    "apply.plan.told.failed", "A step failed. What came before it is done, what comes after it is not."
)
STOPPED = Sentence(
    "apply.plan.told.stopped",
    "The run stopped between two steps. The drive is set up in part.",
    "The run stopped between two steps. The drives are set up in part.",
)
REFUSED = Sentence(
    "apply.plan.told.refused",
    "The run was refused before its first write. The drive is as it was.",
    "The run was refused before its first write. The drives are as they were.",
)
INTERRUPTED = Sentence(
    "apply.plan.told.interrupted",
    "The run ended without finishing. The drive is set up in part.",
    "The run ended without finishing. The drives are set up in part.",
)
UNDONE = Sentence(
    "apply.plan.told.undone",
    "The run was undone: the old table and signatures are back.",
    "The run was undone: the old tables and signatures are back.",
)
UNDONE_WHOLE = Sentence(
    "apply.plan.told.undone-whole", "The run was undone: what was there before is back, bit for bit."
)
KEPT = Sentence(
    "apply.plan.told.kept",
    "Kept: the drive is in use as it was shown, and was checked. There is no way back any more.",
    "Kept: the drives are in use as they were shown, and were checked. There is no way back any more.",
)

# How a run ended early whose steps were tried out first: clauses of the sentences below.
EARLY_FAILED = Sentence("apply.plan.told.early-failed", "The run failed")
EARLY_STOPPED = Sentence("apply.plan.told.early-stopped", "The run stopped, as it was asked to,")
EARLY_REFUSED = Sentence("apply.plan.told.early-refused", "The run was refused")
EARLY_INTERRUPTED = Sentence("apply.plan.told.early-interrupted", "The run was cut off")
BEFORE_WRITING = Sentence(
    "apply.plan.told.before-writing",
    "{ended} before anything was written: all of it was on a stand-in. The drive is as it was.",
    "{ended} before anything was written: all of it was on a stand-in. The drives are as they were.",
)
WHILE_GOING_BACK = Sentence(
    "apply.plan.told.while-going-back",
    "{ended} while what was there before was being put back. The drive is barred until that is finished.",
    "{ended} while what was there before was being put back. The drives are barred until that is finished.",
)
WHILE_PUT_TO_USE = Sentence(
    "apply.plan.told.while-put-to-use",
    "{ended} while it was being put to use. The drive is written as it was shown.",
    "{ended} while it was being put to use. The drives are written as they were shown.",
)
WHILE_WRITING = Sentence(
    "apply.plan.told.while-writing",
    "{ended} while the drive was being written. The drive is barred until that is finished or undone.",
    "{ended} while the drives were being written. The drives are barred until that is finished or undone.",
)

# Whether it can be undone.
NOTHING_TO_UNDO = Sentence("apply.plan.told.nothing-to-undo", "Undo: there is nothing to undo.")
SAVED_DELETED = Sentence(
    "apply.plan.told.saved-deleted",
    "Undo is no longer possible: it is in use, and what was saved is deleted.",
)
BACK_WHOLE = Sentence(
    "apply.plan.told.back-whole",
    "Undo: sudo diskwright undo {run} puts back what was there before, bit for bit.",
)
BACK_TABLE = Sentence(
    "apply.plan.told.back-table", "Undo: sudo diskwright undo {run} puts the old table and signatures back."
)
BEGUN = Sentence("apply.plan.told.begun", "Undo is no longer possible: {final} was begun.")
BEGUN_LOST = Sentence(
    "apply.plan.told.begun-lost",
    "Undo is no longer possible: {final} was begun; what lay there before is lost.",
)

# What nothing can be put back after: each is named as what was begun.
EMPTYING = Sentence("apply.plan.told.emptying", "emptying the drive")
ENCRYPTING = Sentence("apply.plan.told.encrypting", "encrypting a partition")
MAKING = Sentence("apply.plan.told.making", "making a filesystem")
COPYING = Sentence("apply.plan.told.copying", "copying the first drive over the others")

# What waits for a decision.
WAITING = Sentence(
    "apply.plan.told.waiting",
    "Done, not yet in use: everything is on {drives:list}, and was read back. Nothing can be mounted from "
    "there before you decide. `diskwright keep {run}` puts it to use; `diskwright undo {run}` puts back what "
    "was there, bit for bit.",
)
KEEP_IT = Sentence("apply.plan.told.keep-it", "Keep what was made on {drives:and}?")
UNDO_IT = Sentence("apply.plan.told.undo-it", "Undo what was made on {drives:and}?")
USED = Sentence("apply.plan.told.used", "It is put to use.")
USED_AT = Sentence("apply.plan.told.used-at", "It is put to use, mounted at {places:and}.")
LOST_THEN = Sentence(
    "apply.plan.told.lost-then",
    "What the drive held before is lost then, and there is no way back.",
    "What the drives held before is lost then, and there is no way back.",
)
NO_WAY_BACK = Sentence("apply.plan.told.no-way-back", "There is no way back then.")
PUT_BACK = Sentence(
    "apply.plan.told.put-back",
    "What the drive held before is put back, bit for bit, and compared. What was made is gone then.",
    "What the drives held before is put back, bit for bit, and compared. What was made is gone then.",
)
