"""What is said of a program that was run."""

from wizard.model.said import Sentence

ENDED = Sentence("tools.ended", "{program} ended with status {status}: {last_words}")
TOO_LONG = Sentence("tools.too-long", "{program} did not finish within {seconds:.0f} s and was ended.")
NOT_INSTALLED = Sentence("tools.not-installed", "{program} is not installed.")
SILENT = Sentence("tools.silent", "it said nothing")
NO_SCRATCH = Sentence(
    "tools.no-scratch", "No folder takes a temporary file: name one that can be written in TMPDIR."
)
