"""The sentences of `diskwright bench --scratch --shingled`."""

from wizard.model.said import Sentence

SECONDS_BETWEEN = Sentence(
    "faces.showing.shingled.seconds-between",
    "With --shingled, --seconds must lie between {least} and {most}.",
)
TOO_LITTLE = Sentence(
    "faces.showing.shingled.too-little", "--most-bytes must be {least} MiB or more: less shows nothing."
)
BEGINNING = Sentence(
    "faces.showing.shingled.beginning",
    "Writing back what is read in free space of {drive}: {most:exact} at most, for {duration} at most. Every "
    "byte stays as it is; Ctrl+C ends it. A shingled drive may be slow for an hour afterwards.",
)
BEFORE = Sentence("faces.showing.shingled.before", "in order, before")
RANDOM = Sentence("faces.showing.shingled.random", "at random")
RANDOM_FROM = Sentence("faces.showing.shingled.random-from", "at random, from {size:size}")
AFTER = Sentence("faces.showing.shingled.after", "in order, afterwards")
PROGRESS = Sentence(
    "faces.showing.shingled.progress",
    "{phase}: {written:size} written of at most {most:exact}, at most {seconds:.0f} s left",
)
WROTE = Sentence(
    "faces.showing.shingled.wrote",
    "Wrote {size:size} at random, {block} KiB at a time; took {duration} in all, reading included.",
)
SCALES = Sentence(
    "faces.showing.shingled.scales",
    "The bars of random and of sequential writing have a scale of their own each.",
)
