"""What is said where a command's drives are not there."""

from wizard.model.said import Sentence

TWICE = Sentence("faces.showing.sources.twice", "One drive was named twice.")
NOT_LISTED = Sentence(
    "faces.showing.sources.not-listed", "The table of {drive} could not be read, or does not list {part}."
)
