"""What is said of a change that is rehearsed, put on drives, and undone."""

from wizard.model.said import Sentence

# What a power cut now would leave, by how far it is.
HALF = Sentence(
    "apply.engine.half",
    "If the power went now, nothing could be mounted from {drives}; `diskwright {command}` would finish it.",
)
REHEARSING = Sentence(
    "apply.engine.rehearsing",
    "If the power went now, {drives} would be as before: all is done on a stand-in.",
)
SAVED = Sentence("apply.engine.saved", "If the power went now, {drives} would be as before.")
BARRED = Sentence(
    "apply.engine.barred",
    "If the power went now, nothing would be lost: it can be kept or undone on any later day.",
)
PUT_TO_USE = Sentence(
    "apply.engine.put-to-use",
    "If the power went now, {drives} would hold what was shown; `diskwright resume` would put it to use.",
)
RELEASED = Sentence("apply.engine.released", "If the power went now, {drives} would hold what was shown.")

# Ways on.
UNDO = Sentence("apply.engine.undo", "`diskwright undo {run}` puts back what was there, bit for bit.")
GOES_ON = Sentence("apply.engine.goes-on", "`diskwright {command} {run}` goes on.")
UNDO_GOES_ON = Sentence(
    "apply.engine.undo-goes-on", "`diskwright undo {run}` goes on putting back what was there."
)
NOTHING_LEFT = Sentence("apply.engine.nothing-left", "Nothing of this run is left to be done.")
ENDS_RUN = Sentence("apply.engine.ends-run", "`diskwright undo {run}` ends this run; make the plan again.")
GIVE_BACK = Sentence("apply.engine.give-back", "Give the drive its {size} bytes back.")
OVER = Sentence(
    "apply.engine.over",
    "`diskwright undo {run} --over-changes {options:row}` puts back what was there before this run, over "
    "whatever was written since.",
)
FROM_DRIVE = Sentence(
    "apply.engine.from-drive",
    "`diskwright keep --from-drive {drive}` finishes the run that waits on the drive.",
)
SHOWS_RUN = Sentence(
    "apply.engine.shows-run", "`diskwright status {run}` shows the run. No saved byte was deleted."
)
MAYBE_ANOTHER = Sentence(
    "apply.engine.maybe-another",
    "{drive} may be another drive: it contains nothing that the run {run} saved or wrote. Nothing was "
    "written. Attach the drive of the run.",
)
KEPT_IN = Sentence("apply.engine.kept-in", "What is kept of both states lies in {folder}.")
NO_COPY = Sentence(
    "apply.engine.no-copy",
    "Put its files back from a copy, if there is one. Else the drive can only be set up anew: make the plan "
    "again.",
)

# How far it is.
NOT_NOTED = Sentence(
    "apply.engine.not-noted",
    "How far the run is could not be written to {run}: {why}. See to that, and give the command again.",
)
NOT_REHEARSED = Sentence(
    "apply.engine.not-rehearsed",
    "{run} has no rehearsed change to 1 drive.",
    "{run} has no rehearsed change to {count} drives.",
)
NO_PLACE = Sentence("apply.engine.no-place", "{file} is damaged: byte {byte} is outside its drive.")
RECORD_LOST = Sentence(
    "apply.engine.record-lost",
    "rehearsed.json and its copies are lost, so the run cannot be finished or undone. {folder} still has the "
    "saved bytes, each at the offset that it had on the drive. If the drive waits, `diskwright inspect` "
    "shows how to keep it.",
)
NO_DRIVE_WRITTEN = Sentence("apply.engine.no-drive-written", "Nothing was written to a drive.")
RUN_IS = Sentence(
    "apply.engine.run-is", "The run is {phase}: this cannot be done with it now. Nothing was written."
)

