"""The sentences of `diskwright show`."""

from wizard.model.said import Sentence

SAYS = Sentence(
    "faces.planning.show.says",
    "Show a plan: the drive before and after, and every step with commands, losses and how to undo it.",
)
PLAN = Sentence(
    "faces.planning.show.plan",
    "a file saved with -o; - for stdin",
)
JSON = Sentence("faces.planning.show.json", "print it as JSON, checked")
ABOUT = Sentence(
    "faces.planning.show.about",
    "Truncated, edited or damaged plans are refused. Neither reads nor writes the drive.",
)
INPUT = Sentence("faces.planning.show.input", "The input")
NO_FILE = Sentence(
    "faces.planning.show.no-file", "{file} is no file; name a plan that `diskwright plan -o` wrote."
)
NO_TEXT = Sentence("faces.planning.show.no-text", "{file} is no text, so it is no plan.")
NOT_READ = Sentence("faces.planning.show.not-read", "{file} cannot be read: {why}.")
NO_NAME = Sentence("faces.planning.show.no-name", "the name cannot be a file's")
