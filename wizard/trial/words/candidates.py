"""The sentences of a trial of filesystems."""

from wizard.model.said import Sentence

# What goes wrong.
NO_PARTITION = Sentence(
    "trial.candidates.no-partition", "The kernel makes no partition for the trial on {drive}: {why}."
)
NOT_DROPPED = Sentence(
    "trial.candidates.not-dropped",
    "The kernel still has the trial's partition on {drive}: {why}. It goes with the next restart.",
)
STAYS_BUSY = Sentence("trial.candidates.stays-busy", "The trial's partition stays in use: {why}.")
NOT_PRIVATE = Sentence(
    "trial.candidates.not-private", "The trial cannot mount where nobody else sees it: {why}."
)
NOT_UNMOUNTED = Sentence("trial.candidates.not-unmounted", "A candidate could not be unmounted: {why}.")
LOAD_FAILED = Sentence(
    "trial.candidates.load-failed", "{filesystem}: {load} failed at {phase} ({why}). The trial has ended."
)
NOT_WRITTEN_DOWN = Sentence(
    "trial.candidates.not-written-down", "{file} cannot be written ({why}). Nothing was written to the drive."
)
NOT_ERASED = Sentence(
    "trial.candidates.not-erased", "What a trial left on {drive} could not be erased: {why}."
)
WENT_AWAY = Sentence(
    "trial.candidates.went-away",
    "The trial ended without an answer. What it left on {drive} is taken away; nothing of it is said.",
)

# Why there can be none.
ONE_PARTITION = Sentence(
    "trial.candidates.one-partition",
    "Filesystems are tried on one partition, not over several drives or in a volume group.",
)
ENCRYPTED = Sentence(
    "trial.candidates.encrypted", "Filesystems are not tried in an encrypted container: try them without."
)
NOT_MOUNTED = Sentence("trial.candidates.not-mounted", "{filesystem} holds no files, so nothing is tried.")
NO_LOADS = Sentence("trial.candidates.no-loads", "No load is known for this purpose, so nothing is tried.")
NO_PARTITIONS = Sentence(
    "trial.candidates.no-partitions", "Filesystems are tried on a partition, not on a whole drive."
)
NOT_FREE = Sentence(
    "trial.candidates.not-free",
    "The volume is to lie where {drive} holds something: filesystems are tried in free space only. Nothing "
    "was written.",
)
LITTLE_MEMORY = Sentence(
    "trial.candidates.little-memory",
    "Only {available:size} of memory are free, and a trial needs {needed:size}: end other programs first. "
    "Nothing was written.",
)
NO_OTHERS = Sentence(
    "trial.candidates.no-others", "No other filesystem can be made here, so there is nothing to compare."
)
NEVER_MISALIGNED = Sentence(
    "trial.candidates.never-misaligned", "No partition of {drive} can be misaligned by 1 KiB."
)
UNKNOWN_LOAD = Sentence("trial.candidates.unknown-load", "There is no load {load}; there are: {known:list}.")
MISSING = Sentence(
    "trial.candidates.missing", "The load {load} needs {programs:and}, which this system lacks."
)

# Before it begins.
MOST = Sentence(
    "trial.candidates.most",
    "{names:and} are made in turn on {drive}. That takes {seconds:time} and writes {written:size} at most.",
)
LOST = Sentence(
    "trial.candidates.lost",
    "Whatever lies in the free space of {drive} is lost: deleted files cannot be brought back afterwards.",
)
KEPT = Sentence("trial.candidates.kept", "Its table and its partitions are not touched.")

