"""What only the line-by-line face says: how its lines are answered, and how what others draw is told."""

from wizard.model.said import Sentence, t

CHOSEN = t("chosen")
CANNOT = t("Cannot be chosen:")

ANSWER = t("Answer:")
WAYS = Sentence("One of: {ways:list}.")


MEANWHILE = t("Something has changed meanwhile, so nothing was done.")
