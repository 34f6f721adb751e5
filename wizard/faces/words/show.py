"""The sentences of `diskwright show`."""

from wizard.model.said import Sentence

SAYS = Sentence(
    "faces.show.says",
    "Show a plan: the drive before and after, and every step with its exact commands. Each step says "
    "what it destroys and how it is undone.",
)
PLAN = Sentence(
    "faces.show.plan", "a file that `diskwright plan`, `tune` or `migrate` wrote; - for the input"
)
JSON = Sentence("faces.show.json", "print it as JSON, checked, with everything that is shown of it")
ABOUT = Sentence(
    "faces.show.about",
    "A plan that was cut off, edited or damaged is refused. Nothing is read from the drive, and nothing "
    "written.",
)
INPUT = Sentence("faces.show.input", "The input")
NO_FILE = Sentence("faces.show.no-file", "{file} is no file; name a plan that `diskwright plan -o` wrote.")
NO_TEXT = Sentence("faces.show.no-text", "{file} is no text, so it is no plan.")
NOT_READ = Sentence("faces.show.not-read", "{file} cannot be read: {why}.")
NO_NAME = Sentence("faces.show.no-name", "the name cannot be a file's")