# What is said of the planned filesystem and another one.
FASTER = Sentence(
    "trial.candidates.faster",
    "{purpose}: {planned} {factor}x faster than {other} ({low}-{high}), {won} of {rounds} rounds; "
    "the advice stands.",
)
FASTER_PLANNED = Sentence(
    "trial.candidates.faster-planned",
    "{purpose}: {planned} {factor}x faster than {other} ({low}-{high}), {won} of {rounds} rounds; "
    "the plan stands.",
)
SLOWER = Sentence(
    "trial.candidates.slower",
    "{purpose}: {other} was better here: {factor}x faster than {planned} ({low}-{high}), {won} of {rounds} "
    "rounds; use it?",
)
ALIGNED_FASTER = Sentence(
    "trial.candidates.aligned-faster",
    "{purpose}: {planned} {factor}x faster than {other} ({low}-{high}), {won} of {rounds} rounds: "
    "alignment matters here.",
)
MISALIGNED_FASTER = Sentence(
    "trial.candidates.misaligned-faster",
    "{purpose}: {other} {factor}x faster than {planned} ({low}-{high}), {won} of {rounds} rounds. Something "
    "else than alignment must have caused that.",
)
SAME = Sentence(
    "trial.candidates.same",
    "{purpose}: no measurable difference between {planned} and {other} ({low}-{high}, {rounds} rounds).",
)
BUSY_OPEN = Sentence(
    "trial.candidates.busy-open",
    "{purpose}: {planned} or {other} is undecided, the machine is busy ({low}-{high}, {rounds} rounds).",
)
OPEN = Sentence(
    "trial.candidates.open",
    "{purpose}: {planned} or {other} is undecided after {rounds} rounds ({low}-{high}).",
)
TOO_FEW = Sentence(
    "trial.candidates.too-few",
    "{purpose}: {planned} or {other} is undecided: {rounds} of at least {fewest} rounds were run.",
)
TOO_FEW_BUSY = Sentence(
    "trial.candidates.too-few-busy",
    "{purpose}: {planned} or {other} is undecided, the machine is busy: {rounds} of at least {fewest} rounds "
    "were run.",
)
AGED = Sentence("trial.candidates.aged", "{purpose}, aged")
AGAIN = Sentence("trial.candidates.again", "{filesystem} again")
MISALIGNED = Sentence("trial.candidates.misaligned", "misaligned {filesystem}")

# What limits it.
BUSY = Sentence(
    "trial.candidates.busy",
    "The machine is busy: other programs waited for a processor or a drive. Try again when it is quiet.",
)
LOOP = Sentence(
    "trial.candidates.loop",
    "This is a loop device: what was measured is the file beneath it and this machine's cache, not a drive.",
)
ENDED_TIME = Sentence("trial.candidates.ended-time", "It ended because the time was over.")
ENDED_BYTES = Sentence(
    "trial.candidates.ended-bytes", "It ended because a further round would have written too much."
)
ENDED_PERSON = Sentence("trial.candidates.ended-person", "You ended it early.")
NO_MEMORY = Sentence(
    "trial.candidates.no-memory",
    "Memory could not be limited here: large files may not have reached the drive.",
)
NO_PRESSURE = Sentence(
    "trial.candidates.no-pressure",
    "The kernel does not tell how busy the machine is, so that was not watched.",
)
NO_DRIVE_MEMORY = Sentence(
    "trial.candidates.no-drive-memory",
    "The drive's own memory was not emptied before reading: the drive is too small for that.",
)
NO_FLUSHES = Sentence("trial.candidates.no-flushes", "The kernel does not count this drive's flushes.")
INTERVALS = Sentence(
    "trial.candidates.intervals",
    "In brackets: the true factor lies there in 95 of 100 such trials. Single phases are not claims.",
)

# Figures.
RATE_FILES = Sentence("trial.candidates.rate-files", "{rate} files/s")
RATE_OPERATIONS = Sentence("trial.candidates.rate-operations", "{rate} operations/s")
RATE_BYTES = Sentence("trial.candidates.rate-bytes", "{rate} MB/s")
MAKING = Sentence("trial.candidates.making", "making the filesystem")
AGEING = Sentence("trial.candidates.ageing", "ageing")
