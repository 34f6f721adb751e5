"""What is said of a program that was run."""

from wizard.model.said import Sentence, t

ENDED = Sentence("{program} ended with status {status}: {last_words}")
SILENT = t("it said nothing")
