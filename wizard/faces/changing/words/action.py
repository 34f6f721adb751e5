"""The sentences of `diskwright label`, `mount`, `unmount`, `remount`, `grow` and `power-off`."""

from wizard.model.said import Sentence

LABEL_SAYS = Sentence(
    "faces.changing.action.label-says",
    "Give a filesystem another label. A line of fstab that names it by its label is changed with it.",
)
MOUNT_SAYS = Sentence("faces.changing.action.mount-says", "Mount a filesystem, now and at every boot.")
UNMOUNT_SAYS = Sentence(
    "faces.changing.action.unmount-says",
    "Unmount a filesystem. One that somebody uses is refused, with who it is.",
)
REMOUNT_SAYS = Sentence(
    "faces.changing.action.remount-says",
    "Give a filesystem other mount options. They go into its line in fstab, and to its mount where that can "
    "be done in use.",
)
GROW_SAYS = Sentence(
    "faces.changing.action.grow-says",
    "Give a mounted ext3, ext4, XFS or Btrfs the free space behind its partition. It stays in use.",
)
POWER_OFF_SAYS = Sentence(
    "faces.changing.action.power-off-says",
    "Unmount everything of a removable drive, flush it and power it off.",
)

NEW_LABEL = Sentence("faces.changing.action.new-label", "its new label")
AT = Sentence("faces.changing.action.at", "the folder; otherwise /srv and its label")
OPTIONS = Sentence("faces.changing.action.options", "mount options")
ONCE = Sentence("faces.changing.action.once", "now only, not at every boot")
BOOT = Sentence("faces.changing.action.boot", "take its line out of fstab, too")
ALL_OPTIONS = Sentence("faces.changing.action.all-options", "all options that its line is to have")
DRIVE = Sentence("faces.changing.action.drive", "the whole drive")
CONFIRM = Sentence("faces.changing.action.confirm", "do it: the drive's token")
DRY_RUN = Sentence("faces.changing.action.dry-run", "check everything; nothing is written")
OUTPUT = Sentence("faces.changing.action.output", "write it to this file, for `diskwright apply`")

ABOUT = Sentence(
    "faces.changing.action.about",
    "Without --confirm it shows what it would do, and changes nothing. The token is the drive's serial "
    "number, or the device's name for a drive without one.",
)
UNDO = Sentence("faces.changing.action.undo", "`diskwright undo` undoes it.")
UNDO_BUT_POWER = Sentence(
    "faces.changing.action.undo-but-power", "`diskwright undo` undoes it, but for the power."
)
UNDO_BTRFS = Sentence(
    "faces.changing.action.undo-btrfs",
    "`diskwright undo` undoes it for Btrfs; ext4 and XFS do not shrink while they are mounted.",
)
TO_DO_THIS = Sentence("faces.changing.action.to-do-this", "Nothing has been changed. To do this:")
