"""The sentences of `diskwright show`."""

from wizard.model.said import Sentence

SAYS = Sentence(
    "faces.planning.show.says",
    "Show a plan: the drive before and after, and every step with its exact commands. Each step says "
    "what it destroys and how it is undone.",
)
PLAN = Sentence(
    "faces.planning.show.plan",
    "what `diskwright plan`, `move`, `migrate`, `tune` or such wrote with -o; - for the input",
)
JSON = Sentence("faces.planning.show.json", "print it as JSON, checked, with everything that is shown of it")
ABOUT = Sentence(
    "faces.planning.show.about",
    "A plan that was cut off, edited or damaged is refused. Nothing is read from the drive, and nothing "
    "written.",
)
INPUT = Sentence("faces.planning.show.input", "The input")
NO_FILE = Sentence(
    "faces.planning.show.no-file", "{file} is no file; name a plan that `diskwright plan -o` wrote."
)
NO_TEXT = Sentence("faces.planning.show.no-text", "{file} is no text, so it is no plan.")
NOT_READ = Sentence("faces.planning.show.not-read", "{file} cannot be read: {why}.")
NO_NAME = Sentence("faces.planning.show.no-name", "the name cannot be a file's")
