"""The sentences of trying filesystems where a plan puts a volume."""

from wizard.model.said import Sentence

TITLE = Sentence("desk.details.candidates.title", "Try filesystems: {purpose}")
WHAT = Sentence("desk.details.candidates.what", "What is done")
WHICH = Sentence(
    "desk.details.candidates.which",
    "Each is made where {label} is planned, does the work of this purpose, and is compared with {planned}.",
)
ROUNDS = Sentence(
    "desk.details.candidates.rounds", "The order changes every round; at least 6 are needed to say anything."
)
MOST = Sentence(
    "desk.details.candidates.most", "That takes {seconds:time} and writes {written:size} at most."
)
PLANNED = Sentence("desk.details.candidates.planned", "planned")
STAYS = Sentence("desk.details.candidates.stays", "The planned one is what the others are compared with.")
ONE_MORE = Sentence(
    "desk.details.candidates.one-more", "Take at least one more: there is nothing to compare."
)
ENOUGH = Sentence("desk.details.candidates.enough", "At most {most} are tried at once.")
NO_FILES = Sentence("desk.details.candidates.no-files", "{filesystem} cannot be tried: it holds no files.")
FRESH = Sentence("desk.details.candidates.fresh", "On new filesystems.")
AGED = Sentence(
    "desk.details.candidates.aged",
    "On aged filesystems: filled to 85 % three times, with half of the files deleted in between.",
)

# Keys.
TRY = Sentence("desk.details.candidates.try", "try them")
TAKE = Sentence("desk.details.candidates.take", "take")
LEAVE = Sentence("desk.details.candidates.leave", "leave")
AGE = Sentence("desk.details.candidates.age", "aged")
NEW = Sentence("desk.details.candidates.new", "new")
STOP = Sentence("desk.details.candidates.stop", "stop")
KEEP = Sentence("desk.details.candidates.keep", "keep {planned}")
USE = Sentence("desk.details.candidates.use", "use {other} instead")
AGAIN = Sentence("desk.details.candidates.again", "try again")
SAVE = Sentence("desk.details.candidates.save", "save")
RESULT = Sentence("desk.details.candidates.result", "the result")

# Before it begins.
ALLOW = Sentence("desk.details.candidates.allow", "Try them?")
TOKEN = Sentence("desk.details.candidates.token", "Token")
TOKEN_HINT = Sentence("desk.details.candidates.token-hint", "type {token}")
NO_TOKEN = Sentence("desk.details.candidates.no-token", "Type {token} to allow it, or press Esc.")

# While it runs.
AT_WORK = Sentence("desk.details.candidates.at-work", "Filesystems are being tried. S stops that.")
STARTING = Sentence("desk.details.candidates.starting", "Starting ...")
STOPPING = Sentence("desk.details.candidates.stopping", "Stopping ...")
LEFT = Sentence("desk.details.candidates.left", "at most {seconds:time} left")
NOW = Sentence("desk.details.candidates.now", "Round {number}: {candidate}, {doing}. {written:size} written.")
WARMING = Sentence("desk.details.candidates.warming", "Before the first round: {candidate}, {doing}.")
SO_FAR = Sentence("desk.details.candidates.so-far", "{other} takes {estimate:.2f} times as long so far.")

# The result.
TIMES = Sentence("desk.details.candidates.times", "times as long as {planned} (95 % range); less is better")
SPEED = Sentence("desk.details.candidates.speed", "{load}, {phase}: more is better")
SUMMARY = Sentence(
    "desk.details.candidates.summary",
    "{count} round in {seconds:time}, {written:size} written.",
    "{count} rounds in {seconds:time}, {written:size} written.",
)
HELP = (
    Sentence(
        "desk.details.candidates.help-free",
        "Only free space is written. What was deleted there is lost; tables and partitions stay.",
    ),
    Sentence(
        "desk.details.candidates.help-full",
        "Each filesystem is made in full size, by the planned options, and unmounted after every step.",
    ),
    Sentence(
        "desk.details.candidates.help-claim",
        "A difference is claimed only where all of its range lies beyond 5 %, in nearly every round.",
    ),
    Sentence("desk.details.candidates.help-plan", "The plan changes only when you take another filesystem."),
)
