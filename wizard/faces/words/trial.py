"""The sentences of `diskwright trial`."""

from wizard.model.said import Sentence

SAYS = Sentence(
    "faces.trial.says",
    "Try filesystems on a drive. They are made in turn where the plan would put the volume. Each does the "
    "work of a purpose, and they are compared.",
)
EXAMPLE_TOLD = Sentence("faces.trial.example-told", "tells what would be done and lost, and does nothing")
EXAMPLE_TRIED = Sentence("faces.trial.example-tried", "tries the two that are recommended")
EXAMPLE_WITH = Sentence("faces.trial.example-with", "the recommended one and two others, on aged volumes")
ABOUT = Sentence(
    "faces.trial.about",
    "It writes in free space only. What was deleted there is lost; no table and no partition is changed.",
)
ABOUT_ROUNDS = Sentence(
    "faces.trial.about-rounds",
    "The order changes every round. A difference is claimed after 6 rounds at the earliest.",
)

WORKLOAD = Sentence("faces.trial.workload", "the purpose, as `diskwright workloads` lists them")
FS = Sentence("faces.trial.fs", "try this one, not the recommended one")
MISALIGNED = Sentence(
    "faces.trial.misaligned",
    "try it against itself on a partition that starts at sector 34, within a physical block",
)
MISALIGNED_ALONE = Sentence(
    "faces.trial.misaligned-alone", "--misaligned tries one filesystem: leave --with out."
)
EXAMPLE_MISALIGNED = Sentence(
    "faces.trial.example-misaligned", "what a misaligned partition costs on this drive"
)
WITH = Sentence("faces.trial.with", "try these beside it (by default the next in the ranking)")
ROUNDS = Sentence("faces.trial.rounds", "run so many rounds at most, 6 to 24 (24)")
SECONDS = Sentence("faces.trial.seconds", "begin no round that would end later (90 for each filesystem)")
MOST_BYTES = Sentence("faces.trial.most-bytes", "begin no round that would write more, such as 8G (32G)")
AGE = Sentence("faces.trial.age", "fill each volume to 85 % and delete half, three times, before the work")
CONFIRM = Sentence("faces.trial.confirm", "the drive's serial number, or its name where it has none")
JSON = Sentence("faces.trial.json", "print the result as JSON (diskwright.trial/1)")
OUTPUT = Sentence("faces.trial.output", "also keep the result as JSON in this file")

NO_CONFIRM = Sentence("faces.trial.no-confirm", "Nothing was done. To try them, add: --confirm {token}")
SECONDS_BETWEEN = Sentence("faces.trial.seconds-between", "--seconds must lie between {least} and {most}.")
ROUNDS_BETWEEN = Sentence("faces.trial.rounds-between", "--rounds must lie between {least} and {most}.")
BYTES_LEAST = Sentence("faces.trial.bytes-least", "--most-bytes must be at least {least:exact}.")
TOO_MANY = Sentence("faces.trial.too-many", "At most {most} filesystems are tried at once.")
BEGINNING = Sentence(
    "faces.trial.beginning", "Trying {names:and} on {drive} for at most {duration}; Ctrl+C ends it."
)
PROGRESS = Sentence(
    "faces.trial.progress", "round {number}, {candidate}, {doing}; at most {seconds:.0f} s left"
)
PHASE = Sentence("faces.trial.phase", "load, phase")
SUMMARY = Sentence(
    "faces.trial.summary",
    "{count} round in {duration}, {written:size} written.",
    "{count} rounds in {duration}, {written:size} written.",
)
