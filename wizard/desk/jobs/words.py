"""What is said of something that can be begun."""

from wizard.model.said import Sentence, t

LOST_NOW = t("Lost when it is applied")

UNDO_LATER = Sentence("To undo it: sudo diskwright undo {run}")
NOT_DONE = t("It was not done.")
APPLY_COMMAND = Sentence("sudo diskwright apply {file} {options}")
