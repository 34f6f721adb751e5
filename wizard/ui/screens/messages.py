"""The first screen's sentences."""

from wizard.model.said import Sentence, t

# How a drive stands, in a few words.

# Why nothing else can be done with a drive.
IS_CHANGED = t("It is being changed now.")

# Runs that come first.

# What the drive under the cursor is.
DANGER = Sentence("danger:")
WARNING = Sentence("warning:")
INFO = Sentence("note:")

# Keys.

# What happened.


# The system that diskwright runs on.


TOKEN_OF = Sentence("{drive}")
HINT_WHOLE = Sentence("type {token}")
PASSPHRASE = t("Passphrase")
AGAIN = t("Once more")
AGAIN_HINT = t("the same")

WRONG = Sentence("That is not {drive}'s: type {token}.")
EMPTY = Sentence("Type {token} first: it proves that you mean {drive}.")
NO_PASSPHRASE = t("Type a passphrase for what is encrypted.")
DIFFERENT = t("Type the same passphrase twice.")


UNDO_QUESTION = Sentence("Undo what was done on {drives:and}?")
UNDO_EARLY = t("What was changed is put back, and compared.")
UNDOING = t("Putting back what was there")


RESUME = t("go on")


NO_OLD = t("There is no ext2, ext3 or incomplete ext4 here.")
RENAME = t("Rename")
MOUNT = t("Mount")
UNMOUNT = t("Unmount")
OPTIONS = t("Mount options")
TUNE = t("Better options")


DOUBT = t("In doubt:")
