"""What is said of changing the size of a filesystem."""

from wizard.model.said import Sentence

NOT_SHOWN = Sentence("apply.resizing.not-shown", "{why} Nothing was written to the drive.")
"""Why a filesystem keeps its size."""

SMALL_BLOCKS = Sentence(
    "apply.resizing.small-blocks",
    "It has blocks of {block} bytes from byte {start} on; a stand-in only tells whole pages of {page} apart.",
)
CUT_OFF = Sentence(
    "apply.resizing.cut-off", "The filesystem was not unmounted cleanly: mount it and unmount it again first."
)
FEATURES = Sentence(
    "apply.resizing.features", "It has features with which nothing is resized so far: {features:and}."
)
MOVES_FILES = Sentence(
    "apply.resizing.moves-files",
    "{program} has to move files in {device} to make room for its records, and those are not on a stand-in.",
)
MARKED = Sentence(
    "apply.resizing.marked",
    "{device} is marked to be checked. Start Windows twice, or run `chkdsk /f` there, then try again.",
)
HIBERNATED = Sentence(
    "apply.resizing.hibernated",
    "Windows sleeps on {device}. Start it, turn fast startup off, and shut it down: `shutdown /s /t 0`.",
)
NOT_REPLAYED = Sentence(
    "apply.resizing.not-replayed",
    "The journal of {device} holds changes that Windows has not finished. Start Windows and shut it down.",
)
LEAST = Sentence(
    "apply.resizing.least", "{device} cannot be that small: ask for {least:exact} or somewhat more."
)
ELSEWHERE = Sentence("apply.resizing.elsewhere", "Its log, or a part of its files, lies on another device.")
NO_SIZE = Sentence(
    "apply.resizing.no-size", "{program} does not tell how large the filesystem on {device} is."
)
MIXED = Sentence("apply.resizing.mixed", "Its chunks hold files and records together, or are spread.")
DEVICES = Sentence(
    "apply.resizing.devices", "It lies on {devices} devices, and only one on one device is resized."
)
NOT_TOLD = Sentence("apply.resizing.not-told", "{program} does not tell {what:and}.")
CHANGES = Sentence("apply.resizing.changes", "{device} changes while it is read.")
NOT_CLEAN = Sentence("apply.resizing.not-clean", "{device} is not clean: look at it with `{command}`.")
NOT_FILLED = Sentence("apply.resizing.not-filled", "The filesystem on {device} does not fill its partition.")
NEVER_DIRECT = Sentence("apply.resizing.never-direct", "{device} is only resized on a stand-in first.")
NO_ROOM = Sentence(
    "apply.resizing.no-room",
    "What has to move, and what it replaces, takes {needed:size} in {folder}, where {room:size} are free.",
)
RESIZED = Sentence(
    "apply.resizing.resized",
    "The filesystem on {device} has {held} bytes now, and its own check finds it clean.",
)


def refusal(why: object) -> str:
    """The sentence with which it ends before anything was written."""
    return str(NOT_SHOWN(why=str(why)))
