"""What is said of a change that is rehearsed, put on drives, and undone."""

from wizard.model.said import Sentence, Sentences, t

# What a power cut now would leave, by how far it is.
HALF = Sentence(
    "If the power went now, nothing could be mounted from {drives}; `diskwright {command}` would finish it."
)
REHEARSING = Sentence("If the power went now, {drives} would be as before: all is done on a stand-in.")
SAVED = Sentence("If the power went now, {drives} would be as before.")
BARRED = t("If the power went now, nothing would be lost: it can be kept or undone on any later day.")
PUT_TO_USE = Sentence(
    "If the power went now, {drives} would hold what was shown; `diskwright resume` would put it to use."
)
RELEASED = Sentence("If the power went now, {drives} would hold what was shown.")

# Ways on.
UNDO = Sentence("`diskwright undo {run}` puts back what was there, bit for bit.")
GOES_ON = Sentence("`diskwright {command} {run}` goes on.")
UNDO_GOES_ON = Sentence("`diskwright undo {run}` goes on putting back what was there.")
NOTHING_LEFT = t("Nothing of this run is left to be done.")
ENDS_RUN = Sentence("`diskwright undo {run}` ends this run; make the plan again.")
GIVE_BACK = Sentence("Give the drive its {size} bytes back.")
OVER = Sentence(
    "`diskwright undo {run} --over-changes {options:row}` puts back what was there before this run, over "
    "whatever was written since."
)
FROM_DRIVE = Sentence("`diskwright keep --from-drive {drive}` finishes the run that waits on the drive.")
SHOWS_RUN = Sentence("`diskwright status {run}` shows the run. No saved byte was deleted.")
MAYBE_ANOTHER = Sentence(
    "{drive} may be another drive: it contains nothing that the run {run} saved or wrote. Nothing was "
    "written. Attach the drive of the run."
)
KEPT_IN = Sentence("What is kept of both states lies in {folder}.")
NO_COPY = t(
    "Put its files back from a copy, if there is one. Else the drive can only be set up anew: make the plan "
    "again."
)

# How far it is.
NOT_NOTED = Sentence(
    "How far the run is could not be written to {run}: {why}. See to that, and give the command again."
)
NOT_REHEARSED = Sentences(
    "{run} has no rehearsed change to 1 drive.", "{run} has no rehearsed change to {count} drives."
)
NO_PLACE = Sentence("{file} is damaged: byte {byte} is outside its drive.")
RECORD_LOST = Sentence(
    "rehearsed.json and its copies are lost, so the run cannot be finished or undone. {folder} still has the "
    "saved bytes, each at the offset that it had on the drive. If the drive waits, `diskwright inspect` "
    "shows how to keep it."
)
NO_DRIVE_WRITTEN = t("Nothing was written to a drive.")
RUN_IS = Sentence("The run is {phase}: this cannot be done with it now. Nothing was written.")

# What stands against going on.
RESIZED = Sentence("{drive} has {now} bytes now, not {before}. Nothing more was written.")
WRITTEN_SINCE = Sentence("{drive} was written to since it was complete.")
CHANGED_SINCE = Sentence("{drive} was changed after the rehearsal.")
OVERWRITING = Sentence(
    "{drive} was written to since it was complete; putting back what was there before could destroy that."
)
OLD_DAMAGED = Sentence("The old bytes in {folder} are damaged.")
KEPT_DAMAGED = Sentence(
    "What is kept in {folder} of {drive} was changed or damaged. Nothing more was written."
)
LEFT_AS_IT_IS = Sentence(
    "{drives:list} holds what it held before this run, and was used since: it is left as it is."
)
PLAN_AGAIN = t("If you still want it, make the plan again.")
STRAY = Sentence(
    "{drive} was changed at byte {byte} by another program since this run wrote to it. Nothing more was "
    "written."
)
STRAY_BEFORE = Sentence(
    "{drive} was changed at byte {byte} by another program before it was complete. Nothing more was written."
)
IN_USE = Sentence("{device} is in use: {why}.")

# Drives.
ELSEWHERE = Sentence(
    "In the rehearsal, byte {byte} of {drive} changed, which is no part of what is made. Nothing was written "
    "to the drive."
)
FREED = Sentence("{drive} was told that {size:exact} in its new volumes are free.")
UNKNOWN_DATA = Sentence("{drive} has unrecognised data at byte {byte}.")
COPIED_OVER = Sentence(
    "md overwrites all of {drive}, which may have unrecognised data: only a sample was read."
)
NOT_EMPTIED = Sentence("{drive} did not take that its new volumes are empty: {why}.")
NOTICE_TOO_LONG = Sentence("The notice for {drive} is too large.")
NOT_AS_WRITTEN = Sentence("{drive} does not hold what it should: it does not read as it was written.")
NOT_AS_WRITTEN_AT = Sentence(
    "{drive} does not hold what it should at byte {byte}: it does not read as it was written."
)

# Stand-ins, and what is recognised on them.
NOT_IGNORED = Sentence("Cannot make udev ignore {name}: {why}.")
NOT_MADE = Sentence("Cannot create {folder}: {why}.")
NO_LOOPS = Sentence("the kernel gives no loop devices ({why})")
TOO_LARGE = Sentence("{folder} cannot store a file as large as the drive")
TOO_LARGE_WHY = Sentence("{folder} cannot store a file as large as the drive ({why})")
NOT_USED = Sentence("{file} could not be used: {why}")
STORE_FAILED = Sentence("{clause}.")
NO_ROOM = t("there is no room")
CUT_SHORT = Sentence("{file} was cut short or damaged.")
STILL_SHOWS = Sentence("{node} still shows {kind} where zeros were written.")
BLKID_SEES = Sentence("blkid still recognises {seen} on {part} after its signatures were hidden.")
STILL_SEEN = Sentence("{program} still recognises hidden content on {part}.")
KERNEL_MOUNTS = Sentence("The kernel mounts {part} as {kind} although its signatures are hidden.")
