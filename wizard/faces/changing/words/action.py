"""The sentences of `diskwright label`, `mount`, `unmount`, `remount`, `grow` and `power-off`."""

from wizard.model.said import Sentence

LABEL_SAYS = Sentence(
    "faces.changing.action.label-says",
    "Change the label of a filesystem, and an fstab line that uses it.",
)
MOUNT_SAYS = Sentence("faces.changing.action.mount-says", "Mount a filesystem, now and at every boot.")
UNMOUNT_SAYS = Sentence(
    "faces.changing.action.unmount-says",
    "Unmount a filesystem. If it is in use, refuses and names the programs.",
)
REMOUNT_SAYS = Sentence(
    "faces.changing.action.remount-says",
    "Change mount options in fstab, and in the mount if the kernel can change them while mounted.",
)
GROW_SAYS = Sentence(
    "faces.changing.action.grow-says",
    "Grow a mounted ext3, ext4, XFS or Btrfs into the free space after its partition.",
)
POWER_OFF_SAYS = Sentence(
    "faces.changing.action.power-off-says",
    "Unmount, flush and power off a removable drive.",
)

NEW_LABEL = Sentence("faces.changing.action.new-label", "the new label")
AT = Sentence("faces.changing.action.at", "mount point (/srv/LABEL)")
OPTIONS = Sentence("faces.changing.action.options", "mount options")
ONCE = Sentence("faces.changing.action.once", "mount now, not at every boot")
BOOT = Sentence("faces.changing.action.boot", "also remove its fstab line")
ALL_OPTIONS = Sentence("faces.changing.action.all-options", "all options for its fstab line")
DRIVE = Sentence("faces.changing.action.drive", "the drive")
CONFIRM = Sentence("faces.changing.action.confirm", "do it: the drive's serial number")
DRY_RUN = Sentence("faces.changing.action.dry-run", "check everything; write nothing")
OUTPUT = Sentence("faces.changing.action.output", "save it for `diskwright apply`")

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
