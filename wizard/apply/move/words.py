"""What is said of moving a partition."""

from wizard.model.said import Sentence

IMAGES_DAMAGED = Sentence(
    "apply.move.images-damaged",
    "The journal on the drive is damaged: what it keeps of the partition's beginning cannot be trusted.",
)
HEAD_CHANGED = Sentence(
    "apply.move.head-changed",
    "The partition was used since its move was begun, so the journal no longer knows how it begins. It lies "
    "where it was, whole: make the move anew.",
)

MANY_COPIES = Sentence(
    "apply.move.many-copies",
    "{part} keeps {count} copies of its superblock, more than the journal holds. It is not moved.",
)

# Before it begins.
BEGINS = Sentence("apply.move.begins", "Moving {part:and} on {drive} begins.")
GOING_ON = Sentence("apply.move.going-on", "Moving {part:and} goes on.")
TAKING_BACK = Sentence("apply.move.taking-back", "Moving {part:and} back to where it was goes on.")
OTHER_TOKEN = Sentence(
    "apply.move.other-token",
    "{device} is on the drive with the token {token}, not {given}. Nothing was written.",
)
OUTCOME = Sentence(
    "apply.move.outcome", "This moves {part:and} to another place on the drive, with everything in it."
)
OTHERWISE = Sentence(
    "apply.move.otherwise",
    "{part} is not as it was when this was made. Look at it again with `diskwright move`. Nothing was "
    "written.",
)
OTHER_DRIVE = Sentence(
    "apply.move.other-drive", "{drive} is not a drive that this run may touch. Nothing was written."
)
NOT_TRUSTED = Sentence("apply.move.not-trusted", "{node} cannot be trusted: {reason}. Nothing was written.")
REFUSED = Sentence("apply.move.refused", "{why} Nothing was written.")
NO_OVER = Sentence(
    "apply.move.no-over", "{run} moves a partition: --over-changes means nothing for it. Nothing was written."
)
NO_KEEP = Sentence(
    "apply.move.no-keep",
    "{run} moves a partition, which is in use as soon as it is done: there is nothing to keep.",
)
OVER = Sentence("apply.move.over", "{run} is {state}. There is nothing left to do.")
BEING_UNDONE = Sentence("apply.move.being-undone", "{run} is being undone: `diskwright undo {name}` goes on.")
WROTE_NOTHING = Sentence(
    "apply.move.wrote-nothing", "{run} has written nothing, so nothing needs to be undone."
)

# Found on a drive.
NOTHING_MOVES = Sentence(
    "apply.move.nothing-moves",
    "No move that was cut off is found on {drive}. Nothing was written.",
)
IN_JOURNAL = Sentence("apply.move.in-journal", "the journal on the drive")
RUN_IS_HERE = Sentence("apply.move.run-is-here", "Its run is here: `diskwright resume {run}` goes on.")
CONFIRM_FOUND = Sentence(
    "apply.move.confirm-found",
    "To go on moving {part}, confirm its drive: --confirm {token}. Nothing was written.",
)

# How it goes.
BAD_SECTOR = Sentence(
    "apply.move.bad-sector",
    "{why} Nothing was written. A partition with a bad sector is not moved: copy its files off first.",
)
BAD_SECTOR_LATER = Sentence(
    "apply.move.bad-sector-later",
    "{why} A partition with a bad sector is not moved. What had moved before stays, whole, at its new place.",
)
READABLE = Sentence("apply.move.readable", "Every sector of {part} could be read.")
MOVED = Sentence("apply.move.moved", "{part} is at its new place.")
SAME = Sentence("apply.move.same", "{part} holds the same bytes as before.")
NOT_SAME = Sentence(
    "apply.move.not-same",
    "What {part} holds now is not what it held before. Do not use it.",
)
STARTS = Sentence("apply.move.starts", "The kernel has {part} at {start:exact}.")
STARTS_ELSEWHERE = Sentence("apply.move.starts-elsewhere", "the kernel has it at {start:exact}")
RECOGNISED = Sentence("apply.move.recognised", "{part} holds {holds}, as before.")
HOLDS = Sentence("apply.move.holds", "it holds {found}")
DONE = Sentence(
    "apply.move.done",
    "{part} starts at {start:exact} now, and is aligned. `diskwright undo {run}` moves it back, until it is "
    "used.",
)
DONE_THERE = Sentence(
    "apply.move.done-there",
    "{part} starts at {start:exact} now. `diskwright undo {run}` moves it back, until it is used.",
)
CHECKS_FAIL = Sentence("apply.move.checks-fail", "{part} was moved, but a check does not hold. {way}")
ALL_DONE = Sentence(
    "apply.move.all-done",
    "{parts:and} are at their new places now. `diskwright undo {run}` moves them back, until one is used.",
)
ALL_BACK = Sentence("apply.move.all-back", "{parts:and} are where they were, bit for bit.")
LEFT_OTHERWISE = Sentence(
    "apply.move.left-otherwise",
    "{part}, which moves next, is not as it was when this was made. `diskwright undo` takes back what has "
    "moved.",
)
STOPPED = Sentence("apply.move.stopped", "Stopped. Nothing is lost.")
STOPPED_EARLY = Sentence("apply.move.stopped-early", "Stopped before anything was written.")
FAILED = Sentence("apply.move.failed", "{why} Nothing is lost.")
TWO_DRIVES = Sentence(
    "apply.move.two-drives",
    "The journal of {run} is on more than one drive: {drives:list}. Detach the copies first. Nothing was "
    "written now.",
)
NO_JOURNAL = Sentence(
    "apply.move.no-journal",
    "The journal of {run} is no longer on {drive}: something else was written there. Nothing was written "
    "now.",
)
USED_SINCE = Sentence(
    "apply.move.used-since",
    "{part} was used since it was moved, so this run cannot take it back. "
    "`diskwright move {part} --to {start}` moves it there with what it holds now.",
)
TABLE_SINCE = Sentence(
    "apply.move.table-since",
    "The partition table of {drive} was changed since {part} was moved, so this run cannot take it back. "
    "`diskwright move {part} --to {start}` moves it there.",
)
BACK = Sentence("apply.move.back", "{part} starts at {start:exact} again, bit for bit as it was.")

# If the power goes.
AS_BEFORE = Sentence("apply.move.as-before", "If the power went now, {part:and} would be as before.")
AT_NEW_PLACE = Sentence(
    "apply.move.at-new-place", "If the power went now, {part} would be whole at its new place."
)
HALF = Sentence(
    "apply.move.half",
    "If the power went now, nothing would be lost: nobody could mount {part:and} until `diskwright {command} "
    "{run}` "
    "has finished.",
)
COMPARED = Sentence("apply.move.compared", "All of {part} was read again.")
