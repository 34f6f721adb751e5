"""While something is done, and how it ended."""

from wizard.model.said import Sentence, t

UNDO_QUESTION = Sentence("Undo what was done on {drives:and}?")
UNDO_EARLY = t("What was changed is put back, and compared.")
UNDOING = t("Putting back what was there")


RESUME = t("go on")
