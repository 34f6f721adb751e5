"""The sentences of `diskwright trial`."""

from wizard.model.said import Sentence

SAYS = Sentence(
    "faces.measuring.trial.says",
    "Try filesystems on a drive. They are made in turn where the plan would put the volume. Each does the "
    "work of a purpose, and they are compared.",
)
EXAMPLE_TOLD = Sentence(
    "faces.measuring.trial.example-told", "tells what would be done and lost, and does nothing"
)
EXAMPLE_TRIED = Sentence("faces.measuring.trial.example-tried", "tries the two that are recommended")
EXAMPLE_WITH = Sentence(
    "faces.measuring.trial.example-with", "the recommended one and two others, on aged volumes"
)
ABOUT = Sentence(
    "faces.measuring.trial.about",
    "It writes in free space only. What was deleted there is lost; no table and no partition is changed.",
)
ABOUT_ROUNDS = Sentence(
    "faces.measuring.trial.about-rounds",
    "The order changes every round. A difference is claimed after 6 rounds at the earliest.",
)

WORKLOAD = Sentence("faces.measuring.trial.workload", "the purpose, as `diskwright workloads` lists them")
FS = Sentence("faces.measuring.trial.fs", "try this one, not the recommended one")
MISALIGNED = Sentence(
    "faces.measuring.trial.misaligned",
    "try it against itself on a partition that starts at sector 34, within a physical block",
)
MISALIGNED_ALONE = Sentence(
    "faces.measuring.trial.misaligned-alone", "--misaligned tries one filesystem: leave --with out."
)
EXAMPLE_MISALIGNED = Sentence(
    "faces.measuring.trial.example-misaligned", "what a misaligned partition costs on this drive"
)
WITH = Sentence("faces.measuring.trial.with", "try these beside it (by default the next in the ranking)")
ROUNDS = Sentence("faces.measuring.trial.rounds", "run so many rounds at most, 6 to 24 (24)")
SECONDS = Sentence(
    "faces.measuring.trial.seconds", "begin no round that would end later (90 for each filesystem)"
)
MOST_BYTES = Sentence(
    "faces.measuring.trial.most-bytes", "begin no round that would write more, such as 8G (32G)"
)
AGE = Sentence(
    "faces.measuring.trial.age", "fill each volume to 85 % and delete half, three times, before the work"
)
CONFIRM = Sentence(
    "faces.measuring.trial.confirm", "the drive's serial number, or its name where it has none"
)
JSON = Sentence("faces.measuring.trial.json", "print the result as JSON (diskwright.trial/1)")
OUTPUT = Sentence("faces.measuring.trial.output", "also keep the result as JSON in this file")

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
