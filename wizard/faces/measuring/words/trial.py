"""The sentences of `diskwright trial`."""

from wizard.model.said import Sentence

SAYS = Sentence(
    "faces.measuring.trial.says",
    "Compare filesystems on your drive. Each is created where the plan would put the volume, "
    "and runs the workload.",
)
EXAMPLE_TOLD = Sentence("faces.measuring.trial.example-told", "show steps and losses; write nothing")
EXAMPLE_TRIED = Sentence("faces.measuring.trial.example-tried", "compare the two best recommendations")
EXAMPLE_WITH = Sentence("faces.measuring.trial.example-with", "compare three, on aged volumes")
ABOUT = Sentence(
    "faces.measuring.trial.about",
    "Writes in free space only. Deleted files there are lost for good; no table or partition changes.",
)
ABOUT_ROUNDS = Sentence(
    "faces.measuring.trial.about-rounds",
    "The order changes every round. Differences are reported after at least 6 rounds.",
)

WORKLOAD = Sentence("faces.measuring.trial.workload", "workload, see `diskwright workloads`")
FS = Sentence("faces.measuring.trial.fs", "filesystem to try (default: the recommended one)")
MISALIGNED = Sentence(
    "faces.measuring.trial.misaligned",
    "compare it with itself on a misaligned partition, starting at sector 34",
)
MISALIGNED_ALONE = Sentence(
    "faces.measuring.trial.misaligned-alone", "--misaligned tries one filesystem: leave --with out."
)
EXAMPLE_MISALIGNED = Sentence(
    "faces.measuring.trial.example-misaligned", "cost of misalignment on this drive"
)
WITH = Sentence(
    "faces.measuring.trial.with", "filesystems to compare with (default: the next in the ranking)"
)
ROUNDS = Sentence("faces.measuring.trial.rounds", "maximum number of rounds, 6 to 24 (24)")
SECONDS = Sentence("faces.measuring.trial.seconds", "time limit in seconds (90 per filesystem)")
MOST_BYTES = Sentence("faces.measuring.trial.most-bytes", "limit of written data, such as 8G (32G)")
AGE = Sentence("faces.measuring.trial.age", "first fill each volume to 85 % and delete half, three times")
CONFIRM = Sentence("faces.measuring.trial.confirm", "the drive's serial number, or its name if it has none")
JSON = Sentence("faces.measuring.trial.json", "print the result as JSON (diskwright.trial/1)")
OUTPUT = Sentence("faces.measuring.trial.output", "save the result as JSON")

NO_CONFIRM = Sentence(
    "faces.measuring.trial.no-confirm", "Nothing was done. To try them, add: --confirm {token}"
)
SECONDS_BETWEEN = Sentence(
    "faces.measuring.trial.seconds-between", "--seconds must lie between {least} and {most}."
)
ROUNDS_BETWEEN = Sentence(
    "faces.measuring.trial.rounds-between", "--rounds must lie between {least} and {most}."
)
BYTES_LEAST = Sentence("faces.measuring.trial.bytes-least", "--most-bytes must be at least {least:exact}.")
TOO_MANY = Sentence("faces.measuring.trial.too-many", "At most {most} filesystems are tried at once.")
BEGINNING = Sentence(
    "faces.measuring.trial.beginning", "Trying {names:and} on {drive} for at most {duration}; Ctrl+C ends it."
)
PROGRESS = Sentence(
    "faces.measuring.trial.progress", "round {number}, {candidate}, {doing}; at most {seconds:.0f} s left"
)
PHASE = Sentence("faces.measuring.trial.phase", "load, phase")
SUMMARY = Sentence(
    "faces.measuring.trial.summary",
    "{count} round in {duration}, {written:size} written.",
    "{count} rounds in {duration}, {written:size} written.",
)
