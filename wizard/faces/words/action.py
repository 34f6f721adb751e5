"""The sentences of `diskwright label`, `mount`, `unmount`, `remount`, `grow` and `power-off`."""

from wizard.model.said import Sentence

LABEL_SAYS = Sentence(
    "faces.action.label-says",
    "Give a filesystem another label. A line of fstab that names it by its label is changed with it.",
)
MOUNT_SAYS = Sentence("faces.action.mount-says", "Mount a filesystem, now and at every boot.")
UNMOUNT_SAYS = Sentence(
    "faces.action.unmount-says",
    "Unmount a filesystem. One that somebody uses is refused, with who it is.",
)
REMOUNT_SAYS = Sentence(
    "faces.action.remount-says",
    "Give a filesystem other mount options. They go into its line in fstab, and to its mount where that can "
    "be done in use.",
)
GROW_SAYS = Sentence(
    "faces.action.grow-says",
    "Give a mounted ext3, ext4, XFS or Btrfs the free space behind its partition. It stays in use.",
)
POWER_OFF_SAYS = Sentence(
    "faces.action.power-off-says", "Unmount everything of a removable drive, flush it and power it off."
)

NEW_LABEL = Sentence("faces.action.new-label", "its new label")
AT = Sentence("faces.action.at", "the folder; otherwise /srv and its label")
OPTIONS = Sentence("faces.action.options", "mount options")
ONCE = Sentence("faces.action.once", "now only, not at every boot")
BOOT = Sentence("faces.action.boot", "take its line out of fstab, too")
ALL_OPTIONS = Sentence("faces.action.all-options", "all options that its line is to have")
DRIVE = Sentence("faces.action.drive", "the whole drive")
CONFIRM = Sentence("faces.action.confirm", "do it: the drive's token")
DRY_RUN = Sentence("faces.action.dry-run", "check everything; nothing is written")
OUTPUT = Sentence("faces.action.output", "write it to this file, for `diskwright apply`")

ABOUT = Sentence(
    "faces.action.about",
    "Without --confirm it shows what it would do, and changes nothing. The token is the drive's serial "
    "number, or the device's name for a drive without one.",
)
UNDO = Sentence("faces.action.undo", "`diskwright undo` undoes it.")
UNDO_BUT_POWER = Sentence("faces.action.undo-but-power", "`diskwright undo` undoes it, but for the power.")
UNDO_BTRFS = Sentence(
    "faces.action.undo-btrfs",
    "`diskwright undo` undoes it for Btrfs; ext4 and XFS do not shrink while they are mounted.",
)
TO_DO_THIS = Sentence("faces.action.to-do-this", "Nothing has been changed. To do this:")
