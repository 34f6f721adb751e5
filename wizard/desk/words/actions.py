"""Everything that can be done with a drive, a partition or a filesystem."""

from wizard.model.said import Sentence

DRIVE = Sentence("desk.actions.drive", "{drive}  {model}  {size:size}")
PART = Sentence("desk.actions.part", "{part}  {what}  {size:size}")
DO = Sentence("desk.actions.do", "do it")

SHOW_RUN = Sentence("desk.actions.show-run", "Show the run")
RUNNING_SAYS = Sentence("desk.actions.running-says", "how far it is, and how to stop it")
EARLY_SAYS = Sentence("desk.actions.early-says", "it was not finished: go on, or undo it")
KEEP = Sentence("desk.actions.keep", "Keep")
KEEP_SAYS = Sentence("desk.actions.keep-says", "put what waits to use; ends the way back")
UNDO = Sentence("desk.actions.undo", "Undo")
UNDO_SAYS = Sentence("desk.actions.undo-says", "put back what was there before")
SET_UP = Sentence("desk.actions.set-up", "Set up anew")
SET_UP_SAYS = Sentence("desk.actions.set-up-says", "what is there is lost once you keep it")
SET_UP_EMPTY = Sentence("desk.actions.set-up-empty", "Set up")
SET_UP_EMPTY_SAYS = Sentence("desk.actions.set-up-empty-says", "from what it is for to a drive in use")
USE_FREE = Sentence("desk.actions.use-free", "Use the free space")
USE_FREE_SAYS = Sentence("desk.actions.use-free-says", "{size:size}; every partition stays")
NO_FREE = Sentence("desk.actions.no-free", "There is no free space.")
TOO_LITTLE = Sentence(
    "desk.actions.too-little", "Only {size:size} are free; a filesystem needs at least {least:exact}."
)
NO_TABLE = Sentence("desk.actions.no-table", "It has no partition table that could be kept.")
TO_EXT4 = Sentence("desk.actions.to-ext4", "Convert to ext4")
TO_EXT4_SAYS = Sentence("desk.actions.to-ext4-says", "from {kind}; every file stays")
NO_OLD = Sentence("desk.actions.no-old", "There is no ext2, ext3 or incomplete ext4 here.")
RENAME = Sentence("desk.actions.rename", "Rename")
RENAME_SAYS = Sentence("desk.actions.rename-says", "now: {label}")
NO_LABEL = Sentence("desk.actions.no-label", "it has no label")
MOUNT = Sentence("desk.actions.mount", "Mount")
MOUNT_SAYS = Sentence("desk.actions.mount-says", "now and at every boot")
UNMOUNT = Sentence("desk.actions.unmount", "Unmount")
UNMOUNT_SAYS = Sentence("desk.actions.unmount-says", "from {place}")
BRING = Sentence("desk.actions.bring", "Bring files over")
BRING_SAYS = Sentence("desk.actions.bring-says", "from a folder or another filesystem; all is compared")
OPTIONS = Sentence("desk.actions.options", "Mount options")
OPTIONS_SAYS = Sentence("desk.actions.options-says", "those of its line in fstab")
TUNE = Sentence("desk.actions.tune", "Better options")
TUNE_SAYS = Sentence("desk.actions.tune-says", "what would suit a purpose better; files stay")
TUNE_MEANS = Sentence(
    "desk.actions.tune-means", "The options that suit this purpose are compared with those that it has."
)
PURPOSE = Sentence("desk.actions.purpose", "Purpose")
GROW = Sentence("desk.actions.grow", "Grow")
GROW_SAYS = Sentence("desk.actions.grow-says", "by {size:size} that are free behind it; files stay")
GROW_IN_USE_SAYS = Sentence("desk.actions.grow-in-use-says", "to fill its partition, should it not yet")
ADJUST = Sentence("desk.actions.adjust", "Size and place")
ADJUST_SAYS = Sentence("desk.actions.adjust-says", "{least:size} to {most:size}, or elsewhere; files stay")
ADJUST_SAYS_TO = Sentence("desk.actions.adjust-says-to", "up to {most:size}, or elsewhere; files stay")
MOVE = Sentence("desk.actions.move", "Move to an aligned place")
MOVE_SAYS = Sentence("desk.actions.move-says", "by {shift:size}; every file stays")
MOVE_ALL = Sentence("desk.actions.move-all", "Align the partitions")
MOVE_ALL_SAYS = Sentence(
    "desk.actions.move-all-says",
    "{count} moves to an aligned place; every file stays",
    "{count} move to aligned places; every file stays",
)
FORMAT = Sentence("desk.actions.format", "Format")
FORMAT_SAYS = Sentence("desk.actions.format-says", "its files are lost once you keep it")
DELETE = Sentence("desk.actions.delete", "Delete")
DELETE_SAYS = Sentence("desk.actions.delete-says", "its files are lost once you keep it")
SPEED = Sentence("desk.actions.speed", "Test speed")
SPEED_SAYS = Sentence("desk.actions.speed-says", "reads for half a minute")
HEALTH = Sentence("desk.actions.health", "Health")
HEALTH_SAYS = Sentence("desk.actions.health-says", "its own counts, and all that is known")
POWER_OFF = Sentence("desk.actions.power-off", "Power off")
POWER_OFF_SAYS = Sentence("desk.actions.power-off-says", "unmount, flush, and off: then unplug it")

WHICH = Sentence("desk.actions.which", "Which filesystem is to become ext4?")
TAKE = Sentence("desk.actions.take", "take it")
WORKING_OUT = Sentence("desk.actions.working-out", "Looking at what is there ...")
LABEL = Sentence("desk.actions.label", "New label")
LABEL_MEANS = Sentence(
    "desk.actions.label-means", "A line of fstab that names it by its label is changed with it."
)
FOLDER = Sentence("desk.actions.folder", "Folder")
FOLDER_HINT = Sentence("desk.actions.folder-hint", "/srv and its label")
WHEN = Sentence("desk.actions.when", "When")
EVERY_BOOT = Sentence("desk.actions.every-boot", "now and at every boot")
NOW_ONLY = Sentence("desk.actions.now-only", "only now")
LINE_STAYS = Sentence("desk.actions.line-stays", "now; its line in fstab stays")
LINE_GOES = Sentence("desk.actions.line-goes", "now, and not at boot any more")
NEW_OPTIONS = Sentence("desk.actions.new-options", "Options")
OPTIONS_MEANS = Sentence(
    "desk.actions.options-means", "All options that its line is to have, with commas between them."
)
NEXT = Sentence("desk.actions.next", "review")

HELP_MENU = Sentence("desk.actions.help-menu", "Nothing happens before you review it.")
HELP_GREY = Sentence("desk.actions.help-grey", "What cannot be done now says why.")
