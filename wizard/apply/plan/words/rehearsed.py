"""What is said of a plan that is tried out on stand-ins, brought to its drives, and kept or undone."""

from wizard.model.said import Sentence

# Trying it out.
TRIED_OUT = Sentence(
    "apply.plan.rehearsed.tried-out",
    "Everything is tried out on a stand-in for {drives:list} first; nothing is written to it yet.",
    "Everything is tried out on stand-ins for {drives:list} first; nothing is written to them yet.",
)
READ = Sentence(
    "apply.plan.rehearsed.read",
    "What {drives:and} holds where it will change is read and kept.",
    "What {drives:and} hold where they will change is read and kept.",
)
NO_STAND_IN = Sentence(
    "apply.plan.rehearsed.no-stand-in",
    "No stand-in for {drives:list} can be had: {why}. Nothing was written.",
)
NO_TABLE = Sentence("apply.plan.rehearsed.no-table", "The plan writes no table on {drive}.")
STEP_FAILED = Sentence("apply.plan.rehearsed.step-failed", "Step {step} of {steps} failed in the rehearsal:")
NOTHING_YET = Sentence("apply.plan.rehearsed.nothing-yet", "Nothing was written to the drive.")
NO_ROOM = Sentence(
    "apply.plan.rehearsed.no-room",
    "There was no room left in {folder} to try it out: name another folder with --journal DIR.",
)
NO_ROOM_OR = Sentence(
    "apply.plan.rehearsed.no-room-or",
    "There was no room left in {folder} to try it out. Name another folder with --journal DIR, or begin anew "
    "without a way back by --confirm {word}.",
)
ONLY_ZEROS = Sentence(
    "apply.plan.rehearsed.only-zeros",
    "{size:exact} in {count} place of {drive} will change; it held only zeros there.",
    "{size:exact} in {count} places of {drive} will change; it held only zeros there.",
)
HELD = Sentence(
    "apply.plan.rehearsed.held",
    "{size:exact} in {count} place of {drive} will change; what it held there is kept in {folder}.",
    "{size:exact} in {count} places of {drive} will change; what it held there is kept in {folder}.",
)
NO_NOTICE = Sentence(
    "apply.plan.rehearsed.no-notice",
    "{drive} has no free place for a notice: only {folder} tells what waits on it.",
)

# Writing it.
STOPPED = Sentence("apply.plan.rehearsed.stopped", "Stopped before the drive was written to, as asked.")
WRITTEN = Sentence(
    "apply.plan.rehearsed.written",
    "{drives:list}: every byte is written and read back, but for those by which it is recognised.",
)
IN_PLACE = Sentence(
    "apply.plan.rehearsed.in-place", "{drives:list}: everything is in place, and was read back."
)
ONLY_STAND_IN = Sentence(
    "apply.plan.rehearsed.only-stand-in",
    "Nothing was written to the drive: all of this happened on a stand-in.",
)

# Taking it back.
BACK = Sentence(
    "apply.plan.rehearsed.back",
    "{drives:list}: what was there before is back, bit for bit; all of it was read back and compared.",
)
UNCHANGED = Sentence(
    "apply.plan.rehearsed.unchanged",
    "{drives:list} did not change by one bit: everything was done on a stand-in, which is gone.",
)
NEVER_WRITTEN = Sentence(
    "apply.plan.rehearsed.never-written",
    "The run is ended. It wrote nothing to {drives:and}, which changed since the rehearsal.",
)
USED_SINCE = Sentence(
    "apply.plan.rehearsed.used-since", "The run was undone before, and {drives:and} changed since."
)
STILL_SAVED = Sentence(
    "apply.plan.rehearsed.still-saved", "The bytes saved in the rehearsal are still in {folder}."
)
NOT_COMPARED = Sentence(
    "apply.plan.rehearsed.not-compared",
    "The run is ended before its first write to {drives:and}. Not compared with the plan: the drive is "
    "missing or has changed since.",
)
BEING_UNDONE = Sentence(
    "apply.plan.rehearsed.being-undone", "The run {name} is being undone. Nothing was written."
)
RECORD_OLD = Sentence(
    "apply.plan.rehearsed.record-old",
    "The files of the run {name} are older than its drive, where everything is written. Nothing was written "
    "now. `diskwright keep --from-drive {drive}` finishes what waits there.",
)
WROTE_BACK = Sentence("apply.plan.rehearsed.wrote-back", "Wrote {size:exact} back.")
FOUND_NOT_BACK = Sentence(
    "apply.plan.rehearsed.found-not-back",
    "The run {name} cannot be undone: it was found on its drive. What that held before is gone with the "
    "folder of the run that wrote it. Nothing was written.",
)
KEPT_NOT_BACK = Sentence(
    "apply.plan.rehearsed.kept-not-back",
    "The run {name} cannot be undone: it was kept, and the old bytes are deleted. Nothing was written.",
)

# Why it is not kept.
HALF_FOUND = Sentence(
    "apply.plan.rehearsed.half-found",
    "The run {name} was cut off while it was read from its drive. Nothing was written. `diskwright keep "
    "--from-drive {drive}` begins that anew.",
)
NOT_READY = Sentence(
    "apply.plan.rehearsed.not-ready",
    "The run {name} is {phase}: it is not ready to be kept. Nothing was written.",
)
NOT_COMPLETE = Sentence(
    "apply.plan.rehearsed.not-complete",
    "The run {name} is {phase}: only what is complete can be kept. Nothing was written.",
)
NOT_REHEARSED = Sentence("apply.plan.rehearsed.not-rehearsed", "The run {name} was not rehearsed.")

# Looking at it.
NOTHING_WAITS = Sentence(
    "apply.plan.rehearsed.nothing-waits",
    "Nothing of the run {name} waits to be kept: there is nothing to look at. Nothing was written.",
)
NOT_SHOWN = Sentence("apply.plan.rehearsed.not-shown", "It cannot be shown: {why}. Nothing was written.")
STILL_SHOWN = Sentence(
    "apply.plan.rehearsed.still-shown",
    "{node} shows what waits of the run {name}, and a program still uses it. End that program, and unmount "
    "what is mounted from there. Nothing was written.",
)

# How much room it takes.
TAKES_MORE = Sentence(
    "apply.plan.rehearsed.takes-more",
    "There is no room for a way back in {folder}: it takes more than the {free:size} that are free. Name "
    "another folder by --journal DIR.",
)
NO_ROOM_BACK = Sentence(
    "apply.plan.rehearsed.no-room-back",
    "There is no room for a way back in {folder}: it takes {needed:size}, and {free:size} "
    "are free. Name another folder by --journal DIR.",
)
TAKES = Sentence(
    "apply.plan.rehearsed.takes",
    "The way back takes {needed:size} in {folder}, where {free:size} are free.",
)
UNUSABLE = Sentence(
    "apply.plan.rehearsed.unusable", "{folder} cannot be used for a run: {why}. Nothing was written."
)