# What stands against going on.
RESIZED = Sentence(
    "apply.engine.resized", "{drive} has {now} bytes now, not {before}. Nothing more was written."
)
WRITTEN_SINCE = Sentence("apply.engine.written-since", "{drive} was written to since it was complete.")
CHANGED_SINCE = Sentence("apply.engine.changed-since", "{drive} was changed after the rehearsal.")
OVERWRITING = Sentence(
    "apply.engine.overwriting",
    "{drive} was written to since it was complete; putting back what was there before could destroy that.",
)
OLD_DAMAGED = Sentence("apply.engine.old-damaged", "The old bytes in {folder} are damaged.")
KEPT_DAMAGED = Sentence(
    "apply.engine.kept-damaged",
    "What is kept in {folder} of {drive} was changed or damaged. Nothing more was written.",
)
LEFT_AS_IT_IS = Sentence(
    "apply.engine.left-as-it-is",
    "{drives:list} holds what it held before this run, and was used since: it is left as it is.",
)
PLAN_AGAIN = Sentence("apply.engine.plan-again", "If you still want it, make the plan again.")
STRAY = Sentence(
    "apply.engine.stray",
    "{drive} was changed at byte {byte} by another program since this run wrote to it. Nothing more was "
    "written.",
)
STRAY_BEFORE = Sentence(
    "apply.engine.stray-before",
    "{drive} was changed at byte {byte} by another program before it was complete. Nothing more was written.",
)
IN_USE = Sentence("apply.engine.in-use", "{device} is in use: {why}.")

# Drives.
ELSEWHERE = Sentence(
    "apply.engine.elsewhere",
    "In the rehearsal, byte {byte} of {drive} changed, which is no part of what is made. Nothing was written "
    "to the drive.",
)
FREED = Sentence("apply.engine.freed", "{drive} was told that {size:exact} in its new volumes are free.")
UNKNOWN_DATA = Sentence("apply.engine.unknown-data", "{drive} has unrecognised data at byte {byte}.")
COPIED_OVER = Sentence(
    "apply.engine.copied-over",
    "md overwrites all of {drive}, which may have unrecognised data: only a sample was read.",
)
NOT_EMPTIED = Sentence(
    "apply.engine.not-emptied", "{drive} did not take that its new volumes are empty: {why}."
)
NOTICE_TOO_LONG = Sentence("apply.engine.notice-too-long", "The notice for {drive} is too large.")
NOT_AS_WRITTEN = Sentence(
    "apply.engine.not-as-written",
    "{drive} does not hold what it should: it does not read as it was written.",
)
NOT_AS_WRITTEN_AT = Sentence(
    "apply.engine.not-as-written-at",
    "{drive} does not hold what it should at byte {byte}: it does not read as it was written.",
)

# Stand-ins, and what is recognised on them.
NOT_IGNORED = Sentence("apply.engine.not-ignored", "Cannot make udev ignore {name}: {why}.")
NOT_MADE = Sentence("apply.engine.not-made", "Cannot create {folder}: {why}.")
NO_LOOPS = Sentence("apply.engine.no-loops", "the kernel gives no loop devices ({why})")
TOO_LARGE = Sentence("apply.engine.too-large", "{folder} cannot store a file as large as the drive")
TOO_LARGE_WHY = Sentence(
    "apply.engine.too-large-why", "{folder} cannot store a file as large as the drive ({why})"
)
NOT_USED = Sentence("apply.engine.not-used", "{file} could not be used: {why}")
STORE_FAILED = Sentence("apply.engine.store-failed", "{clause}.")
NO_ROOM = Sentence("apply.engine.no-room", "there is no room")
CUT_SHORT = Sentence("apply.engine.cut-short", "{file} was cut short or damaged.")
STILL_SHOWS = Sentence("apply.engine.still-shows", "{node} still shows {kind} where zeros were written.")
BLKID_SEES = Sentence(
    "apply.engine.blkid-sees", "blkid still recognises {seen} on {part} after its signatures were hidden."
)
STILL_SEEN = Sentence("apply.engine.still-seen", "{program} still recognises hidden content on {part}.")
KERNEL_MOUNTS = Sentence(
    "apply.engine.kernel-mounts", "The kernel mounts {part} as {kind} although its signatures are hidden."
)
