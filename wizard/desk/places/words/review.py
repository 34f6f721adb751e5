"""The last question."""

from wizard.model.said import Sentence, t

TOKEN_OF = Sentence("{drive}")
HINT_WHOLE = Sentence("type {token}")
PASSPHRASE = t("Passphrase")
AGAIN = t("Once more")
AGAIN_HINT = t("the same")

WRONG = Sentence("That is not {drive}'s: type {token}.")
EMPTY = Sentence("Type {token} first: it proves that you mean {drive}.")
NO_PASSPHRASE = t("Type a passphrase for what is encrypted.")
DIFFERENT = t("Type the same passphrase twice.")
