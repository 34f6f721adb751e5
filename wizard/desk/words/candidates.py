"""The sentences of trying filesystems where a plan puts a volume."""

from wizard.model.said import Sentence

TITLE = Sentence("desk.candidates.title", "Try filesystems: {purpose}")
WHAT = Sentence("desk.candidates.what", "What is done")
WHICH = Sentence(
    "desk.candidates.which",
    "Each is made where {label} is planned, does the work of this purpose, and is compared with {planned}.",
)
ROUNDS = Sentence(
    "desk.candidates.rounds", "The order changes every round; at least 6 are needed to say anything."
)
MOST = Sentence("desk.candidates.most", "That takes {seconds:time} and writes {written:size} at most.")
PLANNED = Sentence("desk.candidates.planned", "planned")
STAYS = Sentence("desk.candidates.stays", "The planned one is what the others are compared with.")
ONE_MORE = Sentence("desk.candidates.one-more", "Take at least one more: there is nothing to compare.")
ENOUGH = Sentence("desk.candidates.enough", "At most {most} are tried at once.")
NO_FILES = Sentence("desk.candidates.no-files", "{filesystem} cannot be tried: it holds no files.")
FRESH = Sentence("desk.candidates.fresh", "On new filesystems.")
AGED = Sentence(
    "desk.candidates.aged",
    "On aged filesystems: filled to 85 % three times, with half of the files deleted in between.",
)

# Keys.
TRY = Sentence("desk.candidates.try", "try them")
TAKE = Sentence("desk.candidates.take", "take")
LEAVE = Sentence("desk.candidates.leave", "leave")
AGE = Sentence("desk.candidates.age", "aged")
NEW = Sentence("desk.candidates.new", "new")
STOP = Sentence("desk.candidates.stop", "stop")
KEEP = Sentence("desk.candidates.keep", "keep {planned}")
USE = Sentence("desk.candidates.use", "use {other} instead")
AGAIN = Sentence("desk.candidates.again", "try again")
SAVE = Sentence("desk.candidates.save", "save")
RESULT = Sentence("desk.candidates.result", "the result")

# Before it begins.
ALLOW = Sentence("desk.candidates.allow", "Try them?")
TOKEN = Sentence("desk.candidates.token", "Token")
TOKEN_HINT = Sentence("desk.candidates.token-hint", "type {token}")
NO_TOKEN = Sentence("desk.candidates.no-token", "Type {token} to allow it, or press Esc.")

# While it runs.
AT_WORK = Sentence("desk.candidates.at-work", "Filesystems are being tried. S stops that.")
STARTING = Sentence("desk.candidates.starting", "Starting ...")
STOPPING = Sentence("desk.candidates.stopping", "Stopping ...")
LEFT = Sentence("desk.candidates.left", "at most {seconds:time} left")
NOW = Sentence("desk.candidates.now", "Round {number}: {candidate}, {doing}. {written:size} written.")
WARMING = Sentence("desk.candidates.warming", "Before the first round: {candidate}, {doing}.")
SO_FAR = Sentence("desk.candidates.so-far", "{other} takes {estimate:.2f} times as long so far.")

# The result.
TIMES = Sentence("desk.candidates.times", "times as long as {planned} (95 % range); less is better")
SPEED = Sentence("desk.candidates.speed", "{load}, {phase}: more is better")
SUMMARY = Sentence(
    "desk.candidates.summary",
    "{count} round in {seconds:time}, {written:size} written.",
    "{count} rounds in {seconds:time}, {written:size} written.",
)
HELP = (
    Sentence(
        "desk.candidates.help-free",
        "Only free space is written. What was deleted there is lost; tables and partitions stay.",
    ),
    Sentence(
        "desk.candidates.help-full",
        "Each filesystem is made in full size, by the planned options, and unmounted after every step.",
    ),
    Sentence(
        "desk.candidates.help-claim",
        "A difference is claimed only where all of its range lies beyond 5 %, in nearly every round.",
    ),
    Sentence("desk.candidates.help-plan", "The plan changes only when you take another filesystem."),
)
