"""What is said of changing the size of a filesystem."""

from wizard.model.said import Sentence, t

SMALL_BLOCKS = Sentence(
    "It has blocks of {block} bytes from byte {start} on; a stand-in only tells whole pages of {page} apart."
)
CUT_OFF = t("The filesystem was not unmounted cleanly: mount it and unmount it again first.")
MOVES_FILES = Sentence(
    "{program} has to move files in {device} to make room for its records, and those are not on a stand-in."
)
DEVICES = Sentence("It lies on {devices} devices, and only one on one device is resized.")
NOT_TOLD = Sentence("{program} does not tell {what:and}.")
NOT_CLEAN = Sentence("{device} is not clean: look at it with `{command}`.")


def refusal(why: object) -> str:
    """The sentence with which it ends before anything was written."""
    return str(t("{why} Nothing was written to the drive.", why=str(why)))
