"""Messages that several screens and components show."""

from wizard.model.said import Sentence, t

IS_CHANGED = t("Being changed now.")

DANGER = Sentence("danger:")
WARNING = Sentence("warning:")
INFO = Sentence("note:")

TOKEN_OF = Sentence("{drive}")
HINT_WHOLE = Sentence("type {token}")
PASSPHRASE = t("Passphrase")
AGAIN = t("Repeat")
AGAIN_HINT = t("the same")

WRONG = Sentence("This does not match {drive}: type {token}.")
EMPTY = Sentence("Type {token} to confirm {drive}.")
NO_PASSPHRASE = t("Type a passphrase for the encryption.")
DIFFERENT = t("Type the same passphrase twice.")

UNDO_QUESTION = Sentence("Undo the changes on {drives:and}?")
UNDO_EARLY = t("The old state is restored and verified.")
UNDOING = t("Undoing the changes")

RESUME = t("go on")

NO_OLD = t("No ext2, ext3 or incomplete ext4 here.")
RENAME = t("Rename")
MOUNT = t("Mount")
UNMOUNT = t("Unmount")
OPTIONS = t("Mount options")
TUNE = t("Better options")

DOUBT = t("Note:")
