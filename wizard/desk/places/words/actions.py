"""Everything that can be done with a drive, a partition or a filesystem."""

from wizard.model.said import Sentence

DRIVE = Sentence("desk.places.actions.drive", "{drive}  {model}  {size:size}")
PART = Sentence("desk.places.actions.part", "{part}  {what}  {size:size}")
DO = Sentence("desk.places.actions.do", "do it")

SHOW_RUN = Sentence("desk.places.actions.show-run", "Show the run")
RUNNING_SAYS = Sentence("desk.places.actions.running-says", "how far it is, and how to stop it")
EARLY_SAYS = Sentence("desk.places.actions.early-says", "it was not finished: go on, or undo it")
KEEP = Sentence("desk.places.actions.keep", "Keep")
KEEP_SAYS = Sentence("desk.places.actions.keep-says", "put what waits to use; ends the way back")
UNDO = Sentence("desk.places.actions.undo", "Undo")
UNDO_SAYS = Sentence("desk.places.actions.undo-says", "put back what was there before")
SET_UP = Sentence("desk.places.actions.set-up", "Set up anew")
SET_UP_SAYS = Sentence("desk.places.actions.set-up-says", "what is there is lost once you keep it")
SET_UP_EMPTY = Sentence("desk.places.actions.set-up-empty", "Set up")
SET_UP_EMPTY_SAYS = Sentence("desk.places.actions.set-up-empty-says", "from what it is for to a drive in use")
USE_FREE = Sentence("desk.places.actions.use-free", "Use the free space")
USE_FREE_SAYS = Sentence("desk.places.actions.use-free-says", "{size:size}; every partition stays")
NO_FREE = Sentence("desk.places.actions.no-free", "There is no free space.")
TOO_LITTLE = Sentence(
    "desk.places.actions.too-little", "Only {size:size} are free; a filesystem needs at least {least:exact}."
)
NO_TABLE = Sentence("desk.places.actions.no-table", "It has no partition table that could be kept.")
TO_EXT4 = Sentence("desk.places.actions.to-ext4", "Convert to ext4")
TO_EXT4_SAYS = Sentence("desk.places.actions.to-ext4-says", "from {kind}; every file stays")
NO_OLD = Sentence("desk.places.actions.no-old", "There is no ext2, ext3 or incomplete ext4 here.")
RENAME = Sentence("desk.places.actions.rename", "Rename")
RENAME_SAYS = Sentence("desk.places.actions.rename-says", "now: {label}")
NO_LABEL = Sentence("desk.places.actions.no-label", "it has no label")
MOUNT = Sentence("desk.places.actions.mount", "Mount")
MOUNT_SAYS = Sentence("desk.places.actions.mount-says", "now and at every boot")
UNMOUNT = Sentence("desk.places.actions.unmount", "Unmount")
UNMOUNT_SAYS = Sentence("desk.places.actions.unmount-says", "from {place}")
BRING = Sentence("desk.places.actions.bring", "Bring files over")
BRING_SAYS = Sentence(
    "desk.places.actions.bring-says", "from a folder or another filesystem; all is compared"
)
OPTIONS = Sentence("desk.places.actions.options", "Mount options")
OPTIONS_SAYS = Sentence("desk.places.actions.options-says", "those of its line in fstab")
TUNE = Sentence("desk.places.actions.tune", "Better options")
TUNE_SAYS = Sentence("desk.places.actions.tune-says", "what would suit a purpose better; files stay")
TUNE_MEANS = Sentence(
    "desk.places.actions.tune-means",
    "The options that suit this purpose are compared with those that it has.",
)
PURPOSE = Sentence("desk.places.actions.purpose", "Purpose")
GROW = Sentence("desk.places.actions.grow", "Grow")
GROW_SAYS = Sentence("desk.places.actions.grow-says", "by {size:size} that are free behind it; files stay")
GROW_IN_USE_SAYS = Sentence(
    "desk.places.actions.grow-in-use-says", "to fill its partition, should it not yet"
)
ADJUST = Sentence("desk.places.actions.adjust", "Size and place")
ADJUST_SAYS = Sentence(
    "desk.places.actions.adjust-says", "{least:size} to {most:size}, or elsewhere; files stay"
)
ADJUST_SAYS_TO = Sentence("desk.places.actions.adjust-says-to", "up to {most:size}, or elsewhere; files stay")
MOVE = Sentence("desk.places.actions.move", "Move to an aligned place")
MOVE_SAYS = Sentence("desk.places.actions.move-says", "by {shift:size}; every file stays")
MOVE_ALL = Sentence("desk.places.actions.move-all", "Align the partitions")
MOVE_ALL_SAYS = Sentence(
    "desk.places.actions.move-all-says",
    "{count} moves to an aligned place; every file stays",
    "{count} move to aligned places; every file stays",
)
FORMAT = Sentence("desk.places.actions.format", "Format")
FORMAT_SAYS = Sentence("desk.places.actions.format-says", "its files are lost once you keep it")
DELETE = Sentence("desk.places.actions.delete", "Delete")
DELETE_SAYS = Sentence("desk.places.actions.delete-says", "its files are lost once you keep it")
SPEED = Sentence("desk.places.actions.speed", "Test speed")
SPEED_SAYS = Sentence("desk.places.actions.speed-says", "reads for half a minute")
HEALTH = Sentence("desk.places.actions.health", "Health")
HEALTH_SAYS = Sentence("desk.places.actions.health-says", "its own counts, and all that is known")
POWER_OFF = Sentence("desk.places.actions.power-off", "Power off")
POWER_OFF_SAYS = Sentence("desk.places.actions.power-off-says", "unmount, flush, and off: then unplug it")

WHICH = Sentence("desk.places.actions.which", "Which filesystem is to become ext4?")
TAKE = Sentence("desk.places.actions.take", "take it")
WORKING_OUT = Sentence("desk.places.actions.working-out", "Looking at what is there ...")
LABEL = Sentence("desk.places.actions.label", "New label")
LABEL_MEANS = Sentence(
    "desk.places.actions.label-means", "A line of fstab that names it by its label is changed with it."
)
FOLDER = Sentence("desk.places.actions.folder", "Folder")
FOLDER_HINT = Sentence("desk.places.actions.folder-hint", "/srv and its label")
WHEN = Sentence("desk.places.actions.when", "When")
EVERY_BOOT = Sentence("desk.places.actions.every-boot", "now and at every boot")
NOW_ONLY = Sentence("desk.places.actions.now-only", "only now")
LINE_STAYS = Sentence("desk.places.actions.line-stays", "now; its line in fstab stays")
LINE_GOES = Sentence("desk.places.actions.line-goes", "now, and not at boot any more")
NEW_OPTIONS = Sentence("desk.places.actions.new-options", "Options")
OPTIONS_MEANS = Sentence(
    "desk.places.actions.options-means", "All options that its line is to have, with commas between them."
)
NEXT = Sentence("desk.places.actions.next", "review")

HELP_MENU = Sentence("desk.places.actions.help-menu", "Nothing happens before you review it.")
HELP_GREY = Sentence("desk.places.actions.help-grey", "What cannot be done now says why.")
