"""What is said of growing a filesystem."""

from wizard.model.said import Sentence

NOT_SHOWN = Sentence("apply.growing.not-shown", "{why} Nothing was written to the drive.")
"""Why a filesystem is not grown."""

SMALL_BLOCKS = Sentence(
    "apply.growing.small-blocks",
    "It has blocks of {block} bytes from byte {start} on; a stand-in only tells whole pages of {page} apart.",
)
CUT_OFF = Sentence(
    "apply.growing.cut-off", "The filesystem was not unmounted cleanly: mount it and unmount it again first."
)
FEATURES = Sentence(
    "apply.growing.features", "It has features with which nothing is grown so far: {features:and}."
)
MOVES_FILES = Sentence(
    "apply.growing.moves-files",
    "resize2fs has to move files in {device} to make room for its records, and those are not on a stand-in.",
)
ELSEWHERE = Sentence("apply.growing.elsewhere", "Its log, or a part of its files, lies on another device.")
NO_SIZE = Sentence(
    "apply.growing.no-size", "{program} does not tell how large the filesystem on {device} is."
)
MIXED = Sentence("apply.growing.mixed", "Its chunks hold files and records together, or are spread.")
DEVICES = Sentence(
    "apply.growing.devices", "It lies on {devices} devices, and only one on one device is grown."
)
NOT_TOLD = Sentence("apply.growing.not-told", "{program} does not tell {what:and}.")
CHANGES = Sentence("apply.growing.changes", "{device} changes while it is read.")
NOT_CLEAN = Sentence("apply.growing.not-clean", "{device} is not clean: look at it with `{command}`.")
NOT_FILLED = Sentence("apply.growing.not-filled", "The filesystem on {device} does not fill its partition.")
NEVER_DIRECT = Sentence("apply.growing.never-direct", "{device} is only grown on a stand-in first.")
GROWN = Sentence(
    "apply.growing.grown",
    "The filesystem on {device} has {held} bytes now, and its own check finds it clean.",
)


def refusal(why: object) -> str:
    """The sentence with which growing ends before anything was written."""
    return str(NOT_SHOWN(why=str(why)))
